import { schemaFigureOperations, schemaJoinOperations, schemaOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { handleJob } from '../../../jobs/index.ts';
import { searchable } from '../catalogue-records/index.ts';
import { eraseRows } from './erasure.store.ts';
import { dropLeftoversJob } from './fields/leftovers.jobs.ts';
import { dropLeftovers } from './fields/leftovers.service.ts';
import { dropAllTables } from './reset.store.ts';
import { customerChanged } from './schemas.events.ts';
import { type SchemaPorts, schemaFigureRoutes, schemaJoinRoutes, schemaRoutes } from './schemas.routes.ts';
import { schemaSpec } from './schemas.store.ts';

export { readCustomerProfile } from './customer-profile.ts';
export { keepErasuresWaiting, tryKeepErasuresWaiting } from './erasure-lock.store.ts';
export { type ColumnType, readColumnType, sqlType } from './fields/data-types.ts';
export { draftFields, primaryKeyOf, rowKeyOf } from './fields/fields.rules.ts';
export type { FindFieldUses } from './fields/fields.service.ts';
export { recordableColumns } from './fields/recordable-columns.ts';
export { type SuggestibleColumns, suggestibleColumns } from './fields/suggestible-columns.store.ts';
export { readCsvRows } from './imports/csv-rows.ts';
export { csvInvalid } from './imports/csv-text.rules.ts';
export { assertCsvType } from './imports/csv-upload.service.ts';
export { refusedLines, type SpooledUpload, spoolUpload } from './imports/spooled-upload.ts';
export { addJoined, figureName, keyOfJoin, truncatedName } from './joins/joined-values.rules.ts';
export { joinSideProblems } from './joins/joins.service.ts';
export { enrichingJoins } from './joins/joins-in-decisions.rules.ts';
export { readJoins } from './joins/joins-in-decisions.store.ts';
export { activeJoin } from './joins/links.rules.ts';
export { emptySchema, type LoadedRow, type LoadTarget, loadRows, openTarget } from './rows/load-rows.service.ts';
export { replaceRows } from './rows/replace-rows.service.ts';
export { insertRows } from './rows/rows.service.ts';
export { type RowTexts, selectRowTexts, tableExists } from './rows/rows.store.ts';
export {
  canBeKey,
  hasRowsStatement,
  type RowsByKey,
  readRowsByKey,
  rowsByKeyStatement,
  selectRowKeys,
} from './rows/rows-by-key.store.ts';
export { type JsonValue, Misfit, valueCheck } from './rows/values.rules.ts';
export { keyText, outForm } from './rows/values-out.rules.ts';
export {
  qualifiedTable,
  quoteName,
  readSchemaTables,
  type SchemaTable,
  schemaTable,
  snapshotSchemas,
  toSnapshotSchema,
} from './schema-tables.store.ts';
export type { AppendEvents } from './schemas.events.ts';
export { fieldHandlersInside } from './schemas.routes.ts';
export { createSchema } from './schemas.service.ts';
export { hasSchemas } from './schemas.store.ts';
export { columnTexts } from './stats/column-texts.service.ts';
export { figuresByKeyStatement } from './stats/figures-by-key.store.ts';
export { sampleRows } from './stats/sample.store.ts';
export { unreadRemark } from './unread.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['schema_joins', 'schema_stats', 'schemas'];

export const schemasFeature = feature({
  name: 'schemas',
  tables,
  searches: [searchable(schemaSpec, { title: 'displayName', detail: 'name' })],
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
  jobs: ({ database }: { readonly database: Database }) => [
    handleJob(dropLeftoversJob, (_payload, { tenantId }) => dropLeftovers(database, tenantId)),
  ],
});
