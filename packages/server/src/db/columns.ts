import type { Tables } from './rows.ts';
import type { Tx } from './tx.ts';

/**
 * Select lists and the types of their rows, both made from one list of columns that the schema dump knows (rows.ts): a
 * column that is not read cannot be shown, and one that is not in the table cannot be read.
 */

export type TableName = keyof Tables;

/** Narrower types for columns of a table: JSON, and texts whose values a feature keeps to a list of its own. */
export type Narrowing<T extends TableName, N> = {
  readonly [C in keyof N]: C extends keyof Tables[T] ? Tables[T][C] : never;
};

/** A row of a table, with narrower types for some columns; a name that is not a column of the table does not compile. */
export type NarrowRow<T extends TableName, N extends Narrowing<T, N>> = {
  readonly [C in keyof Tables[T]]: C extends keyof N ? N[C] : Tables[T][C];
};

declare const rowOf: unique symbol;

/** A table by its name in the database, with the type of its rows. */
export interface RowSource<Row> {
  readonly table: TableName;
  /** For the compiler only: there is no such property at run time. */
  readonly [rowOf]?: Row;
}

/** The table of this name. `table<'api_keys', { scopes: ApiKeyScope[] }>('api_keys')` says more of some columns. */
export function table<T extends TableName, N extends Narrowing<T, N> = Record<never, never>>(
  name: T,
): RowSource<NarrowRow<T, N>> {
  return { table: name };
}

/** A select list or part of one, with the type of what it gives. */
export interface Columns<Row> {
  readonly sql: string;
  readonly [rowOf]?: Row;
}

/** The type of the rows that a select list gives. */
export type RowOf<L> = L extends Columns<infer Row> ? Row : never;

/** A camelCase column as the database writes it: `category_id`. */
export const columnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** These columns of a table as a select list; `alias` is what the statement calls the table. */
export function columns<Row, const C extends keyof Row & string>(
  _source: RowSource<Row>,
  names: readonly C[],
  alias?: string,
): Columns<Pick<Row, C>> {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return { sql: names.map((name) => `${prefix}"${columnName(name)}" as "${name}"`).join(', ') };
}

/** Columns of the far side of a left join: each may be null. */
export function optional<Row>({ sql }: Columns<Row>): Columns<{ readonly [C in keyof Row]: Row[C] | null }> {
  return { sql };
}

/** An SQL expression with the type of its value, which is the writer's promise. */
export interface Expression<V> {
  readonly sql: string;
  readonly [rowOf]?: V;
}

/** Any expression: `expression<boolean>('used > 0')`. */
export function expression<V>(sql: string): Expression<V> {
  return { sql };
}

/** An instant that is not null as epoch ms. */
export const epochMs = (sql: string): Expression<number> => ({ sql: `(extract(epoch from ${sql}) * 1000)::float8` });

/** Expressions as part of a select list, by the names of their values. */
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

/** One select list of several parts. */
export function selectList<const L extends readonly Columns<unknown>[]>(...parts: L): Columns<All<L>> {
  return { sql: parts.map((part) => part.sql).join(', ') };
}

/** Runs `select <list> <rest>`; `rest` begins with `from`. */
export async function select<Row>(
  tx: Tx,
  selected: Columns<Row>,
  rest: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  return tx.query<Row>(`select ${selected.sql} ${rest}`, parameters);
}
