import type { ReactNode } from 'react';
import type { CsvValue } from '../csv.ts';

/** A column of a DataTable. */
export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** In the head, after the name: "%", "ms". */
  readonly unit?: string;
  readonly cell: (row: Row) => ReactNode;
  /**
   * The value for files: numbers as numbers, instants in ISO 8601, names instead of IDs. Null: the column has only links or
   * buttons.
   */
  readonly text: ((row: Row) => CsvValue) | null;
  /** The value to sort by once all rows are loaded. Columns without it don't sort. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** `end` for numbers. */
  readonly align?: 'start' | 'end';
  /** On a card, shown without a label next to the name: a status. */
  readonly corner?: boolean;
  /** On a card, shares a line with another column although it's wide: most of its values are short. */
  readonly halfCard?: boolean;
  /** Minimum width in px (140). */
  readonly width?: number;
  /** Share of the remaining width (1); 0 for a fixed width. */
  readonly grow?: number;
}

/** Selected rows, by key. Survives paging and sorting. */
export interface RowSelection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

/** Compares two values: numbers as numbers, texts in natural order ("Offer 9" before "Offer 10"). */
export function bySortValue(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

/** The column to sort by. */
export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}
