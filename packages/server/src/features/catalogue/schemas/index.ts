import { schemaFigureOperations, schemaJoinOperations, schemaOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { eraseRows } from './erasure.store.ts';
import { dropAllTables } from './reset.store.ts';
import { customerChanged } from './schemas.events.ts';
import { type SchemaPorts, schemaFigureRoutes, schemaJoinRoutes, schemaRoutes } from './schemas.routes.ts';

export { readCsvRows } from './csv-rows.ts';
export { csvInvalid } from './csv-text.rules.ts';
export { assertCsvType } from './csv-upload.service.ts';
export { readCustomerProfile } from './customer-profile.ts';
export { sqlType } from './data-types.ts';
export { draftFields, primaryKeyOf, rowKeyOf } from './fields.rules.ts';
export type { FindFieldUses } from './fields.service.ts';
export { figuresByKeyStatement } from './figures-by-key.store.ts';
export { addJoined, figureName, keyOfJoin, truncatedName } from './joined-values.rules.ts';
export { readJoins } from './joins-in-decisions.store.ts';
export { activeJoin } from './links.rules.ts';
export { type PutAside, putAside, refusedLines } from './put-aside.ts';
export { recordableColumns } from './recordable-columns.ts';
export { replaceRows } from './replace-rows.service.ts';
export { insertRows } from './rows.service.ts';
export {
  canBeKey,
  hasRowsStatement,
  type RowsByKey,
  readRowsByKey,
  rowsByKeyStatement,
} from './rows-by-key.store.ts';
export { sampleRows } from './sample.store.ts';
export {
  qualifiedTable,
  quoteName,
  readSchemaTables,
  type SchemaTable,
  snapshotSchemas,
  toSnapshotSchema,
} from './schema-tables.store.ts';
export type { AppendEvents } from './schemas.events.ts';
export { fieldHandlersInside } from './schemas.routes.ts';
export { createSchema, type FindSchemaUses } from './schemas.service.ts';
export { hasSchemas } from './schemas.store.ts';
export { type SuggestibleColumns, suggestibleColumns } from './suggestible-columns.store.ts';
export { unreadRemark } from './unread.rules.ts';
export type { JsonValue } from './values.rules.ts';
export { keyText, outForm } from './values-out.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['schema_joins', 'schema_stats', 'schemas'];

export const schemasFeature = feature({
  name: 'schemas',
  tables,
  resets: { empties: tables, end: dropAllTables },
  events: [customerChanged],
  erases: [
    {
      // The tables of the tenant's schemas, which are no tables of the product.
      tables: [],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ schemaRows: await eraseRows(tx, customerId) }),
    },
  ],
  operations: (ports: SchemaPorts) => [
    ...handlerEntries(schemaOperations, schemaRoutes(ports)),
    ...handlerEntries(schemaFigureOperations, schemaFigureRoutes(ports)),
    ...handlerEntries(schemaJoinOperations, schemaJoinRoutes()),
  ],
});
