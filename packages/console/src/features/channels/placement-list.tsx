import { channelOperations } from '@arbiter/contract/channels';
import { type Placement, placementOperations } from '@arbiter/contract/placements';
import { useList } from '../../data/use-operation.ts';
import { RecordList } from '../../forms/record-list.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { channelTexts as t } from '../../messages/channels.ts';
import { conditionText } from '../../messages/conditions.ts';
import { listTexts } from '../../messages/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<Placement>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 180 },
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
    width: 100,
    grow: 0,
  },
  {
    key: 'channel',
    header: t.channel,
    cell: ({ channel }) => <Link to={addresses.channel(channel.id)}>{channel.name}</Link>,
    sortBy: ({ channel }) => channel.name,
    width: 140,
  },
  {
    key: 'key',
    header: t.key,
    cell: ({ key }) => <code className="text-caption">{key}</code>,
    sortBy: ({ key }) => key,
    width: 120,
  },
  {
    key: 'slot',
    header: t.slot,
    cell: ({ slotType }) => slotType,
    sortBy: ({ slotType }) => slotType,
    width: 100,
    grow: 0,
  },
  {
    key: 'slots',
    header: t.slots,
    cell: ({ maxSlots }) => maxSlots,
    sortBy: ({ maxSlots }) => maxSlots,
    align: 'end',
    width: 80,
    grow: 0,
  },
  {
    key: 'targeting',
    header: t.targeting,
    cell: ({ targeting }) => {
      const text = conditionText(targeting);
      return text === null ? <span className="text-soft">{t.everyRequest}</span> : <span title={text}>{text}</span>;
    },
    width: 220,
    grow: 2,
  },
  {
    key: 'creatives',
    header: t.bound,
    cell: ({ id, creatives }) => (
      <Link to={addresses.creatives({ placementId: id })} aria-label={t.creativesOf(String(creatives.length))}>
        {creatives.length}
      </Link>
    ),
    sortBy: ({ creatives }) => creatives.length,
    align: 'end',
    width: 100,
    grow: 0,
  },
];

const activeChoice = {
  key: 'status',
  label: listTexts.status,
  options: ['active', 'inactive'].map((value) => ({ value, label: value })),
};

/** All placements, of every channel. */
export function PlacementList() {
  const [search, change] = useSearch(placementOperations.list.query);
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  const byChannel = {
    key: 'channelId',
    label: t.channel,
    options: channels.rows.map(({ id, name }) => ({ value: id, label: name })),
  };
  return (
    <Page title={t.placements} parents={[{ title: t.channels, to: addresses.channels() }]} lead={t.placementsLead}>
      <RecordList
        operation={placementOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.placements}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.placement(id)}
        filters={search}
        onFilter={change}
        choices={[activeChoice, byChannel]}
        empty={
          <Empty title={t.noPlacements} actions={<ButtonLink to={addresses.channels()}>{t.allChannels}</ButtonLink>}>
            {t.noPlacementsText}
          </Empty>
        }
      />
    </Page>
  );
}
