import { type Segment, segmentOperations } from '@arbiter/contract/catalogue/segments';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { nameColumn, statusColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { conditionText } from '../../messages/catalogue/conditions.ts';
import { segmentTexts as t } from '../../messages/catalogue/segments.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

/** How many customers a segment has, as of its last count. */
function Count({ segment: { customerCount } }: { readonly segment: Segment }) {
  const format = useFormat();
  return customerCount === null ? <span className="text-soft">{t.counting}</span> : format.number(customerCount);
}

const columns: readonly Column<Segment>[] = [
  nameColumn(200),
  statusColumn,
  {
    key: 'who',
    header: t.who,
    cell: ({ filters }) => (
      <span title={conditionText(filters) ?? t.everybody}>{conditionText(filters) ?? t.everybody}</span>
    ),
    text: ({ filters }) => conditionText(filters) ?? t.everybody,
    width: 280,
    grow: 2,
  },
  {
    key: 'count',
    header: t.customers,
    cell: (segment) => <Count segment={segment} />,
    text: ({ customerCount }) => customerCount ?? t.counting,
    sortBy: ({ customerCount }) => customerCount,
    align: 'end',
    width: 110,
    grow: 0,
  },
  {
    key: 'counted',
    header: t.countedHead,
    cell: ({ lastRefreshedAt }) => (lastRefreshedAt === null ? '–' : <AsOf at={lastRefreshedAt} word="" />),
    text: ({ lastRefreshedAt }) => lastRefreshedAt,
    width: 130,
    grow: 0,
  },
  {
    key: 'base',
    header: t.base,
    cell: ({ baseSchemaName }) => baseSchemaName,
    text: ({ baseSchemaName }) => baseSchemaName,
    width: 160,
  },
];

/** All segments. */
export function SegmentList() {
  const create = <CreateLink kind="segment" operation={segmentOperations.create} />;
  return (
    <RecordList
      kind="segment"
      operation={segmentOperations.list}
      lead={t.lead}
      actions={create}
      columns={columns}
      choices={[statusChoice]}
      empty={{ title: t.empty, text: t.emptyText, next: create }}
    />
  );
}
