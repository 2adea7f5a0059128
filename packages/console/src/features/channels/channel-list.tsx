import { type Channel, channelOperations } from '@arbiter/contract/catalogue/channels';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import {
  creativesColumn,
  decisionsColumn,
  keyColumn,
  nameColumn,
  statusColumn,
  wordColumn,
} from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { channelTexts as t } from '../../messages/catalogue/channels.ts';
import { channelTypeName } from '../../messages/catalogue/type-names.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import type { Column } from '../../ui/table/table-column.ts';

const columns: readonly Column<Channel>[] = [
  nameColumn(180),
  statusColumn,
  keyColumn(110),
  wordColumn('type', listTexts.type, ({ channelType }) => channelTypeName(channelType), 100),
  {
    key: 'delivery',
    header: t.delivery,
    cell: ({ deliveryMode }) => t.deliveriesShort[deliveryMode],
    text: ({ deliveryMode }) => t.deliveriesShort[deliveryMode],
    sortBy: ({ deliveryMode }) => deliveryMode,
    width: 120,
  },
  {
    key: 'impressions',
    header: t.impressions,
    cell: ({ impressionMode }) => t.impressionModesShort[impressionMode],
    text: ({ impressionMode }) => t.impressionModesShort[impressionMode],
    width: 160,
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
    text: ({ placements }) => placements.map(({ name }) => name).join(', '),
    width: 200,
    grow: 2,
  },
  creativesColumn(t.creatives, (id) => addresses.creatives({ channelId: id })),
  decisionsColumn((id) => addresses.decisions({ channelId: id })),
];

/** All channels. */
export function ChannelList() {
  return (
    <RecordList
      kind="channel"
      operation={channelOperations.list}
      actions={
        <>
          <ButtonLink to={addresses.placements()}>{t.allPlacements}</ButtonLink>
          <CreateLink kind="channel" operation={channelOperations.create} />
        </>
      }
      lead={t.lead}
      columns={columns}
      choices={[statusChoice]}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <CreateLink kind="channel" operation={channelOperations.create} />,
      }}
    />
  );
}
