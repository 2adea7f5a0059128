import type { SchemaField } from '@arbiter/contract';
import { DatabaseError } from '../../../../db/index.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { Misfit } from '../rows/values.rules.ts';
import { outForm } from '../rows/values-out.rules.ts';
import { quoteName, type SchemaTable } from '../schema-tables.store.ts';
import { sqlType } from './data-types.ts';
import { columnType, readDefault, rowKeyOf } from './fields.rules.ts';
import { noteDrops } from './leftovers.jobs.ts';

/** A column, in the form that `arbiter.ds_create_table` and its siblings take. */
function column(field: SchemaField): Record<string, unknown> {
  const type = columnType(field);
  const value = readDefault(type, field.defaultValue);
  if (value instanceof Misfit) throw new Error(`stored default of field ${field.id} doesn't match its type`);
  const literal = value !== null && 'literal' in value ? value.literal : null;
  return {
    ...type,
    name: field.name,
    isNullable: field.isNullable,
    isUnique: field.isUnique && !field.isPrimaryKey,
    default:
      value === null || 'function' in value
        ? value
        : { literal: typeof literal === 'string' ? literal : JSON.stringify(literal) },
  };
}

/** Creates a schema's table, in the transaction that created its record. */
export async function createTable(tx: Tx, tableName: string, fields: readonly SchemaField[]): Promise<void> {
  await lockDefinitions(tx, tableName);
  await tx.define({
    text: 'select arbiter.ds_create_table($1, $2::jsonb, $3, $4)',
    values: [
      tableName,
      JSON.stringify(fields.map(column)),
      fields.find((field) => field.isPrimaryKey)?.name ?? null,
      rowKeyOf(fields),
    ],
    undo: tableDrop(tableName),
    startsClean: true,
  });
}

/**
 * On a cluster: keeps jobs from dropping what this transaction defines under an old name. A table is there before the record that
 * uses it is committed.
 */
export async function lockDefinitions(tx: Tx, tableName: string): Promise<void> {
  if (!tx.isCluster) return;
  const name = `${tx.tenantId}.${tableName}`;
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.definitions.' || $1::text, 0))`, [name]);
}

export const tableDrop = (tableName: string) => ({ text: 'select arbiter.ds_drop_table($1)', values: [tableName] });

/** Drops a schema's table. Throws 409 `concurrent_modification`, after several attempts, if someone keeps reading it. */
export async function dropTable(tx: Tx, tableName: string): Promise<void> {
  await limitTableWait(tx);
  try {
    await noteDrops(tx);
    await tx.define({ ...tableDrop(tableName), deletes: true });
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'lock_not_available') throw error;
    // Uses the database's own code for a lost race, so that the transaction is tried again.
    throw new AppError('concurrent_modification', {
      detail: 'The rows of the schema are being read. Try again in a moment.',
      cause: error,
    });
  }
}

/** True when the table has more rows than `rows`. */
export async function hasMoreRows(tx: Tx, table: string, rows: number): Promise<boolean> {
  return (await tx.define({ text: `select from ${table} offset $1 limit 1`, values: [rows] })).length > 0;
}

/** For the rest of the transaction: a lock that is not free within this time is an error (`lock_not_available`). */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [`${Math.ceil(ms)}ms`]);
}

/**
 * Changing a table takes a lock that readers queue behind as soon as it's requested, so request it only briefly
 * (docs/design/api-settled.md 17). Lock everything else that the transaction needs before.
 */
const limitTableWait = (tx: Tx): Promise<void> => limitLockWait(tx, 200);

/** Adds a column immediately, with its index when it's unique. Readers wait. */
export async function addColumn(tx: Tx, tableName: string, field: SchemaField): Promise<void> {
  await lockDefinitions(tx, tableName);
  await limitTableWait(tx);
  await tx.define({
    text: 'select arbiter.ds_add_column($1, $2::jsonb)',
    values: [tableName, JSON.stringify(column(field))],
    undo: columnDrop(tableName, field.name),
    startsClean: true,
  });
}

/** Creates the index that finds rows by a column, unless it exists. Writers wait, readers don't. */
export async function indexColumn(tx: Tx, tableName: string, name: string): Promise<void> {
  await tx.define({ text: 'select arbiter.ds_index_column($1, $2)', values: [tableName, name] });
}

/**
 * Creates the index that finds rows by a column, newest first by another one, unless the column is unique or such an
 * index exists. Writers wait, readers don't.
 */
export async function indexGroup(tx: Tx, tableName: string, name: string, order: string): Promise<void> {
  await tx.define({ text: 'select arbiter.ds_index_group($1, $2, $3)', values: [tableName, name, order] });
}

/** Drops a column with its data and indexes. */
export async function dropColumn(tx: Tx, tableName: string, name: string): Promise<void> {
  await limitTableWait(tx);
  await noteDrops(tx);
  await tx.define({ ...columnDrop(tableName, name), deletes: true });
}

export const columnDrop = (tableName: string, name: string) => ({
  text: 'select arbiter.ds_drop_column($1, $2)',
  values: [tableName, name],
});

/** Name of a column that is not complete yet. Names rise with the ids, and so with time. */
export const unfinishedName = (id: string): string => `__new_${id.replaceAll('-', '')}`;

/** Adds the column of a field under the name of an unfinished one. See `ds_begin_column` in its migration. */
export async function beginColumn(tx: Tx, tableName: string, pending: string, field: SchemaField): Promise<void> {
  const definition = { ...column(field), name: pending };
  await limitTableWait(tx);
  await tx.define({
    text: 'select arbiter.ds_begin_column($1, $2::jsonb)',
    values: [tableName, JSON.stringify(definition)],
  });
}

/**
 * Gives the default, a random UUID, to the next `rows` rows behind a primary key, as text (null: from the first row), that have no value.
 * Answers with the last key of them, null when no row is left behind it.
 */
export async function fillColumn(
  tx: Tx,
  table: SchemaTable,
  pending: string,
  after: string | null,
  rows: number,
): Promise<string | null> {
  const key = table.columns.find(({ name }) => name === table.primaryKey);
  if (key === undefined) throw new Error(`schema ${table.schemaId} has no primary key`);
  const [name, target, type] = [quoteName(key.name), quoteName(pending), sqlType(key.dataType)];
  const behind = `($1::${type} is null or ${name} > $1::${type})`;
  const [end] = await tx.query<{ last: string }>(
    `select ${exactText(key.dataType, name)} as last from ${table.table} where ${behind}
     order by ${name} offset $2 limit 1`,
    [after, rows - 1],
  );
  const last = end?.last ?? null;
  // A range of keys and no list of them: whatever the planner knows of the table, it goes through it once at most.
  await tx.query(
    `update ${table.table} set ${target} = ${tx.isCluster ? `arbiter.random_uuid(${name})` : 'default'}
     where tenant_id = $3 and ${behind} and ($2::${type} is null or ${name} <= $2::${type}) and ${target} is null`,
    [after, last, tx.tenantId],
  );
  return last;
}

/** A key as text that casts back to the same value. */
const exactText = (dataType: SchemaTable['columns'][number]['dataType'], name: string): string =>
  dataType === 'char' ? outForm('char').select(name) : `${name}::text`;

/** Runs one of the three steps that make a filled column `not null`. See `ds_begin_column` in its migration. */
export async function requireColumn(tx: Tx, tableName: string, pending: string, step: 1 | 2 | 3): Promise<void> {
  await limitTableWait(tx);
  await tx.define({ text: 'select arbiter.ds_require_column($1, $2, $3)', values: [tableName, pending, step] });
}

/** Builds the index of a unique column. Writers wait, readers don't. */
export async function uniqueColumn(tx: Tx, tableName: string, pending: string): Promise<void> {
  await tx.define({ text: 'select arbiter.ds_unique_column($1, $2)', values: [tableName, pending] });
}

export async function finishColumn(tx: Tx, tableName: string, pending: string, name: string): Promise<void> {
  await lockDefinitions(tx, tableName);
  await limitTableWait(tx);
  const rename = (from: string, to: string) => ({
    text: 'select arbiter.ds_finish_column($1, $2, $3)',
    values: [tableName, from, to],
  });
  await tx.define({ ...rename(pending, name), undo: rename(name, pending) });
}

/** Drops unfinished columns with this name or a lower one. */
export async function dropUnfinished(tx: Tx, tableName: string, upTo: string): Promise<void> {
  await limitTableWait(tx);
  await tx.define({ text: 'select arbiter.ds_drop_unfinished($1, $2)', values: [tableName, upTo] });
}

/** Names of the tenant's tables, whether or not a schema uses them. */
export async function selectTables(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 't_' || replace($1, '-', '') and c.relkind = 'r' and starts_with(c.relname, 'ds_') order by 1`,
    [tx.tenantId],
  );
  return rows.map(({ name }) => name);
}

/** Names of a table's columns for fields, whether or not a field uses them. Leaves out unfinished ones. */
export async function selectColumns(tx: Tx, tableName: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select a.attname as name from pg_attribute a
       join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 't_' || replace($1, '-', '') and c.relname = $2 and a.attnum > 0 and not a.attisdropped
        and a.attname not in ('tenant_id', 'id') and not starts_with(a.attname, '__')`,
    [tx.tenantId, tableName],
  );
  return rows.map(({ name }) => name);
}
