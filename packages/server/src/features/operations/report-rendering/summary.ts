import { madeText } from './display.ts';
import type { ReportDocument } from './report-document.ts';
import { oneLine } from './safe-text.ts';
import { sentencesOf } from './template-narrative.ts';

const maxLines = 12;
/** Chats cut messages; a line is for reading at a glance. */
const maxCharacters = 300;

const short = (text: string): string => {
  const letters = [...oneLine(text)];
  return letters.length <= maxCharacters ? letters.join('') : `${letters.slice(0, maxCharacters - 1).join('')}…`;
};

/**
 * Summarizes the report in at most 12 lines of plain text, for emails and messages: who made it, what it covers and
 * when, then the narrative or, without one, the content of each section. Not escaped: the sender escapes it for the
 * target.
 */
export function summarise(document: ReportDocument): { readonly title: string; readonly lines: readonly string[] } {
  const { narrative, sections, timezone, tenantName } = document;
  const summaryLines =
    narrative === null
      ? sections.map((section) => {
          const [first = section.rows.length === 0 ? 'no data.' : `${section.rows.length} rows.`] = sentencesOf(
            section,
            timezone,
          );
          return `${section.title}: ${first}`;
        })
      : [narrative.executiveSummary, ...narrative.keyTakeaways];
  const lines = [`${tenantName} · ${madeText(document)}`, ...summaryLines].map(short).filter((line) => line !== '');
  const rest = lines.length - maxLines;
  return {
    title: short(document.name),
    lines: rest > 0 ? [...lines.slice(0, maxLines - 1), `and ${rest + 1} more.`] : lines,
  };
}
