import { schemaOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { schemaRoutes } from './schemas.routes.ts';
import type { FindSchemaUses } from './schemas.service.ts';

export { draftFields } from './fields.rules.ts';
export { insertRows } from './rows.service.ts';
export { type RowsByKey, readRowsByKey, rowsByKeyStatement, type TableRow } from './rows-by-key.store.ts';
export {
  readSchemaTables,
  recordableColumns,
  type SchemaTable,
  snapshotSchemas,
  toSnapshotSchema,
} from './schema-tables.store.ts';
export { createSchema, type FindSchemaUses, type SchemaUse } from './schemas.service.ts';
export { hasSchemas } from './schemas.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['schemas'];

export const schemasFeature = feature({
  name: 'schemas',
  tables,
  operations: ({ findSchemaUses }: { readonly findSchemaUses: FindSchemaUses }) =>
    handlerEntries(schemaOperations, schemaRoutes({ findUses: findSchemaUses })),
});
