import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type Placement, placementOperations } from '@arbiter/contract/catalogue/placements';
import { useList } from '../../data/use-operation.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { choiceOf } from '../../forms/list-filters.tsx';
import {
  countColumn,
  creativesColumn,
  keyColumn,
  nameColumn,
  statusColumn,
  wordColumn,
} from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { channelTexts as t } from '../../messages/catalogue/channels.ts';
import { conditionText } from '../../messages/catalogue/conditions.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import type { Column } from '../../ui/table/table-column.ts';

const columns: readonly Column<Placement>[] = [
  nameColumn(180),
  statusColumn,
  {
    key: 'channel',
    header: t.channel,
    cell: ({ channel }) => <Link to={addresses.channel(channel.id)}>{channel.name}</Link>,
    text: ({ channel }) => channel.name,
    sortBy: ({ channel }) => channel.name,
    width: 140,
  },
  keyColumn(120),
  wordColumn('slot', t.slot, ({ slotType }) => slotType, 100),
  countColumn('slots', t.slots, ({ maxSlots }) => maxSlots),
  {
    key: 'targeting',
    header: t.targeting,
    cell: ({ targeting }) => {
      const text = conditionText(targeting);
      return text === null ? <span className="text-soft">{t.everyRequest}</span> : <span title={text}>{text}</span>;
    },
    text: ({ targeting }) => conditionText(targeting) ?? t.everyRequest,
    width: 220,
    grow: 2,
  },
  { ...creativesColumn(t.bound, (id) => addresses.creatives({ placementId: id })), width: 150 },
];

const activeChoice = {
  key: 'status',
  label: listTexts.status,
  options: ['active', 'inactive'].map((value) => ({ value, label: value })),
};

/** All placements of every channel. */
export function PlacementList() {
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  return (
    <RecordList
      kind="placement"
      operation={placementOperations.list}
      parents={[{ title: t.channels, to: addresses.channels() }]}
      lead={t.placementsLead}
      actions={<CreateLink kind="placement" operation={placementOperations.create} />}
      columns={columns}
      choices={[activeChoice, choiceOf('channelId', t.channel, channels.rows)]}
      empty={{
        title: t.noPlacements,
        text: t.noPlacementsText,
        next: <ButtonLink to={addresses.channels()}>{t.allChannels}</ButtonLink>,
      }}
    />
  );
}
