import { type Fact, type FactDraft, type NarrativeWriter, numberFacts, quoted, shownName } from '../narration/index.ts';
import {
  composeNarrative,
  type Narrative,
  type ReportDocument,
  type ReportSection,
  sentencesOf,
  showColumn,
  templateNarrative,
} from '../report-rendering/index.ts';

/** Rows of a section that become facts. What the template says of all rows becomes facts too. */
const maxRows = 20;

/**
 * Writes the text of a report from its figures, with the same writer as narratives of decisions. Figures that the language
 * model's text doesn't follow, or a model that fails, leave the text to the template. `prompt`: what the author wants it to
 * focus on; null for nothing in particular.
 */
export async function writeReportNarrative(
  writer: NarrativeWriter,
  document: ReportDocument,
  prompt: string | null,
): Promise<Narrative> {
  const facts = reportFacts(document, prompt);
  if (facts.length === 0 || writer.problem !== null) return templateNarrative(document, prompt);
  // The template of reports works on sections, so there is nothing to say fact by fact.
  const template = () => [];
  const { sentences } = await writer.write({ form: 'report', facts, focus: prompt, template, signal: noEnd });
  if (sentences.length === 0) return templateNarrative(document, prompt);
  const sectionOf = new Map(facts.map(({ id, subject }) => [id, subject?.id ?? null]));
  const sectionFacts = document.sections.map((section) => ({
    section,
    sentences: sentences
      .filter(({ facts: [first] }) => sectionOf.get(first ?? '') === section.id)
      .map(({ text }) => text),
  }));
  return composeNarrative(document, sectionFacts, prompt);
}

/** Reports are written by jobs and calls with deadlines of their own. */
const noEnd = new AbortController().signal;

/** Returns what is known: what the template says of each section, and its first rows. */
export function reportFacts({ sections, timezone }: ReportDocument, prompt: string | null): readonly Fact[] {
  return numberFacts(
    sections.flatMap((given) => {
      const section = withShownNames(given);
      const subject = { type: 'section', id: section.id, name: shownName(section.title) };
      const fact = (value: unknown, text: string): FactDraft => ({ kind: 'figure', subject, value, text });
      return [
        ...sentencesOf(section, timezone, prompt).map((text) => fact(null, text)),
        ...section.rows.slice(0, maxRows).map((row) => fact(null, rowText(section, row, timezone))),
      ];
    }),
  );
}

/** Texts in cells come from people. */
function withShownNames(section: ReportSection): ReportSection {
  const texts = section.columns.filter(({ type }) => type === 'text').map(({ key }) => key);
  const rows = section.rows.map((row) => ({
    ...row,
    ...Object.fromEntries(
      texts.flatMap((key) => (typeof row[key] === 'string' ? [[key, shownName(String(row[key]))]] : [])),
    ),
  }));
  return { ...section, rows };
}

function rowText(
  { columns, rows, title }: ReportSection,
  row: ReportSection['rows'][number],
  timezone: string,
): string {
  const cells = columns.flatMap((column) => {
    const shown = showColumn(column, rows, timezone)(row[column.key]);
    if (shown === '') return [];
    return [`${column.label} ${column.type === 'text' ? quoted(shown) : shown}`];
  });
  return `A row of ${quoted(title)} has ${cells.join(', ')}.`;
}
