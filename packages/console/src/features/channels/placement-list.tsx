import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type Placement, placementOperations } from '@arbiter/contract/catalogue/placements';
import { useList } from '../../data/use-operation.ts';
import {
  countColumn,
  creativesColumn,
  keyColumn,
  nameColumn,
  statusColumn,
  wordColumn,
} from '../../forms/record-columns.tsx';
import { choiceOf, RecordListPage } from '../../forms/record-list.tsx';
import { channelTexts as t } from '../../messages/channels.ts';
import { conditionText } from '../../messages/conditions.ts';
import { listTexts } from '../../messages/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import type { Column } from '../../ui/table-column.ts';

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
  { ...creativesColumn(t.bound, (id) => addresses.creatives({ placementId: id })), width: 130 },
];

const activeChoice = {
  key: 'status',
  label: listTexts.status,
  options: ['active', 'inactive'].map((value) => ({ value, label: value })),
};

/** All placements of every channel. */
export function PlacementList() {
  const [search, change] = useSearch(placementOperations.list.query);
  const list = useList(placementOperations.list, { query: { limit: 100, ...search } });
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  const byChannel = choiceOf('channelId', t.channel, channels.rows);
  return (
    <RecordListPage
      list={list}
      operation={placementOperations.list}
      title={t.placements}
      parents={[{ title: t.channels, to: addresses.channels() }]}
      lead={t.placementsLead}
      columns={columns}
      rowTo={addresses.placement}
      filters={search}
      onFilter={change}
      choices={[activeChoice, byChannel]}
      empty={{
        title: t.noPlacements,
        text: t.noPlacementsText,
        next: <ButtonLink to={addresses.channels()}>{t.allChannels}</ButtonLink>,
      }}
    />
  );
}
