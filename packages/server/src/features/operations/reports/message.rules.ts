import type { WaitingMessage } from '../notifications/index.ts';
import { type ReportDocument, summarise } from '../report-rendering/index.ts';
import type { RunRow } from './runs.store.ts';

const maxTitle = 200;
const maxMessage = 4000;

/**
 * The message that delivers a report: a summary, and a link to a file of the run. Its files are added when it's sent.
 */
export function messageOf(
  publicUrl: string,
  {
    id,
    templateId,
    scheduleId,
    triggeredBy,
    formats,
  }: Pick<RunRow, 'id' | 'templateId' | 'scheduleId' | 'triggeredBy' | 'formats'>,
  document: ReportDocument,
): WaitingMessage {
  const { title, lines } = summarise(document);
  const [first = 'html'] = formats;
  return {
    severity: 'info',
    title: `Report: ${title}`.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxTitle),
    message: lines.join('\n').slice(0, maxMessage),
    fields: [],
    sourceUrl: `${publicUrl}/api/v1/reports/runs/${id}/artifacts/${formats.includes('html') ? 'html' : first}`,
    data: { runId: id, templateId, scheduleId, triggeredBy },
    sentAt: document.generatedAt.toISOString(),
  };
}
