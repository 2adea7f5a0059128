import { hasOwnPeriod, isNumeric, madeText, noRowsText, scopeText, showRows, truncatedText } from './display.ts';
import { groupsAsColumns } from './group-columns.ts';
import { narrativeOf, type ReportDocument, type ReportSection } from './report-document.ts';
import { manyLines, oneLine } from './safe-text.ts';

/**
 * Escapes text for the middle of a line: anything that Markdown or HTML would interpret, so that no link, image, tag,
 * formula or table cell results. Leaves other characters for people who read the file itself.
 */
export function markdownText(text: string): string {
  return text
    .replace(/[\\`*_[\]|~^$]/g, (sign) => `\\${sign}`)
    .replace(/&(?=[#\w])/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/:(?=\/\/)|\b(?<=www)\./gi, (sign) => `\\${sign}`);
}

/** A line of its own: what begins a heading, list, quote or rule is escaped too. */
const line = (text: string): string =>
  markdownText(oneLine(text))
    .replace(/^[#>+=-]/, (sign) => `\\${sign}`)
    .replace(/^(\d+)([.)])/, '$1\\$2');
const paragraph = (text: string): string => manyLines(text).split(/\n+/).map(line).join('\n\n');
const tableCell = (text: string): string => text.split('\n').map(markdownText).join('<br>');

function* tablePieces(section: ReportSection, timezone: string): Generator<string> {
  const { columns, rows } = section;
  const show = showRows(section, timezone);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  yield row(columns.map(({ label }) => markdownText(oneLine(label))));
  yield row(columns.map((column) => (isNumeric(column) ? '---:' : '---')));
  for (const values of rows) yield row(show(values).map(tableCell));
  yield '\n';
}

const block = (text: string): string => (text === '' ? '' : `${text}\n\n`);

/** Yields Markdown with tables (CommonMark and GitHub's tables). Leaves out charts, whose figures are in the tables. */
export function* markdownPieces(document: ReportDocument): Generator<string> {
  const { narrative, sections, timezone } = document;
  yield block(`# ${line(document.name)}`);
  if (document.description !== null) yield block(paragraph(document.description));
  yield block(line(`${document.tenantName} · ${madeText(document)}`));
  if (narrative !== null) {
    yield block('## Summary') + block(paragraph(narrative.executiveSummary));
    yield block(narrative.keyTakeaways.map((text) => `- ${line(text)}`).join('\n'));
  }
  for (const section of sections.map(groupsAsColumns)) {
    const { title, rows, truncated, notes } = section;
    yield block(`## ${line(title)}`);
    const scope = line(scopeText(document, section));
    yield block(hasOwnPeriod(document, section) ? `**${scope}**` : scope);
    yield block(paragraph(narrativeOf(document, section) ?? ''));
    if (rows.length === 0) yield block(noRowsText);
    else yield* tablePieces(section, timezone);
    if (truncated) yield block(truncatedText(rows.length));
    for (const note of notes) yield block(paragraph(note));
  }
}
