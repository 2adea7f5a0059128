import { escapeHtml } from '../../../http/answers/page.ts';
import { drawChart } from './charts/chart.ts';
import { chartDataOf, chartWords } from './charts/chart-data.ts';
import { measureRoughly, svgChart } from './charts/chart-svg.ts';
import {
  chartRestText,
  generatedText,
  hasOwnPeriod,
  isNumeric,
  madeText,
  noRowsText,
  nothing,
  scopeText,
  showRows,
  truncatedText,
} from './display.ts';
import { groupsAsColumns } from './group-columns.ts';
import { style } from './html-style.ts';
import { isFacts, narrativeOf, type ReportDocument, type ReportSection } from './report-document.ts';
import { manyLines, oneLine } from './safe-text.ts';

const wideChart = 840;
const narrowChart = 350;
/** A report with this many sections starts with a list of them. */
const listedFrom = 4;

const line = (text: string): string => escapeHtml(oneLine(text));

const paragraphs = (text: string, className = ''): string =>
  manyLines(text)
    .split(/\n+/)
    .filter((part) => part !== '')
    .map((part) => `<p${className}>${escapeHtml(part)}</p>`)
    .join('');

function* rowsOf(section: ReportSection, timezone: string): Generator<string> {
  const { columns, rows, title } = section;
  const show = showRows(section, timezone);
  const sides = columns.map((column) => {
    if (isNumeric(column)) return ' class="n"';
    return column.type === 'text' ? ' class="x"' : ' class="t"';
  });
  const head = columns.map(({ label }, at) => `<th scope="col"${sides[at]}>${line(label)}</th>`).join('');
  yield `<div class="scroll" role="region" tabindex="0" aria-label="${line(title)}"><table><thead><tr>${head}</tr></thead><tbody>\n`;
  for (const row of rows) {
    const cells = show(row).map((text, at) => `<td${sides[at]}>${text === '' ? nothing : escapeHtml(text)}</td>`);
    yield `<tr>${cells.join('')}</tr>\n`;
  }
  yield '</tbody></table></div>';
}

function factsOf(section: ReportSection, timezone: string): string {
  const shown = section.rows.slice(0, 1).flatMap(showRows(section, timezone));
  const facts = section.columns.map(
    ({ label }, at) => `<div><dt>${line(label)}</dt><dd>${escapeHtml(shown[at] || nothing)}</dd></div>`,
  );
  return `<dl>${facts.join('')}</dl>`;
}

function figureOf(section: ReportSection, timezone: string): string {
  const { chart } = section;
  const data = chartDataOf(section, timezone);
  if (chart === undefined || data === null) return '';
  const words = chartWords(section, data);
  const draw = (width: number, className: string): string =>
    svgChart(drawChart(chart, data, width, measureRoughly), words, className);
  const rest = data.left > 0 ? `<figcaption>${chartRestText(data)}</figcaption>` : '';
  return `<figure>${draw(wideChart, 'wide')}${draw(narrowChart, 'narrow')}${rest}</figure>`;
}

function* sectionOf(document: ReportDocument, given: ReportSection, place: number): Generator<string> {
  const { timezone } = document;
  const section = groupsAsColumns(given);
  yield `<section id="s${place}"><h2>${line(section.title)}</h2>`;
  const scope = hasOwnPeriod(document, section) ? 'scope own' : 'scope';
  yield `<p class="${scope}">${line(scopeText(document, section))}</p>`;
  const words = narrativeOf(document, section);
  if (words !== null) yield paragraphs(words);
  if (section.rows.length === 0) yield `<p class="none">${noRowsText}</p>`;
  else if (isFacts(section)) yield factsOf(section, timezone);
  else {
    yield figureOf(section, timezone);
    yield* rowsOf(section, timezone);
  }
  if (section.truncated) yield `<p class="note">${truncatedText(section.rows.length)}</p>`;
  for (const note of section.notes) yield paragraphs(note, ' class="note"');
  yield '</section>\n';
}

function summaryOf({ narrative }: ReportDocument): string {
  if (narrative === null) return '';
  const points = narrative.keyTakeaways.map((text) => `<li>${line(text)}</li>`).join('');
  const list = points === '' ? '' : `<ul>${points}</ul>`;
  return `<div class="summary"><h2>Summary</h2>${paragraphs(narrative.executiveSummary)}${list}</div>`;
}

function contentsOf({ sections }: ReportDocument): string {
  if (sections.length < listedFrom) return '';
  const items = sections.map(({ title }, at) => `<li><a href="#s${at + 1}">${line(title)}</a></li>`);
  return `<nav aria-label="Contents"><ol>${items.join('')}</ol></nav>`;
}

/**
 * Yields a self-contained HTML file without scripts or requests, as its own policy states. In pieces, so that other
 * work gets a turn.
 */
export function* htmlPieces(document: ReportDocument): Generator<string> {
  const { name, description, tenantName, runId } = document;
  const when = escapeHtml(generatedText(document));
  yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">' +
    `<meta name="referrer" content="no-referrer"><title>${line(name)}</title><style>${style}</style></head>\n<body><main>` +
    `<header><p class="tenant">${line(tenantName)}</p><h1>${line(name)}</h1>`;
  if (description !== null) yield paragraphs(description, ' class="lead"');
  yield `<p class="when">${escapeHtml(madeText(document))}</p></header>\n${summaryOf(document)}${contentsOf(document)}\n`;
  for (const [at, section] of document.sections.entries()) yield* sectionOf(document, section, at + 1);
  const run = runId === null ? '' : `<span>Run ${line(runId)}</span>`;
  yield `<footer><span>${line(tenantName)} · ${when}</span>${run}</footer></main></body></html>\n`;
}
