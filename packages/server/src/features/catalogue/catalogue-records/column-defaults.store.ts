import type { Resource } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { tableOf } from './record-spec.ts';

interface DefaultOfColumn {
  readonly name: string;
  /** SQL text of the default; null: none. */
  readonly expression: string | null;
  readonly nullable: boolean;
}

const camelCase = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Defaults of the columns of a table; the tables of a running server do not change. */
const known = new Map<string, ReadonlyMap<string, Json>>();

/**
 * Returns a new record's values where nothing is given: the columns' defaults, null for a nullable column without one.
 * By property (camelCase); required columns are missing.
 */
export async function readColumnDefaults(tx: Tx, resource: Resource): Promise<ReadonlyMap<string, Json>> {
  const table = tableOf(resource);
  const read = known.get(table);
  if (read !== undefined) return read;
  const columns = await tx.query<DefaultOfColumn>(
    `select a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression, not a.attnotnull as nullable
       from pg_catalog.pg_attribute a
       left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ('arbiter.' || $1)::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  );
  const withDefault = columns.filter(({ expression }) => expression !== null);
  // The expressions are those of our own schema, constants all of them.
  const list = withDefault.map(({ expression }, at) => `to_jsonb(${expression}) as v${at}`).join(', ');
  const [values] = withDefault.length === 0 ? [{}] : await tx.query<Record<string, Json>>(`select ${list}`);
  const defaults = new Map<string, Json>();
  for (const { name, expression, nullable } of columns)
    if (expression === null && nullable) defaults.set(camelCase(name), null);
  for (const [at, { name }] of withDefault.entries()) defaults.set(camelCase(name), values?.[`v${at}`] ?? null);
  known.set(table, defaults);
  return defaults;
}
