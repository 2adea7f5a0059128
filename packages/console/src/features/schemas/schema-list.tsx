import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { changedColumn, codeColumn, countColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { schemaTexts as t } from '../../messages/catalogue/schemas.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table/table-column.ts';

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
  return (
    <RecordList
      kind="schema"
      operation={schemaRecordOperations.list}
      lead={t.lead}
      columns={columns}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
