import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/schemas';
import { useList } from '../../data/use-operation.ts';
import { changedColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { listTexts } from '../../messages/lists.ts';
import { schemaTexts as t } from '../../messages/schemas.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table-column.ts';

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
  changedColumn,
];

/** All schemas. */
export function SchemaList() {
  const [search, change] = useSearch(schemaRecordOperations.list.query);
  const list = useList(schemaRecordOperations.list, { query: { limit: 100, ...search } });
  return (
    <RecordListPage
      list={list}
      operation={schemaRecordOperations.list}
      title={t.schemas}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.schema}
      filters={search}
      onFilter={change}
      choices={[]}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
