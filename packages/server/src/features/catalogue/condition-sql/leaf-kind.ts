import type { DataType } from '@arbiter/contract';
import type { Scalar } from '@arbiter/engine';
import type { SqlLiterals } from './literals.store.ts';

/** A column as conditions read it. */
export interface SqlColumn {
  /** Qualified and quoted: `b."age"`. */
  readonly sql: string;
  readonly dataType: DataType;
  /** Digits of decimal and numeric; null: unlimited. */
  readonly precision: number | null;
}

/** What every piece of a statement's conditions shares. */
export interface SqlContext {
  readonly literals: SqlLiterals;
  /** SQL of the instant that days are counted from: timestamptz of whole milliseconds. Only asked for where it is used. */
  now(): string;
}

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

export const signs: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** SQL of what never holds. */
export const never = 'false';

/** How the values of one kind of column are asked. Each piece is null or false where there is no value. */
export interface LeafKind {
  compare(comparison: Comparison, wanted: Scalar): string;
  /** One statement for a list instead of a comparison each, where that says the same; null where it does not. */
  member(wanted: readonly Scalar[]): string | null;
  /** The text that the substring operators look into; null: the column never holds one. */
  readonly text: (() => string) | null;
  /** The value lies 0 to `ms` back (`within`), or further. Null: the column never holds an instant. */
  daysBack(ms: number, within: boolean): string;
  readonly present: string;
  /** An element of a list, or the substring of a text, where the column can hold both. Null: as `text` says. */
  contains(wanted: Scalar): string | null;
}
