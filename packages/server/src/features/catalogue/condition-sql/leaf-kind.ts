import type { DataType } from '@arbiter/contract';
import type { Scalar } from '@arbiter/engine';
import type { SqlLiterals } from './literals.store.ts';

/** A column as conditions see it. */
export interface SqlColumn {
  /** Qualified and quoted: `b."age"`. */
  readonly sql: string;
  readonly dataType: DataType;
  /** Digits of decimal and numeric columns; null: unlimited. */
  readonly precision: number | null;
}

/** What all parts of a statement's conditions share. */
export interface SqlContext {
  readonly literals: SqlLiterals;
  /**
   * Returns SQL of the instant that days are counted from: a timestamptz in whole milliseconds. Called only where
   * needed.
   */
  now(): string;
}

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

export const signs: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** SQL that is never true. */
export const never = 'false';

/** Comparisons of one kind of column. Each is null or false where the row has no value. */
export interface LeafKind {
  compare(comparison: Comparison, wanted: Scalar): string;
  /** One comparison for a list instead of one per value, if it means the same; otherwise null. */
  member(wanted: readonly Scalar[]): string | null;
  /** The text that substring operators search; null if the column never holds text. */
  readonly text: (() => string) | null;
  /** The value lies 0 to `ms` in the past (`within`), or further. Null: the column never holds an instant. */
  daysBack(ms: number, within: boolean): string;
  readonly present: string;
  /** An element of a list or a substring of a text, where the column can hold both. Null: as `text` says. */
  contains(wanted: Scalar): string | null;
}
