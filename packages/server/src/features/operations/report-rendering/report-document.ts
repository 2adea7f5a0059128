/** Content of a column; determines the format and alignment of its values. */
export type ReportColumnType = 'text' | 'integer' | 'decimal' | 'money' | 'ratio' | 'date' | 'instant';

export interface ReportColumn {
  readonly key: string;
  readonly label: string;
  /** `ratio` is a share of 1, shown in percent; `date` is YYYY-MM-DD; `instant` is RFC 3339, shown in the report's zone. */
  readonly type: ReportColumnType;
}

export interface ReportChart {
  readonly kind: 'line' | 'bar' | 'funnel' | 'histogram';
  /** Keys of columns. Draws only numbers of a `y` column. */
  readonly x: string;
  readonly y: readonly string[];
}

export type ReportValue = string | number | null;
export type ReportRow = Readonly<Record<string, ReportValue>>;

/** Days of the report's zone that figures cover, `2026-11-17`, both included. */
export interface ReportPeriod {
  readonly from: string;
  readonly to: string;
}

/** What figures are limited to or compared with, in words: `Offer`, `Gold card`. */
export interface ReportFilter {
  readonly label: string;
  readonly value: string;
}

export interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly ReportColumn[];
  /** Numbers may come as text, with all their digits. */
  readonly rows: readonly ReportRow[];
  /** True if there were more rows than the limit. */
  readonly truncated: boolean;
  /** Null: figures as of the moment of the report. */
  readonly period: ReportPeriod | null;
  readonly filters: readonly ReportFilter[];
  /** Notes for readers: what the figures leave out, and the sampling behind them. */
  readonly notes: readonly string[];
  readonly chart?: ReportChart;
  /** Stands above the chart; the document's narrative of this section, where it has one, goes first. */
  readonly narrative?: string;
}

export interface Narrative {
  readonly executiveSummary: string;
  readonly sectionNarratives: readonly { readonly sectionId: string; readonly narrative: string }[];
  readonly keyTakeaways: readonly string[];
}

export interface ReportDocument {
  readonly name: string;
  readonly description: string | null;
  readonly tenantName: string;
  /** IANA name. */
  readonly timezone: string;
  readonly generatedAt: Date;
  /** Covered by every section that doesn't name another one; null when all sections show the present only. */
  readonly period: ReportPeriod | null;
  readonly sections: readonly ReportSection[];
  readonly narrative: Narrative | null;
  /** Null for a preview, which isn't stored. */
  readonly runId: string | null;
}

export type ReportFormat = 'html' | 'pdf' | 'csv' | 'markdown';

export interface Artifact {
  readonly format: ReportFormat;
  readonly mimeType: string;
  readonly fileName: string;
  readonly content: Buffer;
}

/** Returns the narrative of a section: from the document, otherwise the section's own; null for none. */
export function narrativeOf({ narrative }: ReportDocument, section: ReportSection): string | null {
  const narrativeText = narrative?.sectionNarratives.find(({ sectionId }) => sectionId === section.id)?.narrative;
  const words = (narrativeText ?? section.narrative ?? '').trim();
  return words === '' ? null : words;
}

/** Longer texts do not read as figures. */
const maxFactLength = 60;

/**
 * True for one row of several figures without a chart: shown as named figures, because a table of one row reads badly.
 */
export function isFacts({ rows, columns, chart }: ReportSection): boolean {
  const [row] = rows;
  if (row === undefined || rows.length > 1 || columns.length < 2 || chart !== undefined) return false;
  return columns.every(
    ({ key, label }) => label.length <= maxFactLength && String(row[key] ?? '').length <= maxFactLength,
  );
}
