import { chartDataOf } from '../charts/chart-data.ts';
import {
  chartRestText,
  hasOwnPeriod,
  madeText,
  noRowsText,
  nothing,
  type ShownSection,
  scopeText,
  truncatedText,
} from '../display.ts';
import { isFacts, narrativeOf, type ReportDocument } from '../report-document.ts';
import { manyLines, oneLine } from '../safe-text.ts';
import { drawPdfChart, planChart } from './pdf-chart.ts';
import { createFlow, type Flow, textColors } from './pdf-flow.ts';
import type { Fonts, TextStyle } from './pdf-pen.ts';
import { drawTable, planTable } from './pdf-table.ts';

const { ink, soft, line: lineColor } = textColors;
const title: TextStyle = { font: 'bold', size: 21, color: ink };
const heading: TextStyle = { font: 'bold', size: 13.5, color: ink };
const body: TextStyle = { font: 'regular', size: 9.5, color: ink };
const small: TextStyle = { font: 'regular', size: 8.5, color: soft };
const ownScope: TextStyle = { font: 'bold', size: 8.5, color: ink };
const noteGap = 5;
const figure: TextStyle = { font: 'bold', size: 14, color: ink };

const paragraphsOf = (text: string): string[] =>
  manyLines(text)
    .split(/\n+/)
    .filter((part) => part !== '');

function writeFront(flow: Flow, document: ReportDocument): void {
  const { description, narrative } = document;
  flow.write(oneLine(document.tenantName), { ...small, size: 9 });
  flow.y += 4;
  flow.bookmark(oneLine(document.name));
  flow.write(oneLine(document.name), title, { leading: 26 });
  flow.y += 4;
  for (const text of paragraphsOf(description ?? '')) flow.write(text, { ...body, size: 10.5 });
  flow.y += 3;
  flow.write(madeText(document), small);
  if (narrative === null) return;
  flow.y += 16;
  flow.write('Summary', { ...heading, size: 11 });
  flow.y += 4;
  for (const text of paragraphsOf(narrative.executiveSummary)) {
    flow.write(text, body);
    flow.y += 4;
  }
  for (const text of narrative.keyTakeaways) {
    flow.write(oneLine(text), body, { indent: 12, mark: '•' });
    flow.y += 2;
  }
}

/** Writes figures with their names, in rows. */
function writeFacts(flow: Flow, { columns, cells }: ShownSection): void {
  const inRow = 4;
  const width = flow.width / inRow;
  const facts = columns.map(({ label }, at) => ({ label, value: oneLine(cells[0]?.[at] ?? nothing) }));
  for (let at = 0; at < facts.length; at += inRow) {
    const row = facts.slice(at, at + inRow).map(({ label, value }) => ({
      label: flow.linesIn(oneLine(label), small, width - 16),
      value: flow.linesIn(value, figure, width - 16),
    }));
    const values = Math.max(...row.map(({ value }) => value.length)) * 18;
    const height = values + Math.max(...row.map(({ label }) => label.length)) * 12 + 14;
    flow.need(height);
    row.forEach(({ label, value }, place) => {
      const x = flow.left + place * width;
      for (const [line, text] of value.entries()) flow.pen.text(x, flow.y + 18 * (line + 1), text, figure);
      for (const [line, text] of label.entries()) flow.pen.text(x, flow.y + values + 12 * (line + 1), text, small);
    });
    flow.y += height;
    flow.pen.rule([flow.left, flow.y - 4], [flow.left + flow.width, flow.y - 4], lineColor, 0.5);
  }
}

function* writeSection(flow: Flow, document: ReportDocument, section: ShownSection): Generator<void> {
  const { timezone } = document;
  const hasTable = section.rows.length > 0 && !isFacts(section);
  const plan = hasTable ? yield* planTable(flow, section) : null;
  flow.turn(plan?.isWide ?? false);
  flow.y += flow.isAtTop ? 0 : 26;
  const data = plan === null ? null : chartDataOf(section, timezone);
  const chart = section.chart === undefined || data === null ? null : planChart(flow, section.chart, data);
  const words = paragraphsOf(narrativeOf(document, section) ?? '');
  const notes = notesOf(flow, section);
  // A heading stays on the page of its content.
  const wordLines = words.flatMap((text) => flow.linesIn(text, body, flow.width)).length;
  const least = (section.rows.length === 0 ? 60 : 95) + (plan === null ? notes.height : 0);
  flow.need(Math.min(flow.height, least + wordLines * body.size * 1.6 + (chart?.height ?? 0)));
  flow.bookmark(oneLine(section.title));
  flow.write(oneLine(section.title), heading);
  flow.write(scopeText(document, section), hasOwnPeriod(document, section) ? ownScope : small);
  flow.y += 5;
  for (const text of words) {
    flow.write(text, body);
    flow.y += 4;
  }
  if (section.rows.length === 0) flow.write(noRowsText, small);
  else if (plan === null) writeFacts(flow, section);
  else {
    if (chart !== null && data !== null) {
      flow.y += 4;
      drawPdfChart(flow, chart);
      if (data.left > 0) flow.write(chartRestText(data), small);
      flow.y += 8;
    }
    yield* drawTable(flow, plan, notes.height);
  }
  flow.y += noteGap;
  for (const text of notes.texts) flow.write(text, small);
}

/** The notes below a section, and the room that they need on the page of its last rows. */
function notesOf(flow: Flow, { truncated, rows, notes }: ShownSection) {
  const texts = (truncated ? [truncatedText(rows.length), ...notes] : notes).flatMap(paragraphsOf);
  const lines = texts.flatMap((text) => flow.linesIn(text, small, flow.width)).length;
  return { texts, height: lines === 0 ? 0 : noteGap + lines * small.size * 1.45 };
}

/** The report on its pages; yields between rows. */
export function* layOut(
  document: ReportDocument,
  sections: readonly ShownSection[],
  fonts: Fonts,
): Generator<void, Flow> {
  const flow = createFlow(fonts);
  writeFront(flow, document);
  for (const section of sections) yield* writeSection(flow, document, section);
  return flow;
}
