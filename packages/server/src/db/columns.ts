import type { Tables } from './rows.ts';
import type { Tx } from './tx.ts';

/**
 * Select lists and their row types come from one list of columns that the schema dump knows (rows.ts): you can't show a
 * column that isn't read, or read one that isn't in the table.
 */

export type TableName = keyof Tables;

/** Narrower types for a table's columns: JSON, and texts whose values a feature restricts to its own list. */
export type Narrowing<T extends TableName, N> = {
  readonly [C in keyof N]: C extends keyof Tables[T] ? Tables[T][C] : never;
};

/** A table row with narrower types for some columns. Naming a column the table doesn't have is a compile error. */
export type NarrowRow<T extends TableName, N extends Narrowing<T, N>> = {
  readonly [C in keyof Tables[T]]: C extends keyof N ? N[C] : Tables[T][C];
};

declare const rowOf: unique symbol;

/** A table by its name in the database, with the type of its rows. */
export interface RowSource<Row> {
  readonly table: TableName;
  /** For the compiler only. The property doesn't exist at run time. */
  readonly [rowOf]?: Row;
}

/**
 * Returns the table with this name. `table<'api_keys', { scopes: ApiKeyScope[] }>('api_keys')` narrows some columns.
 */
export function table<T extends TableName, N extends Narrowing<T, N> = Record<never, never>>(
  name: T,
): RowSource<NarrowRow<T, N>> {
  return { table: name };
}

/** All or part of a select list, with the type of its result. */
export interface Columns<Row> {
  readonly sql: string;
  readonly [rowOf]?: Row;
}

/** The row type of a select list. */
export type RowOf<L> = L extends Columns<infer Row> ? Row : never;

/** A camelCase column as the database writes it: `category_id`. */
export const columnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a select list of these columns. `alias` is the table's name in the statement. */
export function columns<Row, const C extends keyof Row & string>(
  _source: RowSource<Row>,
  names: readonly C[],
  alias?: string,
): Columns<Pick<Row, C>> {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return { sql: names.map((name) => `${prefix}"${columnName(name)}" as "${name}"`).join(', ') };
}

/** Returns the columns of the far side of a left join, where each may be null. */
export function optional<Row>({ sql }: Columns<Row>): Columns<{ readonly [C in keyof Row]: Row[C] | null }> {
  return { sql };
}

/** An SQL expression with the type of its value. The writer vouches for the type. */
export interface Expression<V> {
  readonly sql: string;
  readonly [rowOf]?: V;
}

/** Any expression: `expression<boolean>('used > 0')`. */
export function expression<V>(sql: string): Expression<V> {
  return { sql };
}

/** Returns a non-null instant as epoch ms. */
export const epochMs = (sql: string): Expression<number> => ({ sql: `(extract(epoch from ${sql}) * 1000)::float8` });

/** Returns expressions as part of a select list, keyed by the names of their values. */
export function computed<V extends object>(
  expressions: { readonly [N in keyof V]: Expression<V[N]> },
): Columns<{ readonly [N in keyof V]: V[N] }> {
  return {
    sql: Object.entries<Expression<unknown>>(expressions)
      .map(([name, { sql }]) => `${sql} as "${name}"`)
      .join(', '),
  };
}

type All<L> = L extends readonly [Columns<infer Row>, ...infer Rest] ? Row & All<Rest> : unknown;

/** Joins several parts into one select list. */
export function selectList<const L extends readonly Columns<unknown>[]>(...parts: L): Columns<All<L>> {
  return { sql: parts.map((part) => part.sql).join(', ') };
}

/** Runs `select <list> <rest>`. `rest` begins with `from`. */
export async function select<Row>(
  tx: Tx,
  selected: Columns<Row>,
  rest: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  return tx.query<Row>(`select ${selected.sql} ${rest}`, parameters);
}
