import { isNumberText, isNumeric, scopeOf } from './display.ts';
import type { ReportColumn, ReportDocument, ReportValue } from './report-document.ts';
import { manyLines, oneLine } from './safe-text.ts';

const lineEnd = '\r\n';
/** Tells spreadsheets that the file is UTF-8. Precedes a title, where no program reads a name. */
const byteOrderMark = '\ufeff';

/**
 * Positions where a spreadsheet would start to calculate: at the start of a cell, and after anything it may take for
 * the end of one (semicolons and tabs in some locales, line breaks, quotes). `＝` and similar count as their narrow
 * forms.
 */
const formulaStart = /(^|[;\t\n|]"*)(?=\s*[=+\-@|\uff0b\uff0d\uff1d\uff20])/g;

/** Returns text that no spreadsheet reads as a formula: a quote precedes each position that could start one. */
export function defused(text: string): string {
  return text.replace(formulaStart, "$1'");
}

const quoted = (text: string): string => (/[",\n\r;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** Returns a cell with this text, which no spreadsheet reads as a formula. */
export const textCell = (text: string): string => quoted(defused(manyLines(text)));

function cell(column: ReportColumn, value: ReportValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  // A negative number in a column of numbers is data; the same in a column of names may be an attack.
  return isNumeric(column) && isNumberText(value) ? value : textCell(value);
}

/**
 * Yields CSV as in RFC 4180: for each section a line with its title and scope, the header, the rows and an empty line.
 * Numbers, days and instants stay unformatted, for programs.
 */
export function* csvPieces(document: ReportDocument): Generator<string> {
  yield byteOrderMark;
  for (const section of document.sections) {
    const { title, columns, rows } = section;
    yield [oneLine(title), ...scopeOf(document, section)].map(textCell).join(',') + lineEnd;
    yield columns.map(({ label }) => textCell(oneLine(label))).join(',') + lineEnd;
    for (const row of rows) yield columns.map((column) => cell(column, row[column.key])).join(',') + lineEnd;
    yield lineEnd;
  }
}
