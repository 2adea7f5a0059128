/** The content of a cell of a CSV file. Numbers are written for programs, not for a country. */
export type CsvValue = string | number | boolean | null | undefined;

/** What a stored value of any kind says in a file: texts, numbers and booleans as they are, the rest as JSON. */
export function csvValueOf(value: unknown): CsvValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** By this mark spreadsheets know that the file is UTF-8. */
const byteOrderMark = '\ufeff';

/**
 * Where a spreadsheet would begin to calculate: at the start of a cell, and behind what it may take for the end of one
 * (semicolons and tabs in some countries' settings, line breaks, quotes). `＝` and its like are read as their narrow forms.
 */
const formulaStart = /(^|[;\t\n|]"*)(?=\s*[=+\-@|\uff0b\uff0d\uff1d\uff20])/g;

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return typeof value === 'number' && !Number.isFinite(value) ? '' : String(value);
  const text = value.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll(formulaStart, "$1'");
  return /[",\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A CSV file (RFC 4180) of a head and rows. A text that a spreadsheet would take for a formula gets a quote in front, as in
 * the reports of the server.
 */
export function csvText(head: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return byteOrderMark + [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
