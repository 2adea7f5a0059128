import type { DataType, ErrorEntry } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { readRelated, requireLive } from '../catalogue-records/index.ts';
import { primaryKeyOf, qualifiedTable, readSchemaTables, rowKeyOf } from '../schemas/index.ts';

/** A column of a schema's table, as segments ask it. */
export interface ConditionColumn {
  readonly name: string;
  readonly dataType: DataType;
  readonly precision: number | null;
}

/** What segments need to know about a schema. */
export interface ConditionSchema {
  readonly id: string;
  readonly name: string;
  readonly tableName: string;
  /** Quoted and qualified. */
  readonly table: string;
  readonly schemaType: string;
  readonly rowKey: string;
  readonly primaryKey: string;
  /** By ordinal, with the counting column `id` first when the schema has no primary key. */
  readonly columns: readonly ConditionColumn[];
  readonly fields: SchemaColumns['fields'];
  readonly linkedSchemaId: string | null;
  readonly joinMapping: Readonly<Record<string, unknown>> | null;
}

const wanted = ['name', 'tableName', 'schemaType', 'fields', 'linkedSchemaId', 'joinMapping'] as const;
export type SchemaColumns = Awaited<ReturnType<typeof requireLive<'dataSchema', (typeof wanted)[number]>>>;

/** Returns a schema as segments ask it. */
export function conditionSchema(tenantId: string, row: SchemaColumns): ConditionSchema {
  const own = row.fields.map(({ name, dataType, precision }) => ({ name, dataType, precision }));
  const isCounted = !row.fields.some((field) => field.isPrimaryKey);
  return {
    id: row.id,
    name: row.name,
    tableName: row.tableName,
    table: qualifiedTable(tenantId, row.tableName),
    schemaType: row.schemaType,
    rowKey: rowKeyOf(row.fields),
    primaryKey: primaryKeyOf(row.fields),
    columns: isCounted ? [{ name: 'id', dataType: 'bigint', precision: null }, ...own] : own,
    fields: row.fields,
    linkedSchemaId: row.linkedSchemaId,
    joinMapping: row.joinMapping,
  };
}

/** The schemas with these ids. */
export async function readConditionSchemas(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ConditionSchema>> {
  const rows = await readRelated(tx, 'dataSchema', ids, wanted);
  return new Map([...rows.values()].map((row) => [row.id, conditionSchema(tx.tenantId, row)]));
}

/** A schema that a body names; it and its fields stay until the transaction ends. 400 `reference_not_found`. */
export async function lockConditionSchema(tx: Tx, id: string, path: string): Promise<ConditionSchema> {
  return conditionSchema(tx.tenantId, await requireLive(tx, 'dataSchema', id, path, wanted));
}

/** The base schema that a body names, or the oldest customer-type one. Throws 400 at /baseSchemaId. */
export async function keepBaseSchema(tx: Tx, id: string | undefined): Promise<ConditionSchema> {
  const path = '/baseSchemaId';
  const chosen = id ?? (await readSchemaTables(tx)).find(({ schemaType }) => schemaType === 'customer')?.schemaId;
  if (chosen === undefined) throw invalid(path, 'is required, because there is no schema of type customer yet');
  const schema = await lockConditionSchema(tx, chosen, path);
  if (schema.schemaType !== 'customer') throw invalid(path, notOfCustomers);
  return schema;
}

export const notOfCustomers = 'must be a schema of type customer';

export const columnOf = (schema: ConditionSchema, name: string): ConditionColumn | null =>
  schema.columns.find((column) => column.name === name) ?? null;

/** 400 with everything that is wrong with a definition. */
export function refuseDefinition(errors: readonly ErrorEntry[]): void {
  if (errors.length > 0) throw new AppError('validation_failed', { detail: 'The segment is invalid.', errors });
}
