import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/schemas';
import { RecordList } from '../../forms/record-list.tsx';
import { listTexts } from '../../messages/lists.ts';
import { schemaTexts as t } from '../../messages/schemas.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';

function Changed({ at }: { readonly at: string }) {
  return <span className="text-soft">{useFormat().moment(at)}</span>;
}

const columns: readonly Column<DataSchema>[] = [
  {
    key: 'name',
    header: listTexts.name,
    cell: ({ displayName }) => displayName,
    sortBy: ({ displayName }) => displayName,
    width: 200,
  },
  {
    key: 'table',
    header: t.table,
    cell: ({ tableName }) => <code className="text-caption">{tableName}</code>,
    width: 190,
  },
  {
    key: 'kind',
    header: t.kind,
    cell: ({ schemaType }) => schemaType,
    sortBy: ({ schemaType }) => schemaType,
    width: 120,
    grow: 0,
  },
  {
    key: 'fields',
    header: t.fields,
    cell: ({ fields }) => fields.length,
    sortBy: ({ fields }) => fields.length,
    align: 'end',
    width: 80,
    grow: 0,
  },
  { key: 'rowKey', header: t.key, cell: ({ rowKey }) => <code className="text-caption">{rowKey}</code>, width: 150 },
  {
    key: 'enrich',
    header: t.autoEnrich,
    cell: ({ autoEnrich }) => (autoEnrich ? <Badge tone="info">{t.yes}</Badge> : t.no),
    width: 150,
    grow: 0,
  },
  {
    key: 'changed',
    header: listTexts.changed,
    cell: ({ updatedAt }) => <Changed at={updatedAt} />,
    width: 130,
    grow: 0,
  },
];

/** All schemas. */
export function SchemaList() {
  const [search, change] = useSearch(schemaRecordOperations.list.query);
  return (
    <Page title={t.schemas} lead={t.lead}>
      <RecordList
        operation={schemaRecordOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.schemas}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.schema(id)}
        filters={search}
        onFilter={change}
        choices={[]}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}
