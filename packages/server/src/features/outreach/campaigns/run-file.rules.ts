import { type FileConfig, fileColumns } from '@arbiter/contract';
import { csvText } from '../../operations/report-rendering/index.ts';
import type { ResultItem } from './results.store.ts';
import type { RunRow } from './runs.store.ts';

export type FileFormat = 'csv' | 'json' | 'ndjson';
export type FileColumn = (typeof fileColumns)[number];

/** How the file of a run is written, with defaults filled in. */
export interface FileRules {
  readonly format: FileFormat;
  readonly columns: readonly FileColumn[];
}

/** Columns of a file that names none. */
const defaultColumns = fileColumns.slice(0, 8);

export function fileRulesOf(config: FileConfig): FileRules {
  const columns = config.columns ?? defaultColumns;
  const isPersonal = config.includePersonalization === true && !columns.includes('personalization');
  return {
    format: config.format === 'jsonl' ? 'ndjson' : (config.format ?? 'csv'),
    columns: isPersonal ? [...columns, 'personalization'] : columns,
  };
}

/** Whether the run's own settings ask for personalization. A channel's settings can't. */
export const showsPersonalization = ({ fileConfig }: Pick<RunRow, 'fileConfig'>): boolean =>
  fileConfig?.includePersonalization === true || fileConfig?.columns?.includes('personalization') === true;

/** An item of a file: one row. */
export type FileItem = ResultItem & { readonly customerId: string; readonly decidedAt: string };

/** Text before the first row, between two and after the last. */
export function frameOf({ format, columns }: FileRules): { readonly head: string; readonly tail: string } {
  if (format === 'csv') return { head: `${columns.join(',')}\r\n`, tail: '' };
  return format === 'json' ? { head: '[', tail: ']\n' } : { head: '', tail: '' };
}

export function rowText({ format, columns }: FileRules, item: FileItem, isFirst: boolean): string {
  if (format === 'csv') return `${columns.map((column) => csvCell(item[column])).join(',')}\r\n`;
  const row = JSON.stringify(Object.fromEntries(columns.map((column) => [column, item[column] ?? null])));
  return format === 'json' ? `${isFirst ? '' : ','}\n${row}` : `${row}\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return csvText(typeof value === 'string' ? value : JSON.stringify(value));
}

export const fileTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};
