import type {
  ReportColumn,
  ReportColumnType,
  ReportDocument,
  ReportPeriod,
  ReportRow,
  ReportSection,
  ReportValue,
} from './report-document.ts';
import { manyLines, oneLine } from './safe-text.ts';

/** Digits behind the point that a decimal keeps at most. */
const maxDecimals = 4;
const numeric: ReadonlySet<ReportColumnType> = new Set(['integer', 'decimal', 'money', 'ratio']);

export const isNumeric = ({ type }: ReportColumn): boolean => numeric.has(type);

/** Text that is a number and nothing else, as databases and JSON write it. */
export function isNumberText(text: string): text is `${number}` {
  return /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$/.test(text);
}

/** Returns the value as a number; null if it isn't a finite one. */
export function numberOf(value: ReportValue | undefined): number | null {
  if (typeof value === 'string' && !isNumberText(value)) return null;
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(least: number, most: number, style: 'decimal' | 'percent'): Intl.NumberFormat {
  const key = `${least} ${most} ${style}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat('en', { minimumFractionDigits: least, maximumFractionDigits: most, style });
    formats.set(key, format);
  }
  return format;
}

/** Returns the decimals a column needs, so that all of its rows have the same number. */
function decimalsOf(rows: readonly ReportRow[], key: string): number {
  let most = 0;
  for (const row of rows) {
    const number = numberOf(row[key]);
    if (number === null) continue;
    // Only plain notation has digits to count; tiny numbers keep all of them.
    const digits = /^-?\d+(?:\.(\d+))?$/.exec(String(Number(number.toFixed(maxDecimals))));
    most = Math.max(most, digits === null ? maxDecimals : (digits[1]?.length ?? 0));
    if (most >= maxDecimals) break;
  }
  return most;
}

/** Formats the values of one column for people. An empty text stands for null. */
export type Show = (value: ReportValue | undefined) => string;

/** @param rows all rows of the section, so that a column's decimals match */
export function showColumn(column: ReportColumn, rows: readonly ReportRow[], timezone: string): Show {
  const { type, key } = column;
  const asNumber = (format: Intl.NumberFormat): Show => {
    return (value) => {
      if (value === null || value === undefined) return '';
      if (typeof value === 'string' && !isNumberText(value)) return manyLines(value);
      if (typeof value === 'number' && !Number.isFinite(value)) return '';
      // U+2212, the minus that is as wide as a plus.
      return format.format(value).replace(/^-/, '−').replace(/%$/, ' %');
    };
  };
  switch (type) {
    case 'integer':
      return asNumber(numberFormat(0, 0, 'decimal'));
    case 'money':
      return asNumber(numberFormat(2, 2, 'decimal'));
    case 'decimal': {
      const digits = decimalsOf(rows, key);
      return asNumber(numberFormat(digits, digits, 'decimal'));
    }
    case 'ratio':
      return asNumber(numberFormat(1, 1, 'percent'));
    case 'instant': {
      const minutes = minutesIn(timezone);
      return (value) => {
        const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
        return Number.isNaN(at) ? plain(value) : minutes(new Date(at));
      };
    }
    default:
      return plain;
  }
}

const plain: Show = (value) => (value === null || value === undefined ? '' : manyLines(String(value)));

/** `2026-11-20 09:00`, for instants in one zone. */
function minutesIn(timezone: string): (at: Date) => string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  // Swedish writes days and times as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { ...parts, hourCycle: 'h23', timeZone: timezone });
  return (at) => format.format(at);
}

/** Returns all cells of a row as text. */
export function showRows({ columns, rows }: ReportSection, timezone: string): (row: ReportRow) => string[] {
  const shows = columns.map((column) => showColumn(column, rows, timezone));
  return (row) => columns.map(({ key }, at) => shows[at]?.(row[key]) ?? '');
}

/** A section with its cells as text, `–` for those without a value. */
export interface ShownSection extends ReportSection {
  readonly cells: readonly (readonly string[])[];
}

/** Shown in cells without a value. */
export const nothing = '–';

/** Shows all cells of a section; yields between rows. */
export function* shownSection(section: ReportSection, timezone: string): Generator<void, ShownSection> {
  const show = showRows(section, timezone);
  const cells: string[][] = [];
  for (const row of section.rows) {
    cells.push(show(row).map((text) => (text === '' ? nothing : text)));
    yield;
  }
  return { ...section, cells };
}

/** Returns when the report was made, in its zone: `2026-11-20 09:00 Europe/Athens`. */
export function generatedText({ generatedAt, timezone }: ReportDocument): string {
  return `${minutesIn(timezone)(generatedAt)} ${timezone}`;
}

/** Returns the report's period and when it was made. */
export const madeText = (document: ReportDocument): string =>
  [...(document.period === null ? [] : [periodText(document.period)]), `Generated ${generatedText(document)}`].join(
    ' · ',
  );

const dayMs = 86_400_000;

/** `2026-11-17 to 2026-11-23 (7 days)`. */
function periodText({ from, to }: ReportPeriod): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return days === 1 ? `${from} (1 day)` : `${from} to ${to} (${days} days)`;
}

/** Returns what a section covers in words, in parts: period, zone of its days, filters. */
export function scopeOf(document: ReportDocument, { period, filters }: ReportSection): readonly string[] {
  const when = period === null ? [`As of ${generatedText(document)}`] : [periodText(period), document.timezone];
  return [...when, ...filters.map(({ label, value }) => `${label}: ${oneLine(value)}`)];
}

/** True when the section covers other days than the report. */
export const hasOwnPeriod = ({ period }: ReportDocument, section: ReportSection): boolean =>
  period !== null &&
  section.period !== null &&
  (section.period.from !== period.from || section.period.to !== period.to);

/** Returns `scopeOf` as one line, which says so if the period differs from the report's. */
export function scopeText(document: ReportDocument, section: ReportSection): string {
  const text = scopeOf(document, section).join(' · ');
  return hasOwnPeriod(document, section) ? `Different period: ${text}` : text;
}

/** Shown below a truncated section. */
export const truncatedText = (rows: number): string =>
  `Only the first ${numberFormat(0, 0, 'decimal').format(rows)} rows are stored.`;

export const noRowsText = 'No data for this section.';

/** Shown below a chart that doesn't draw every row. */
export const chartRestText = ({
  labels,
  left,
}: {
  readonly labels: readonly string[];
  readonly left: number;
}): string => `The chart shows the first ${labels.length} of ${labels.length + left} rows.`;
