import { numberOf, type Show, showColumn } from './display.ts';
import type { ReportColumn, ReportRow, ReportSection } from './report-document.ts';
import { oneLine } from './safe-text.ts';

/** A measure of a section: the numbers of one column, with their rows. */
export interface ReportFigures {
  readonly column: ReportColumn;
  /** As in a sentence: `impressions`, but `AUC`. */
  readonly name: string;
  /** Rows without a number are left out. */
  readonly points: readonly { readonly label: string; readonly value: number }[];
  /** Numbers of rows may be added up: counts and money, not shares and averages. */
  readonly isAdditive: boolean;
  readonly sum: number;
  show(value: number): string;
}

/** Limit on a name in a sentence. */
const maxName = 80;

/** A label inside a sentence: its capital goes, unless the word is an abbreviation or has one inside. */
export function inSentence(label: string): string {
  const text = oneLine(label);
  return /^\p{Lu}\p{Ll}*(?![\p{Lu}\p{Ll}])/u.test(text) && !/^\p{Lu}($|\P{L})/u.test(text)
    ? text[0]?.toLowerCase() + text.slice(1)
    : text;
}

/** Quotes a name from the data, so that it doesn't read as our own words. */
export function quotedName(name: string): string {
  const letters = [...oneLine(name)];
  const short = letters.length > maxName ? `${letters.slice(0, maxName - 1).join('')}…` : letters.join('');
  return `“${short}”`;
}

/** Returns the numbers of one column, with what `named` returns for each row. */
export function figuresOf(
  section: ReportSection,
  column: ReportColumn,
  named: ReportColumn | null,
  timezone: string,
): ReportFigures {
  const { rows } = section;
  const show: Show = showColumn(column, rows, timezone);
  const showName: Show = named === null ? () => '' : showColumn(named, rows, timezone);
  const points = rows.flatMap((row: ReportRow) => {
    const value = numberOf(row[column.key]);
    return value === null ? [] : [{ label: showName(named === null ? null : row[named.key]), value }];
  });
  return {
    column,
    name: inSentence(column.label),
    points,
    isAdditive: column.type === 'integer' || column.type === 'money',
    // Money in binary fractions: what falls behind a millionth is no figure of the data.
    sum: Math.round(points.reduce((sum, { value }) => sum + value, 0) * 1e6) / 1e6,
    // Zeros behind the point align columns; sentences do without.
    show: (value) =>
      column.type === 'decimal'
        ? show(value)
            .replace(/(\.\d*?)0+$/, '$1')
            .replace(/\.$/, '')
        : show(value),
  };
}

/** Formats a share of 1 as a percentage, the same in all sentences. */
export function percentText(share: number): string {
  return `${(Math.round(share * 1000) / 10).toFixed(1)} %`;
}
