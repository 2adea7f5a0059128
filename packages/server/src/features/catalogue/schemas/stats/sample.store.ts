import type { Tx } from '../../../../db/tx.ts';
import type { JsonValue } from '../rows/values.rules.ts';
import { outForm } from '../rows/values-out.rules.ts';
import { quoteName, type SchemaTable } from '../schema-tables.store.ts';

/** A row of a sample: its key as customers are named by it, and one column. */
export interface SampledRow {
  readonly key: string;
  readonly value: JsonValue;
}

/**
 * Returns up to `limit` rows in the order of a hash of their row key, so that repeating a question uses the same rows.
 * Of several rows with one key the one with the highest primary key counts, as in decisions. `column` null: only keys.
 */
export async function sampleRows(
  tx: Tx,
  table: SchemaTable,
  column: string | null,
  limit: number,
): Promise<SampledRow[]> {
  const key = quoteName(table.rowKey);
  const typeOf = (name: string) => table.columns.find((candidate) => candidate.name === name)?.dataType ?? 'text';
  const form = column === null ? null : outForm(typeOf(column));
  const value = column === null || form === null ? 'null' : form.select(quoteName(column));
  const rows = await tx.query<{ k: string; v: unknown }>(
    `select k, v from (
       select distinct on (${key}) ${key}::text as k, ${value} as v from ${table.table}
       where ${key} is not null order by ${key}, ${quoteName(table.primaryKey)} desc) newest
     order by md5(k), k collate "C" limit $1`,
    [limit],
  );
  return rows.map(({ k, v }) => ({ key: k, value: form === null ? null : form.convert(v) }));
}
