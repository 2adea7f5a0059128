import { nothing, numberOf, showColumn } from './display.ts';
import type {
  ReportChart,
  ReportColumn,
  ReportColumnType,
  ReportRow,
  ReportSection,
  ReportValue,
} from './report-document.ts';
import { oneLine } from './safe-text.ts';

export interface Series {
  readonly label: string;
  /** Number of its colour. */
  readonly colour: number;
  /** One for each label; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** Series on one scale. */
export interface Panel {
  readonly series: readonly Series[];
  /** As short as an axis needs it. */
  write(value: number): string;
  /** With the digits that readers compare. */
  writeWhole(value: number): string;
}

export interface ChartData {
  readonly labels: readonly string[];
  readonly panels: readonly Panel[];
  /** Rows that are not drawn. */
  readonly left: number;
}

/** Colours that can be told apart; and scales that fit one above the other. */
const mostSeries = 8;
const mostPanels = 4;
const mostPoints = 400;
/** Names beside lying bars, and bars of a chart: it has to fit on a page. */
const mostNames = 15;
const mostBars = { together: 60, apart: 24 };
/** Series whose greatest values differ by more than so many times get a scale each: the small ones would lie flat. */
const mostTimes = 25;

interface Measured extends Series {
  readonly type: ReportColumnType;
  readonly greatest: number;
}

/** What is too small for any axis is zero; what is too large for one is left out. */
function drawable(value: number | null): number | null {
  if (value === null || Math.abs(value) > 1e100) return null;
  return Math.abs(value) < 1e-12 ? 0 : value;
}

function measuredSeries({ y }: ReportChart, columns: readonly ReportColumn[], rows: readonly ReportRow[]): Measured[] {
  const series: Measured[] = [];
  for (const key of y) {
    const column = columns.find((other) => other.key === key);
    const values = rows.map((row) => drawable(numberOf(row[key])));
    if (column === undefined || values.every((value) => value === null) || series.length === mostSeries) continue;
    const greatest = Math.max(...values.map((value) => Math.abs(value ?? 0)));
    series.push({ label: oneLine(column.label), colour: series.length, values, type: column.type, greatest });
  }
  return series;
}

/** Whether one scale serves them all. */
function areAlike(series: readonly Measured[]): boolean {
  const reach = series.map(({ greatest }) => greatest).filter((greatest) => greatest > 0);
  const times = reach.length === 0 ? 1 : Math.max(...reach) / Math.min(...reach);
  return times <= mostTimes && series.every(({ type }) => type === series[0]?.type);
}

/**
 * A histogram of several groups, whose rows stand below each other, as one row for each bin: each group is a series. The
 * groups are named by the first column of text.
 */
function spread(section: ReportSection): ReportSection {
  const { chart, columns, rows } = section;
  const [y] = chart?.y ?? [];
  const group = columns.find(({ key, type }) => type === 'text' && key !== chart?.x);
  if (chart?.kind !== 'histogram' || y === undefined || group === undefined) return section;
  const measured = columns.find(({ key }) => key === y);
  const binOf = (row: ReportRow): ReportValue => row[chart.x] ?? null;
  const bins = new Map(
    rows.map((row): [ReportValue, Record<string, ReportValue>] => [binOf(row), { [chart.x]: binOf(row) }]),
  );
  if (measured === undefined || bins.size === rows.length) return section;
  const groups = [...new Set(rows.map((row) => row[group.key] ?? null))].slice(0, mostSeries);
  for (const row of rows) {
    const at = groups.indexOf(row[group.key] ?? null);
    const bin = bins.get(binOf(row));
    if (at >= 0 && bin !== undefined) bin[`group ${at}`] = row[y] ?? null;
  }
  const series = groups.map((name, at) => ({
    ...measured,
    key: `group ${at}`,
    label: name === null ? nothing : String(name),
  }));
  return {
    ...section,
    columns: [...columns.filter(({ key }) => key === chart.x), ...series],
    rows: [...bins.values()],
    chart: { ...chart, y: series.map(({ key }) => key) },
  };
}

/** What a section's chart draws; null where there is nothing to draw. */
export function chartDataOf(section: ReportSection, timezone: string): ChartData | null {
  const { chart, columns, rows } = spread(section);
  const named = columns.find(({ key }) => key === chart?.x);
  if (chart === undefined || named === undefined) return null;
  const isLying = chart.kind === 'bar' || chart.kind === 'funnel';
  const found = measuredSeries(chart, columns, rows.slice(0, isLying ? mostNames : mostPoints));
  if (found.length === 0) return null;
  // Groups of one histogram stand upon each other.
  const together = chart.kind === 'histogram' || areAlike(found);
  const series = together ? found : found.slice(0, mostPanels);
  const bars = Math.floor((together ? mostBars.together : mostBars.apart) / series.length);
  const drawn = rows.slice(0, isLying ? Math.min(mostNames, bars) : mostPoints);
  const panels = (together ? [series] : series.map((one) => [one])).map((shared) => ({
    series: shared.map((one) => ({ ...one, values: one.values.slice(0, drawn.length) })),
    ...writersFor(shared[0]?.type ?? 'decimal', Math.max(...shared.map(({ greatest }) => greatest))),
  }));
  const show = showColumn(named, rows, timezone);
  const labels = drawn.map((row) => oneLine(show(row[chart.x])));
  return { labels, panels, left: rows.length - drawn.length };
}

/** From here on figures are shortened beside bars too. */
const long = 1_000_000;

/** Beyond trillions there are no short words. */
const shortest = (greatest: number): 'compact' | 'scientific' => (greatest >= 1e15 ? 'scientific' : 'compact');

function writersFor(type: ReportColumnType, greatest: number): Pick<Panel, 'write' | 'writeWhole'> {
  if (type === 'ratio') {
    const percent = (digits: number): Panel['write'] => {
      const notation = greatest < long ? 'standard' : shortest(greatest);
      const format = new Intl.NumberFormat('en', { notation, maximumFractionDigits: digits });
      return (value) => `${minus(format.format(value * 100))} %`;
    };
    const digits = greatest < 0.02 ? 2 : 1;
    return { write: percent(greatest < 0.2 ? digits : 0), writeWhole: percent(digits) };
  }
  const digits = greatest >= 10 ? 1 : greatest >= 1 ? 2 : 4;
  const compact = new Intl.NumberFormat('en', { notation: shortest(greatest), maximumFractionDigits: digits });
  const full = new Intl.NumberFormat('en', { maximumFractionDigits: greatest >= 1000 ? 0 : digits });
  const write = (value: number): string => minus(compact.format(value).replace(/K$/, 'k'));
  return { write, writeWhole: greatest >= long ? write : (value) => minus(full.format(value)) };
}

const minus = (text: string): string => text.replace(/^-/, '−');

/** What the drawing shows, for those who cannot see it. */
export function chartWords({ title, chart }: ReportSection, { labels, panels, left }: ChartData): string {
  const kinds = { line: 'Line chart', bar: 'Bar chart', funnel: 'Funnel', histogram: 'Histogram' };
  const kind = kinds[chart?.kind ?? 'bar'];
  const names = panels.flatMap(({ series }) => series.map(({ label }) => label)).join(', ');
  const rest = left > 0 ? ` The first ${labels.length} of ${labels.length + left} rows.` : '';
  return `${kind} of ${oneLine(title)}: ${names}.${rest} The figures stand in the table below.`;
}
