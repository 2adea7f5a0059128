import type { Tx } from '../../../../db/index.ts';
import { outForm } from '../rows/values-out.rules.ts';
import { quoteName, type SchemaColumn, type SchemaTable } from '../schema-tables.store.ts';

/** A column with more different texts holds free text or names. */
const maxTexts = 200;
/** Rows that show most columns of free text, without reading the rest. */
const firstRows = 2_000;

/** Returns all different texts of a column; null if there are many. */
export async function selectTexts(
  tx: Tx,
  { table }: SchemaTable,
  { name, dataType }: SchemaColumn,
): Promise<readonly string[] | null> {
  const column = quoteName(name);
  const rows = `select ${outForm(dataType).select(column)} as v from ${table} where ${column} is not null`;
  const [row] = await tx.query<{ texts: readonly string[] | null }>(
    `with first as materialized (${rows} limit ${firstRows})
     select case when (select count(distinct v) from first) <= ${maxTexts}
       then (select coalesce(json_agg(v), '[]') from (select distinct v from (${rows}) every limit ${maxTexts + 1}) texts)
       end as texts`,
  );
  const texts = row?.texts ?? null;
  return texts === null || texts.length > maxTexts ? null : texts;
}
