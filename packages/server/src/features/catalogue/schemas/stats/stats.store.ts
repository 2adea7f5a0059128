import type { SchemaStats } from '@arbiter/contract';
import { columns, select, table } from '../../../../db/columns.ts';
import type { Tx } from '../../../../db/tx.ts';
import { outForm } from '../rows/values-out.rules.ts';
import { quoteName, type SchemaColumn, type SchemaTable } from '../schema-tables.store.ts';
import { isNumeric, numberOut } from './stats.rules.ts';

type FieldStats = SchemaStats['fields'][number];

const stored = columns(table<'schema_stats', { stats: SchemaStats | null }>('schema_stats'), ['stats', 'countedAt']);

/** Figures that were counted at or after `since`, of this version of the schema, or null. */
export async function readStats(tx: Tx, schemaId: string, version: number, since: Date): Promise<SchemaStats | null> {
  const [row] = await select(
    tx,
    stored,
    'from arbiter.schema_stats where tenant_id = $1 and schema_id = $2 and version = $3 and counted_at >= $4',
    [tx.tenantId, schemaId, version, since],
  );
  return row?.stats ?? null;
}

/** Marks that counting is in progress. Call it while nobody writes rows: later writers remove the mark. */
export async function markCounting(tx: Tx, schemaId: string, version: number, mark: string): Promise<void> {
  await tx.query(
    `insert into arbiter.schema_stats as s (tenant_id, schema_id, version, mark, counted_at) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, schema_id) do update
       set version = excluded.version, mark = excluded.mark, stats = null, counted_at = excluded.counted_at`,
    [tx.tenantId, schemaId, version, mark, tx.now],
  );
}

/** Stores the result, unless rows were written since the mark. */
export async function keepStats(tx: Tx, schemaId: string, mark: string, stats: SchemaStats): Promise<void> {
  await tx.query(
    `update arbiter.schema_stats set stats = $4, counted_at = $5 where tenant_id = $1 and schema_id = $2 and mark = $3`,
    [tx.tenantId, schemaId, mark, JSON.stringify(stats), stats.cachedAt],
  );
}

/** Invalidates the figures in all processes, because rows or a column changed. */
export async function forgetStats(tx: Tx, schemaId: string): Promise<void> {
  await tx.query('delete from arbiter.schema_stats where tenant_id = $1 and schema_id = $2', [tx.tenantId, schemaId]);
}

/** Rows of the table, exactly. */
export async function countRows(tx: Tx, { table: name }: SchemaTable): Promise<number> {
  const [row] = await tx.query<{ total: number }>(`select count(*)::float8 as total from ${name}`);
  return row?.total ?? 0;
}

interface ColumnCounts {
  readonly distinctCount: number;
  readonly nullCount: number;
  readonly min: unknown;
  readonly max: unknown;
  readonly avg: number | null;
  readonly top: readonly { readonly value: string | boolean; readonly count: number }[] | null;
}

/**
 * Returns figures of one column, for one row in `every` (1: all). A hash of the key picks the sample, so all columns
 * use the same rows.
 */
export async function countColumn(tx: Tx, of: SchemaTable, column: SchemaColumn, every: number): Promise<FieldStats> {
  const { name, dataType } = column;
  const value = quoteName(name);
  const key = `hashtextextended(${quoteName(of.primaryKey)}::text, 0)`;
  const sample = every === 1 ? '' : ` where ${key} % ${Math.trunc(every)} = 0`;
  const { select: shown, convert } = outForm(dataType);
  const groups = `with g as materialized (select ${value} as v, count(*) as n from ${of.table}${sample} group by 1)
    select count(v)::float8 as "distinctCount", coalesce(sum(n) filter (where v is null), 0)::float8 as "nullCount", `;
  const figures = isNumeric(dataType)
    ? `${groups} min(v)::text as min, max(v)::text as max, ${asDouble(meanOf)} as avg, null as top from g`
    : `${groups} null as min, null as max, null as avg, ${dataType === 'jsonb' ? 'null' : topOf(shown('v'))} as top from g`;
  const [row] = await tx.query<ColumnCounts>(figures);
  if (row === undefined) throw new Error('an aggregate has one row');
  const { distinctCount, nullCount, min, max, avg, top } = row;
  if (!isNumeric(dataType)) return { name, type: 'text', distinctCount, nullCount, topValues: [...(top ?? [])] };
  const out = (raw: unknown) => numberOut(dataType, raw, convert);
  return { name, type: 'numeric', distinctCount, nullCount, min: out(min), max: out(max), avg };
}

const meanOf = '(sum(v::numeric * n) filter (where v is not null) / nullif(sum(n) filter (where v is not null), 0))';

/** A numeric may be larger than any double. */
const asDouble = (value: string): string => `case when abs(${value}) < 1e308 then ${value}::float8 end`;

const topOf = (shown: string): string =>
  `(select json_agg(json_build_object('value', value, 'count', n) order by n desc, value::text collate "C")
    from (select ${shown} as value, n from g where v is not null order by n desc, (${shown})::text collate "C" limit 5) t)`;
