import { numberOf, showColumn } from '../display.ts';
import { groupsAsColumns, maxSeries } from '../group-columns.ts';
import type { ReportChart, ReportColumn, ReportColumnType, ReportRow, ReportSection } from '../report-document.ts';
import { oneLine } from '../safe-text.ts';

export interface ChartSeries {
  readonly label: string;
  /** Number of its color. */
  readonly color: number;
  /** One per label, or null. */
  readonly values: readonly (number | null)[];
}

/** Series on one scale. */
export interface Panel {
  readonly series: readonly ChartSeries[];
  /** Counts: an axis has no tick between two of them. */
  readonly isWhole: boolean;
  /** As short as an axis needs. */
  write(value: number): string;
  /** As the table shows it. */
  writeWhole(value: number): string;
}

export interface ChartData {
  readonly labels: readonly string[];
  readonly panels: readonly Panel[];
  /** Rows that are not drawn. */
  readonly left: number;
}

/** Scales that fit one above the other. */
const maxPanels = 4;
const maxPoints = 400;
/** Names next to horizontal bars, and bars per chart, so that it fits on a page. */
const maxNames = 15;
const maxBars = { together: 60, apart: 24 };
/**
 * Series whose maximums differ by more than this factor get separate scales; otherwise the small ones would look flat.
 */
const maxTimes = 25;

interface MeasuredColumn extends ChartSeries {
  readonly column: ReportColumn;
  readonly type: ReportColumnType;
  readonly greatest: number;
}

/** Values too small for an axis count as zero; values too large are left out. */
function drawable(value: number | null): number | null {
  if (value === null || Math.abs(value) > 1e100) return null;
  return Math.abs(value) < 1e-12 ? 0 : value;
}

function measuredSeries(
  { y }: ReportChart,
  columns: readonly ReportColumn[],
  rows: readonly ReportRow[],
): MeasuredColumn[] {
  const series: MeasuredColumn[] = [];
  for (const key of y) {
    const column = columns.find((other) => other.key === key);
    const values = rows.map((row) => drawable(numberOf(row[key])));
    if (column === undefined || values.every((value) => value === null) || series.length === maxSeries) continue;
    const greatest = Math.max(...values.map((value) => Math.abs(value ?? 0)));
    series.push({ label: oneLine(column.label), color: series.length, values, column, type: column.type, greatest });
  }
  return series;
}

/** Whether one scale serves them all. */
function areAlike(series: readonly MeasuredColumn[]): boolean {
  const reach = series.map(({ greatest }) => greatest).filter((greatest) => greatest > 0);
  const times = reach.length === 0 ? 1 : Math.max(...reach) / Math.min(...reach);
  return times <= maxTimes && series.every(({ type }) => type === series[0]?.type);
}

/** Returns what a section's chart draws; null if there is nothing to draw. */
export function chartDataOf(section: ReportSection, timezone: string): ChartData | null {
  const { chart, columns, rows } = groupsAsColumns(section);
  const named = columns.find(({ key }) => key === chart?.x);
  if (chart === undefined || named === undefined) return null;
  const isLying = chart.kind === 'bar' || chart.kind === 'funnel';
  const found = measuredSeries(chart, columns, rows.slice(0, isLying ? maxNames : maxPoints));
  if (found.every(({ greatest }) => greatest === 0)) return null;
  // Groups of one histogram are stacked.
  const together = chart.kind === 'histogram' || areAlike(found);
  const series = together ? found : found.slice(0, maxPanels);
  const bars = Math.floor((together ? maxBars.together : maxBars.apart) / series.length);
  const drawn = rows.slice(0, isLying ? Math.min(maxNames, bars) : maxPoints);
  const panels = (together ? [series] : series.map((one) => [one])).map((shared) => ({
    series: shared.map((one) => ({ ...one, values: one.values.slice(0, drawn.length) })),
    isWhole: shared.every(({ type }) => type === 'integer'),
    ...writersFor(shared, rows, timezone),
  }));
  const show = showColumn(named, rows, timezone);
  const labels = drawn.map((row) => oneLine(show(row[chart.x])));
  return { labels, panels, left: rows.length - drawn.length };
}

/** From here on, figures next to bars are shortened too. */
const long = 1e12;

/** Beyond trillions there are no short words. */
const shortest = (greatest: number): 'compact' | 'scientific' => (greatest >= 1e15 ? 'scientific' : 'compact');

function writersFor(
  series: readonly MeasuredColumn[],
  rows: readonly ReportRow[],
  timezone: string,
): Pick<Panel, 'write' | 'writeWhole'> {
  const greatest = Math.max(...series.map((one) => one.greatest));
  const [first] = series;
  const show = first === undefined ? null : showColumn(first.column, rows, timezone);
  const write = axisWriter(first?.column.type ?? 'decimal', greatest);
  // Bars show the table's figures; only those that would fill the chart are shortened.
  return { write, writeWhole: show === null || greatest >= long ? write : show };
}

function axisWriter(type: ReportColumnType, greatest: number): Panel['write'] {
  if (type === 'ratio') {
    const notation = greatest < long ? 'standard' : shortest(greatest);
    const digits = greatest >= 0.2 ? 0 : greatest < 0.02 ? 2 : 1;
    const format = new Intl.NumberFormat('en', { notation, maximumFractionDigits: digits });
    return (value) => `${minus(format.format(value * 100))} %`;
  }
  const digits = greatest >= 10 ? 1 : greatest >= 1 ? 2 : 4;
  const compact = new Intl.NumberFormat('en', { notation: shortest(greatest), maximumFractionDigits: digits });
  return (value) => minus(compact.format(value).replace(/K$/, 'k'));
}

const minus = (text: string): string => text.replace(/^-/, '−');

/** Describes the drawing for people who can't see it. */
export function chartWords({ title, chart }: ReportSection, { labels, panels, left }: ChartData): string {
  const kinds = { line: 'Line chart', bar: 'Bar chart', funnel: 'Funnel', histogram: 'Histogram' };
  const kind = kinds[chart?.kind ?? 'bar'];
  const names = panels.flatMap(({ series }) => series.map(({ label }) => label)).join(', ');
  const rest = left > 0 ? ` First ${labels.length} of ${labels.length + left} rows.` : '';
  return `${kind} of ${oneLine(title)}: ${names}.${rest} The table below has the figures.`;
}
