export { insertRows } from './rows.service.ts';
export { type RowsByKey, readRowsByKey, rowsByKeyStatement, type TableRow } from './rows-by-key.store.ts';
export { readSchemaTables, type SchemaTable, snapshotSchemas, toSnapshotSchema } from './schema-tables.store.ts';
export { schemaRoutes } from './schemas.routes.ts';
export { createSchema, type FindSchemaUses, type SchemaUse } from './schemas.service.ts';
export { hasSchemas } from './schemas.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['schemas'];
