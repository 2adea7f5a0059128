import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { useList } from '../../data/use-operation.ts';
import { changedColumn, codeColumn, countColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { listTexts } from '../../messages/lists.ts';
import { schemaTexts as t } from '../../messages/schemas.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<DataSchema>[] = [
  wordColumn('name', listTexts.name, ({ displayName }) => displayName, 200, 'grows'),
  codeColumn('table', t.table, ({ tableName }) => tableName, 190, 'grows'),
  wordColumn('kind', t.kind, ({ schemaType }) => schemaType, 120),
  countColumn('fields', t.fields, ({ fields }) => fields.length),
  codeColumn('rowKey', t.key, ({ rowKey }) => rowKey, 150, 'grows'),
  {
    key: 'enrich',
    header: t.autoEnrich,
    cell: ({ autoEnrich }) => (autoEnrich ? <Badge tone="info">{t.yes}</Badge> : t.no),
    text: ({ autoEnrich }) => autoEnrich,
    width: 155,
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
