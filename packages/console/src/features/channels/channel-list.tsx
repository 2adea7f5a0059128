import { type Channel, channelOperations } from '@arbiter/contract/channels';
import { RecordList } from '../../forms/record-list.tsx';
import { StatusBadge, statusChoice } from '../../forms/status-badge.tsx';
import { channelTexts as t } from '../../messages/channels.ts';
import { listTexts } from '../../messages/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<Channel>[] = [
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
    key: 'key',
    header: t.key,
    cell: ({ key }) => <code className="text-caption">{key}</code>,
    sortBy: ({ key }) => key,
    width: 110,
  },
  {
    key: 'type',
    header: listTexts.type,
    cell: ({ channelType }) => channelType,
    sortBy: ({ channelType }) => channelType,
    width: 100,
    grow: 0,
  },
  {
    key: 'delivery',
    header: t.delivery,
    cell: ({ deliveryMode }) => t.deliveriesShort[deliveryMode],
    sortBy: ({ deliveryMode }) => deliveryMode,
    width: 120,
  },
  {
    key: 'impressions',
    header: t.impressions,
    cell: ({ impressionMode }) => t.impressionModesShort[impressionMode],
    width: 130,
  },
  {
    key: 'placements',
    header: t.placements,
    cell: ({ placements }) =>
      placements.length === 0 ? (
        <span className="text-soft">–</span>
      ) : (
        placements.map(({ id, name }, at) => (
          <span key={id}>
            {at === 0 ? null : ', '}
            <Link to={addresses.placement(id)}>{name}</Link>
          </span>
        ))
      ),
    width: 200,
    grow: 2,
  },
  {
    key: 'creatives',
    header: t.creatives,
    cell: ({ id, creatives }) => (
      <Link to={addresses.creatives({ channelId: id })} aria-label={t.creativesOf(String(creatives.length))}>
        {creatives.length}
      </Link>
    ),
    sortBy: ({ creatives }) => creatives.length,
    align: 'end',
    width: 90,
    grow: 0,
  },
  {
    key: 'decisions',
    header: t.decisionsShort,
    cell: ({ id }) => <Link to={addresses.decisions({ channelId: id })}>{t.open}</Link>,
    width: 90,
    grow: 0,
  },
];

/** All channels. */
export function ChannelList() {
  const [search, change] = useSearch(channelOperations.list.query);
  return (
    <Page
      title={t.channels}
      lead={t.lead}
      actions={<ButtonLink to={addresses.placements()}>{t.allPlacements}</ButtonLink>}
    >
      <RecordList
        operation={channelOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.channels}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.channel(id)}
        filters={search}
        onFilter={change}
        choices={[statusChoice]}
        empty={
          <Empty title={t.empty} actions={<ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}>
            {t.emptyText}
          </Empty>
        }
      />
    </Page>
  );
}
