import type { DataType } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import { sqlType } from '../fields/data-types.ts';
import { quoteName, type SchemaTable } from '../schema-tables.store.ts';
import type { WrittenRow } from '../schemas.events.ts';
import type { CheckedRow } from './rows.rules.ts';
import type { JsonValue } from './values.rules.ts';
import { keyText, outForm } from './values-out.rules.ts';

export interface WrittenRows {
  readonly inserted: number;
  readonly updated: number;
}

function typeOf(table: SchemaTable, name: string): DataType {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`schema ${table.schemaId} has no column ${name}`);
  return column.dataType;
}

/**
 * What happens to a row whose unique key another row has: it's left out, it overwrites the columns of the row with that
 * key, or the statement fails, which is the cheapest by far.
 */
export type OnExisting = 'skip' | 'fail' | { readonly updateBy: string };

/** Reads the rows of one statement from parameter 1 and the tenant from parameter 2, and says where they go. */
function insertOf(table: SchemaTable, columns: readonly string[], onExisting: OnExisting): string {
  const names = columns.map(quoteName);
  const source = columns.length === 0 ? 'json_array_elements($1::json)' : recordset(table, columns);
  // The default of tenant_id reads the setting again for each row.
  // Only `withIds` names the counting column.
  const overriding = table.isCounted && columns.includes(table.primaryKey) ? 'overriding system value ' : '';
  const insert = `insert into ${table.table} (${['tenant_id', ...names].join(', ')})
    ${overriding}select ${['$2::uuid', ...names].join(', ')} from ${source}`;
  if (onExisting === 'fail') return insert;
  if (onExisting === 'skip') return `${insert} on conflict do nothing`;
  const changed = names.filter((_, at) => !(table.isCounted && columns[at] === table.primaryKey));
  const changes = changed.map((name) => `${name} = excluded.${name}`).join(', ');
  return `${insert} on conflict (tenant_id, ${quoteName(onExisting.updateBy)}) do update set ${changes}`;
}

const recordset = (table: SchemaTable, columns: readonly string[]): string =>
  'json_to_recordset($1::json) as given (' +
  `${columns.map((name) => `${quoteName(name)} ${sqlType(typeOf(table, name))}`).join(', ')})`;

interface RowsToWrite {
  readonly columns: readonly string[];
  readonly rows: readonly CheckedRow[];
}

/**
 * On a cluster, takes the numbers of the counting column first: Citus can't count in a statement that runs on a worker, and
 * COPYs rows that it counts on the coordinator, which row-level security forbids.
 */
async function withIds(tx: Tx, table: SchemaTable, { columns, rows }: RowsToWrite): Promise<RowsToWrite> {
  if (!(tx.isCluster && table.isCounted)) return { columns, rows };
  const [taken] = await tx.query<{ ids: string[] }>('select arbiter.ds_take_ids($1, $2)::text[] as ids', [
    table.table,
    rows.length,
  ]);
  return {
    columns: [table.primaryKey, ...columns],
    rows: rows.map((row, at) => ({ ...row, [table.primaryKey]: taken?.ids[at] ?? null })),
  };
}

/**
 * Writes rows with the same columns in one statement, however many there are. `skip` leaves out rows that break any
 * unique key, and the first of equal ones stays.
 */
export async function writeRows(
  tx: Tx,
  table: SchemaTable,
  given: RowsToWrite,
  onExisting: OnExisting,
): Promise<WrittenRows> {
  const { columns, rows } = await withIds(tx, table, given);
  if (onExisting === 'fail') {
    await tx.query(insertOf(table, columns, onExisting), [await jsonOf(rows), tx.tenantId]);
    return { inserted: rows.length, updated: 0 };
  }
  const [result] = await tx.query<WrittenRows>(
    `with written as (${insertOf(table, columns, onExisting)} returning (xmax = 0) as is_new)
     select count(*) filter (where is_new)::int as inserted, count(*) filter (where not is_new)::int as updated
     from written`,
    [await jsonOf(rows), tx.tenantId],
  );
  return result ?? { inserted: 0, updated: 0 };
}

/**
 * Writes rows of the same columns that no unique key of the table knows; answers with the keys, as text, of those that were
 * written.
 */
export async function writeNewRows(
  tx: Tx,
  table: SchemaTable,
  columns: readonly string[],
  rows: readonly CheckedRow[],
): Promise<ReadonlySet<string>> {
  const written = await tx.query<{ key: string }>(
    `${insertOf(table, columns, 'skip')} returning ${quoteName(table.primaryKey)}::text as key`,
    [await jsonOf(rows), tx.tenantId],
  );
  return new Set(written.map(({ key }) => key));
}

/** Deletes all rows, as the tenant that owns them: emptying the table at once would ask for more rights than the application has. */
export async function deleteRows(tx: Tx, table: SchemaTable): Promise<void> {
  await tx.query(`delete from ${table.table} where tenant_id = $1`, [tx.tenantId]);
}

/** A value as text that casts back to the same value; none for null, which equals nothing. */
const textOf = (type: DataType, value: JsonValue): string[] =>
  value === null ? [] : [type === 'jsonb' ? JSON.stringify(value) : String(value)];

/** Which rows a statement will overwrite, for its parameter 3, and how to match them with the new ones. */
interface Existing {
  readonly where: string;
  readonly matches: string;
  readonly parameters: readonly (readonly string[])[];
}

/** Locks the rows to be overwritten, so that nobody changes them between reading and writing. */
async function lockExisting(
  tx: Tx,
  table: SchemaTable,
  rows: readonly CheckedRow[],
  conflictKey: string | null,
): Promise<Existing> {
  if (conflictKey === null) return { where: 'false', matches: 'false', parameters: [] };
  const key = quoteName(conflictKey);
  const type = typeOf(table, conflictKey);
  const keys = rows.flatMap((row) => textOf(type, row[conflictKey] ?? null));
  // An array, which the index of the key answers whatever the planner knows of the table.
  const isOneOf = (place: string): string => `${key} = any (${place}::text[]::${sqlType(type)}[])`;
  await tx.query(`select from ${table.table} where ${isOneOf('$1')} order by ${key} for update`, [keys]);
  return { where: isOneOf('$3'), matches: `b.${key} = w.${key}`, parameters: [keys] };
}

/** Like `writeRows`, and returns for each written row which columns changed. */
export async function writeAndCompare(
  tx: Tx,
  table: SchemaTable,
  given: RowsToWrite,
  onExisting: OnExisting,
): Promise<WrittenRow[]> {
  const { columns, rows } = await withIds(tx, table, given);
  // Without the counting column, which isn't a field.
  const all = table.columns.map(({ name }) => name).filter((name) => !(table.isCounted && name === table.primaryKey));
  const json = await jsonOf(rows);
  const key = typeof onExisting === 'object' && columns.includes(onExisting.updateBy) ? onExisting.updateBy : null;
  const before = await lockExisting(tx, table, rows, key);
  const keyForm = outForm(typeOf(table, table.rowKey));
  // A field cannot have the name `__is_new`.
  const changed = all.map(
    (name, at) => `case when w.${quoteName(name)} is distinct from b.${quoteName(name)} then ${at} end`,
  );
  const found = await tx.query<{ isNew: boolean; key: unknown; changed: number[] }>(
    `with before as materialized (select * from ${table.table} where ${before.where}),
       written as (${insertOf(table, columns, onExisting)} returning (xmax = 0) as "__is_new", *)
     select w."__is_new" as "isNew", ${keyForm.select(`w.${quoteName(table.rowKey)}`)} as key,
       array_remove(array[${changed.join(', ')}]::int[], null) as changed
     from written w left join before b on ${before.matches}`,
    [json, tx.tenantId, ...before.parameters],
  );
  return found.map((row) => ({
    isNew: row.isNew,
    key: keyText(keyForm.convert(row.key)),
    changed: row.changed.flatMap((at) => all[at] ?? []),
  }));
}

/** Rows to serialize between two checks of the clock. */
const rowsAtOnce = 100;

/** Returns the rows as one JSON text, built a few at a time, because thousands of them would block others. */
async function jsonOf(rows: readonly CheckedRow[]): Promise<string> {
  const turns = takeTurns();
  const parts: string[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    parts.push(JSON.stringify(rows.slice(at, at + rowsAtOnce)).slice(1, -1));
    await turns();
  }
  return `[${parts.join(',')}]`;
}

/** A page of rows in out form, all columns in order, by primary key. */
export async function selectRows(
  tx: Tx,
  table: SchemaTable,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rows: Record<string, JsonValue>[] }> {
  const forms = table.columns.map(({ name, dataType }) => ({ name, form: outForm(dataType) }));
  const selected = forms.map(({ name, form }, index) => `${form.select(quoteName(name))} as c${index}`);
  const [count] = await tx.query<{ total: number }>(`select count(*)::float8 as total from ${table.table}`);
  const rows = await tx.query(
    `select ${selected.join(', ')} from ${table.table} order by ${quoteName(table.primaryKey)} limit $1 offset $2`,
    [page.limit, page.offset],
  );
  return {
    total: count?.total ?? 0,
    rows: rows.map((raw) =>
      Object.fromEntries(forms.map(({ name, form }, index) => [name, form.convert(raw[`c${index}`])])),
    ),
  };
}

/** Rows as the database writes them, so that a thread can read them. */
export interface RowTexts {
  /** The values of each column as a JSON array, before `outForm(...).convert`. */
  readonly columns: readonly string[];
  readonly count: number;
  /** The last row's primary key as text. */
  readonly last: string | null;
}

/** Returns the next rows by primary key, with these columns. */
export async function selectRowTexts(
  tx: Tx,
  table: SchemaTable,
  names: readonly string[],
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<RowTexts> {
  const key = quoteName(table.primaryKey);
  const keyType = sqlType(typeOf(table, table.primaryKey));
  const values = names.map((name, at) => `${outForm(typeOf(table, name)).select(quoteName(name))} as c${at}`);
  const [page = {}] = await tx.query<Record<string, unknown>>(
    `select count(*)::int as count, (array_agg(key))[count(*)] as last,
       ${names.map((_, at) => `json_agg(c${at})::text as c${at}`).join(', ')}
     from (select ${key}::text as key, ${values.join(', ')} from ${table.table}
       where $1::text is null or ${key} > $1::${keyType} order by ${key} limit $2) page`,
    [after, limit],
  );
  const { count = 0, last = null } = page as Partial<RowTexts>;
  return { count, last, columns: names.map((_, at) => String(page[`c${at}`] ?? '[]')) };
}

/** True when the table is there. */
export async function tableExists(tx: Tx, table: SchemaTable): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>('select to_regclass($1) is not null as found', [table.table]);
  return row?.found ?? false;
}

/** True when the table has at least one row. */
export async function hasRows(tx: Tx, { table }: SchemaTable): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(`select exists (select from ${table}) as found`);
  return row?.found ?? false;
}
