import { nothing } from './display.ts';
import type { ReportRow, ReportSection, ReportValue } from './report-document.ts';

/** Colors that can be told apart. */
export const maxSeries = 8;

const plural = (label: string): string => `${label.toLowerCase().replace(/y$/, 'ie')}s`;

/** The rows from the first to the last that holds something. */
function withoutEmptyEnds(rows: readonly ReportRow[], isFilled: (row: ReportRow) => boolean): readonly ReportRow[] {
  return rows.slice(Math.max(0, rows.findIndex(isFilled)), rows.findLastIndex(isFilled) + 1);
}

/**
 * Turns a histogram of several groups, whose rows follow each other, into a readable table: one row per bin, one column
 * for each of the first groups, and a note of the groups left out. Returns other sections unchanged. The first text
 * column names the groups.
 */
export function groupsAsColumns(section: ReportSection): ReportSection {
  const { chart, columns, rows } = section;
  const [y] = chart?.y ?? [];
  const group = columns.find(({ key, type }) => type === 'text' && key !== chart?.x);
  const measured = columns.find(({ key }) => key === y);
  if (chart?.kind !== 'histogram' || measured === undefined || group === undefined) return section;
  const shared = columns.filter((column) => column !== group && column !== measured);
  const names = [...new Set(rows.map((row) => row[group.key] ?? null))];
  const shown = names.slice(0, maxSeries);
  const keyOf = (at: number): string => `group ${at}`;
  const bins = new Map<ReportValue, Record<string, ReportValue>>();
  for (const row of rows) {
    const at = row[chart.x] ?? null;
    const bin = bins.get(at) ?? Object.fromEntries(shared.map(({ key }) => [key, row[key] ?? null]));
    bins.set(at, bin);
    const place = shown.indexOf(row[group.key] ?? null);
    // Most bins of most groups are empty. A dash keeps them from hiding the others.
    if (place >= 0) bin[keyOf(place)] = row[measured.key] === 0 ? null : (row[measured.key] ?? null);
  }
  const left = names.length - shown.length;
  const notes =
    left === 0
      ? section.notes
      : [
          ...section.notes,
          `${left} more ${left === 1 ? group.label.toLowerCase() : plural(group.label)} not shown here; the CSV file lists all of them.`,
        ];
  const byGroup = shown.map((name, at) => ({
    ...measured,
    key: keyOf(at),
    label: name === null ? nothing : String(name),
  }));
  return {
    ...section,
    columns: [...shared, ...byGroup],
    rows: withoutEmptyEnds([...bins.values()], (row) => shown.some((_, at) => (row[keyOf(at)] ?? null) !== null)),
    notes,
    chart: { ...chart, y: byGroup.map(({ key }) => key) },
  };
}
