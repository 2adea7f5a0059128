export { insertRows } from './rows.service.ts';
export { type RowsByKey, readRowsByKey, rowsByKeyStatement, type TableRow } from './rows-by-key.ts';
export { readSchemaTables, type SchemaTable, snapshotSchemas, toSnapshotSchema } from './schema-tables.ts';
export { schemaRoutes } from './schemas.routes.ts';
export { createSchema, type FindSchemaUses, type SchemaUse } from './schemas.service.ts';
