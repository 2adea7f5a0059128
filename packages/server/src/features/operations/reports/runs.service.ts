import {
  pageSize,
  type ReportArtifactFacts,
  type ReportPreview,
  type ReportRun,
  type ReportRunRow,
  type RunNowAnswer,
  type RunNowBody,
  reportRunPage,
} from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/index.ts';
import type { KeyedAttempt } from '../../../http/binding/keyed-work.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { SendDeps } from '../notifications/index.ts';
import { sendToAll } from '../notifications/index.ts';
import { requireDestinations } from './destinations.service.ts';
import { showSections } from './document.service.ts';
import { type MadeReport, type MakePorts, makeReport } from './make.service.ts';
import { messageOf } from './message.rules.ts';
import {
  completeRun,
  failRun,
  insertArtifact,
  insertRun,
  lockRun,
  type RunRow,
  type StoredArtifact,
  selectArtifactFacts,
  selectArtifacts,
  selectRun,
  selectRuns,
} from './runs.store.ts';
import { getTemplate } from './templates.service.ts';
import type { TemplateRow } from './templates.store.ts';

/** What runs need from the process. */
export interface RunPorts extends MakePorts, SendDeps {
  readonly logger: Logger;
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
}

/** Whose call it is. */
export interface ReportCaller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly until: number;
}

/** A process that has begun to write a run has finished by then, or died. */
export const writtenWithinMs = 5 * 60_000;

/** A run as lists carry it. */
const showRun = (row: RunRow, artifacts: readonly ReportArtifactFacts[]): ReportRunRow => ({
  id: row.id,
  templateId: row.templateId,
  templateName: row.templateName,
  scheduleId: row.scheduleId,
  status: row.status,
  triggeredBy: row.triggeredBy,
  startedAt: row.startedAt.toISOString(),
  completedAt: row.completedAt?.toISOString() ?? null,
  durationMs: row.durationMs,
  error: row.error,
  deliveryResults: [...row.deliveryResults],
  artifacts: [...artifacts],
});

/** Returns one page, newest first. */
export async function listRuns(
  tx: Tx,
  query: {
    readonly templateId?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  },
) {
  const { templateId = null, offset = 0 } = query;
  const limit = pageSize(reportRunPage, query.limit);
  const isNone = templateId !== null && !isUuid(templateId);
  const { rows, total } = isNone ? { rows: [], total: 0 } : await selectRuns(tx, templateId, limit, offset);
  const files = await selectArtifactFacts(
    tx,
    rows.map(({ id }) => id),
  );
  const data = rows.map((row) => showRun(row, files.get(row.id) ?? []));
  return { data, pagination: { total, limit, offset } };
}

/** Returns one run with its figures. Throws 404. */
export async function getRun(tx: Tx, id: string): Promise<ReportRun> {
  const row = await selectRun(tx, id);
  if (row === undefined) throw new AppError('not_found', { detail: 'This run does not exist.' });
  const files = await selectArtifactFacts(tx, [row.id]);
  const { sectionsData, narrativeOutput } = row;
  return { ...showRun(row, files.get(row.id) ?? []), sectionsData: [...sectionsData], narrativeOutput };
}

/** A file of a run; 404 for a missing run and for a format that was not written. */
export async function getArtifact(tx: Tx, id: string, format: string): Promise<StoredArtifact> {
  const [artifact] = await selectArtifacts(tx, id, format);
  if (artifact === undefined) throw new AppError('not_found', { detail: 'This file of a run does not exist.' });
  return artifact;
}

/** Returns the report as it would be now. Stores nothing. */
export async function previewReport(ports: RunPorts, caller: ReportCaller, templateId: string): Promise<ReportPreview> {
  const { tenantId, actor, requestId, until } = caller;
  const template = await ports.database.withTenant(tenantId, actor, (tx) => getTemplate(tx, templateId), {
    requestId,
    until,
  });
  const { document, artifacts } = await makeReport(ports, tenantId, actor, template, {
    runId: null,
    formats: template.formats,
  });
  return {
    sections: showSections(document.sections),
    narrative: shownNarrative(document.narrative),
    artifacts: artifacts.map(({ format, mimeType, fileName, content }) => ({
      format,
      mimeType,
      fileName,
      bytes: content.length,
      base64: content.toString('base64'),
    })),
  };
}

const shownNarrative = (narrative: MadeReport['document']['narrative']) =>
  narrative === null
    ? null
    : {
        executiveSummary: narrative.executiveSummary,
        sectionNarratives: narrative.sectionNarratives.map((each) => ({ ...each })),
        keyTakeaways: [...narrative.keyTakeaways],
      };

/** Stores the files. The figures follow with `finish`, once deliveries are known. */
export async function keepFiles(tx: Tx, runId: string, { artifacts }: MadeReport): Promise<void> {
  for (const artifact of artifacts) await insertArtifact(tx, runId, artifact);
}

/** Ends a run that was written, unless it is over already. */
export async function finish(
  tx: Tx,
  run: Pick<RunRow, 'id' | 'startedAt'>,
  { document }: MadeReport,
  deliveryResults: RunRow['deliveryResults'],
): Promise<void> {
  const status = deliveryResults.some(({ ok }) => ok === false) ? 'completed_with_errors' : 'completed';
  await completeRun(tx, run.id, {
    status,
    durationMs: Math.max(0, tx.now.getTime() - run.startedAt.getTime()),
    sectionsData: showSections(document.sections),
    narrativeOutput: shownNarrative(document.narrative),
    deliveryResults,
  });
}

/** Why a run failed, in words without data; the log has the rest. */
export function reasonOf({ logger }: Pick<RunPorts, 'logger'>, runId: string, err: unknown): string {
  logger.warn({ err, runId }, 'report could not be written');
  return err instanceof AppError ? err.code : 'internal';
}

/** Returns who started a run: a user's name, or `api` for keys and clients. */
const starterOf = ({ id }: Actor): string => (isUuid(id) ? id : 'api');

/**
 * Generates a report now, stores it and sends it, with one try per destination. Stores the run before it begins, under
 * the work's id: one that a process began but didn't finish has failed, because what it had sent is unknown. Throws 404
 * for an unknown template or destination. A report that can't be written is a failed run.
 */
export async function runNow(
  ports: RunPorts,
  caller: ReportCaller,
  templateId: string,
  body: RunNowBody,
  { id: runId, isAgain, keep }: KeyedAttempt<RunNowAnswer>,
): Promise<RunNowAnswer> {
  const { tenantId, actor, requestId, until } = caller;
  /** In the transaction that ends the run. */
  const answered = async (tx: Tx): Promise<RunNowAnswer> => {
    const answer = await answerOf(tx, runId);
    await keep(tx, answer);
    return answer;
  };
  const startedRun = await ports.database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      if (isAgain && (await lockRun(tx, runId)) !== undefined) {
        await failRun(tx, runId, 'interrupted');
        return answered(tx);
      }
      return begin(tx, runId, await getTemplate(tx, templateId), body);
    },
    { requestId, until },
  );
  if ('runId' in startedRun) return startedRun;
  const { template, run } = startedRun;
  let finishedReport: MadeReport;
  try {
    finishedReport = await makeReport(ports, tenantId, actor, template, { runId, formats: run.formats });
    const files = finishedReport;
    await ports.database.withTenant(tenantId, actor, (tx) => keepFiles(tx, runId, files), { requestId });
  } catch (error) {
    const reason = reasonOf(ports, runId, error);
    return ports.database.withTenant(
      tenantId,
      actor,
      async (tx) => {
        await failRun(tx, runId, reason);
        return answered(tx);
      },
      { requestId },
    );
  }
  const message = messageOf(ports.publicUrl, run, finishedReport.document);
  const sent = await sendToAll(
    ports,
    caller,
    run.destinations,
    { ...message, type: 'report' },
    finishedReport.artifacts,
  );
  const deliveryResults = sent.map(({ providerId, ok, providerMessageId, error }) => ({
    providerId,
    ok,
    providerMessageId,
    error,
  }));
  return ports.database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      await finish(tx, { id: runId, startedAt: run.startedAt }, finishedReport, deliveryResults);
      return answered(tx);
    },
    { requestId },
  );
}

/** A run as callers see it. */
async function answerOf(tx: Tx, runId: string): Promise<RunNowAnswer> {
  const run = await lockRun(tx, runId);
  if (run === undefined) throw new AppError('not_found', { detail: 'The run was deleted before it finished.' });
  const files = (await selectArtifactFacts(tx, [runId])).get(runId) ?? [];
  const { formats } = run;
  return {
    runId,
    status: run.status,
    artifacts: files.toSorted((a, b) => formats.indexOf(a.format) - formats.indexOf(b.format)),
    deliveryResults: [...run.deliveryResults],
  };
}

type BegunRun = Pick<
  RunRow,
  | 'id'
  | 'templateId'
  | 'templateName'
  | 'scheduleId'
  | 'triggeredBy'
  | 'formats'
  | 'destinations'
  | 'begunAt'
  | 'startedAt'
>;

/** Stores a run before it's written, and records who started it. */
export async function startRun(tx: Tx, run: Parameters<typeof insertRun>[1], givenUpAt: Date): Promise<void> {
  await insertRun(tx, run, givenUpAt);
  const { templateId, scheduleId, triggeredBy, formats, destinations } = run;
  await recordAudit(tx, {
    action: 'run_started',
    entityType: 'reportRun',
    entityId: run.id,
    entityName: run.templateName,
    after: { templateId, scheduleId, triggeredBy, formats, destinations },
  });
}

async function begin(
  tx: Tx,
  id: string,
  template: TemplateRow,
  { destinations, formats }: RunNowBody,
): Promise<{ readonly template: TemplateRow; readonly run: BegunRun }> {
  const run: BegunRun = {
    id,
    templateId: template.id,
    templateName: template.name,
    scheduleId: null,
    triggeredBy: starterOf(tx.actor),
    formats: [...(formats ?? template.formats)],
    destinations:
      destinations === undefined
        ? template.destinations
        : await requireDestinations(tx, destinations, '/destinations', template.destinations),
    begunAt: tx.now,
    startedAt: tx.now,
  };
  await startRun(tx, run, new Date(tx.now.getTime() + writtenWithinMs));
  return { template, run };
}
