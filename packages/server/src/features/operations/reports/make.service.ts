import type { ReportFormat } from '@arbiter/contract';
import type { Actor, Database } from '../../../db/index.ts';
import type { NarrativeWriter } from '../narration/index.ts';
import type { Artifact, RenderReport, ReportDocument } from '../report-rendering/index.ts';
import { composeDocument } from './document.service.ts';
import { writeReportNarrative } from './report-narrative.ts';
import type { SourcePorts } from './sources/source.ts';
import type { TemplateRow } from './templates.store.ts';

export interface MakePorts extends SourcePorts {
  readonly database: Database;
  readonly narrativeWriter: NarrativeWriter;
  readonly renderReport: RenderReport;
}

/** A report that was written. */
export interface MadeReport {
  readonly document: ReportDocument;
  readonly artifacts: readonly Artifact[];
}

/** Sources that read long spans of history are slow. Nobody waits longer for a report. */
const readWithinMs = 60_000;

/**
 * Writes a report: reads the figures in one transaction, so that they are of one instant, then finds the words and makes the
 * files without holding it.
 */
export async function makeReport(
  { database, narrativeWriter, renderReport, ...ports }: MakePorts,
  tenantId: string,
  actor: Actor,
  template: TemplateRow,
  { runId, formats }: { readonly runId: string | null; readonly formats: readonly ReportFormat[] },
): Promise<MadeReport> {
  const figures = await database.withTenant(tenantId, actor, (tx) => composeDocument(tx, template, runId, ports), {
    statementTimeoutMs: readWithinMs,
    snapshot: true,
  });
  const { enabled, prompt = null } = template.narrative;
  const narrative = enabled ? await writeReportNarrative(narrativeWriter, figures, prompt) : null;
  const document = { ...figures, narrative };
  return { document, artifacts: await renderReport(document, formats) };
}
