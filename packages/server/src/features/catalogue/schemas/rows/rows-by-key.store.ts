import { createHash } from 'node:crypto';
import type { DataType } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { sqlType } from '../fields/data-types.ts';
import { quoteName, readSchemaTables, type SchemaTable } from '../schema-tables.store.ts';
import { type JsonValue, Misfit, valueCheck } from './values.rules.ts';
import { keyText, outForm } from './values-out.rules.ts';

/** A row in out form (table 2.1 of docs/design/api-catalogue.md), by column name. */
export type TableRow = Readonly<Record<string, JsonValue>>;

/** One prepared statement that reads the rows of many keys. Its only parameter is `keys(...)`. */
export interface RowsByKey {
  /** The same for the same text and column types: a name for a prepared statement. */
  readonly name: string;
  readonly text: string;
  /** The parameter: those keys that a row could have. `007` is left out for an integer column, because its rows have `7`. */
  keys(keys: readonly string[]): readonly string[];
  /** Returns rows by key from the statement's result. A key without a row is missing. */
  parse(rows: readonly Readonly<Record<string, unknown>>[]): ReadonlyMap<string, TableRow>;
}

/**
 * Returns the statement that reads `columns` of the rows whose `keyColumn` is one of the keys, compared as text in out
 * form (docs/design/api-catalogue.md 2.2 no. 4). Of several rows with one key the one with the highest primary key
 * counts. Runs under row-level security of the tenant that owns the table. Throws when the table has no such column.
 */
export function rowsByKeyStatement(table: SchemaTable, keyColumn: string, columns: readonly string[]): RowsByKey {
  const typeOf = (name: string): DataType => {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`schema ${table.schemaId} has no column ${name}`);
    return column.dataType;
  };
  const keyType = typeOf(keyColumn);
  const key = quoteName(keyColumn);
  const keyForm = outForm(keyType);
  const forms = columns.map((name, index) => ({ name, form: outForm(typeOf(name)), as: `c${index}` }));
  const selected = forms.map(({ name, form, as }) => `${form.select(quoteName(name))} as ${as}`);
  const text =
    `select distinct on (${key}) ${[`${keyForm.select(key)} as k`, ...selected].join(', ')} from ${table.table} ` +
    `where ${key} = any ($1::${sqlType(keyType)}[]) order by ${key}, ${quoteName(table.primaryKey)} desc`;
  // A recreated column may have another type under the same text, and a statement prepared for the old one would fail
  // on its connection forever.
  const types = [keyType, ...columns.map(typeOf)].join(' ');
  return {
    name: `rows_${createHash('sha256').update(`${types}\n${text}`).digest('hex').slice(0, 32)}`,
    text,
    keys: (keys) => keys.filter((candidate) => canBeKey(keyType, candidate)),
    parse(rows) {
      const found = new Map<string, TableRow>();
      for (const raw of rows) {
        const at = keyText(keyForm.convert(raw.k));
        if (at === null) continue;
        const row: Record<string, JsonValue> = {};
        for (let index = 0; index < forms.length; index += 1) {
          const { name, form, as } = forms[index]!;
          row[name] = form.convert(raw[as]);
        }
        found.set(at, row);
      }
      return found;
    },
  };
}

/** Whether a table has any row, as a statement of the hot path. */
export function hasRowsStatement({ table }: SchemaTable) {
  const text = `select exists (select from ${table}) as found`;
  return { name: `filled_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text, values: [] };
}

/** True when a value of the type can have this out form. Rows are found by the column's own order, so text types pass. */
export function canBeKey(dataType: DataType, candidate: string): boolean {
  switch (dataType) {
    case 'varchar':
    case 'text':
      return true;
    case 'char':
      return !candidate.endsWith(' ');
    case 'jsonb':
      return false;
    case 'boolean':
      return candidate === 'true' || candidate === 'false';
    case 'real':
    case 'double':
      return Number.isFinite(Number(candidate)) && String(Number(candidate)) === candidate;
    default: {
      const value = valueCheck({ dataType, length: null, precision: null, scale: null })(candidate);
      // One spelling per value: another spelling of the same value is another key.
      return !(value instanceof Misfit) && keyText(value) === candidate;
    }
  }
}

/** Reads rows by row key inside a transaction; see `rowsByKeyStatement`. */
export async function readRowsByKey(
  tx: Tx,
  table: SchemaTable,
  columns: readonly string[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, TableRow>> {
  const statement = rowsByKeyStatement(table, table.rowKey, columns);
  return statement.parse(await tx.query(statement.text, [statement.keys(keys)]));
}

/** Returns the row with one key, or null. */
export async function readOneByKey(tx: Tx, { text, keys, parse }: RowsByKey, key: string): Promise<TableRow | null> {
  return parse(await tx.query(text, [keys([key])])).get(key) ?? null;
}

/**
 * Returns up to `limit` distinct row keys of a schema in output form, in ascending order, after `after`. Empty if the schema no
 * longer exists.
 */
export async function selectRowKeys(tx: Tx, schemaId: string, after: string | null, limit: number): Promise<string[]> {
  const table = (await readSchemaTables(tx)).find((each) => each.schemaId === schemaId);
  const type = table?.columns.find(({ name }) => name === table.rowKey)?.dataType;
  if (table === undefined || type === undefined) return [];
  const key = quoteName(table.rowKey);
  const form = outForm(type);
  const rows = await tx.query<{ readonly k: unknown }>(
    `select ${form.select('key')} as k from (select distinct ${key} as key from ${table.table}
      where ${key} is not null and ($1::text is null or ${key} > $1::${sqlType(type)}) order by ${key} limit $2) keys
      order by key`,
    [after, limit],
  );
  return rows.map(({ k }) => keyText(form.convert(k)) ?? '');
}
