import type { ReactNode } from 'react';
import type { CsvValue } from '../csv.ts';

/** A column of a DataTable. */
export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** In the head, behind the name: "%", "ms". */
  readonly unit?: string;
  readonly cell: (row: Row) => ReactNode;
  /**
   * What the cell says, for files: numbers as numbers, instants in ISO 8601, names of what is referred to. Null: the column
   * holds a link or a button and says nothing of the row.
   */
  readonly text: ((row: Row) => CsvValue) | null;
  /** What the column sorts by once all rows are loaded; without it, it does not sort. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** Numbers stand at the end. */
  readonly align?: 'start' | 'end';
  /** Stands beside the name, without its own, where a row is drawn as a card: a status. */
  readonly corner?: boolean;
  /** Shares its line of a card with another one though it is wide beside others: most of its values are short. */
  readonly halfCard?: boolean;
  /** Least width in px (140). */
  readonly width?: number;
  /** Part of the width that is left over (1); 0 keeps the width. */
  readonly grow?: number;
}

/** Which rows are selected, by key. It outlives paging and sorting. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

/** Order of two values to sort by: numbers as numbers, texts as people read them ("Offer 9" before "Offer 10"). */
export function bySortValue(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

/** By which column rows are sorted. */
export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}
