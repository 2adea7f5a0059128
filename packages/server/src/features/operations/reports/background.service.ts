import { systemActor, type Tx } from '../../../db/index.ts';
import { type DeliveryResult, enqueueDelivery, type MessageFile, providersAmong } from '../notifications/index.ts';
import { type MakePorts, makeReport } from './make.service.ts';
import { messageOf } from './message.rules.ts';
import { finish, keepFiles, type RunPorts, reasonOf, writtenWithinMs } from './runs.service.ts';
import {
  beginRun,
  failRun,
  isOneWaiting,
  lockRun,
  lockWaiting,
  type RunRow,
  selectArtifacts,
  selectAtWork,
  updateDeliveries,
} from './runs.store.ts';
import { selectTemplate, type TemplateRow } from './templates.store.ts';

const actor = systemActor('report');

/** What the job of a run needs from the process. */
export type BackgroundPorts = MakePorts & Pick<RunPorts, 'logger' | 'publicUrl'>;

/**
 * Writes the tenant's longest-waiting run and enqueues its messages; then `enqueue` puts the next one's job behind all
 * other tenants' waiting jobs. So each tenant has one report in progress and tenants take turns, however many runs one
 * has waiting. A run that this job began but didn't finish is lost: it isn't written twice, because what it had sent is
 * unknown.
 */
export async function writeNextRun(
  ports: BackgroundPorts,
  tenantId: string,
  jobId: string,
  enqueue: (tx: Tx) => Promise<void>,
): Promise<void> {
  const startedRun = await ports.database.withTenant(tenantId, actor, (tx) => begin(tx, jobId));
  if (startedRun === null) return;
  await write(ports, tenantId, startedRun);
  await ports.database.withTenant(tenantId, actor, async (tx) => {
    if (await isOneWaiting(tx)) await enqueue(tx);
  });
}

interface StartedRun {
  readonly run: RunRow;
  readonly template: TemplateRow;
}

async function write(ports: BackgroundPorts, tenantId: string, { run, template }: StartedRun): Promise<void> {
  const runId = run.id;
  try {
    const finishedReport = await makeReport(ports, tenantId, actor, template, { runId, formats: run.formats });
    const message = messageOf(ports.publicUrl, run, finishedReport.document);
    await ports.database.withTenant(tenantId, actor, async (tx) => {
      if ((await lockRun(tx, runId))?.status !== 'running') return;
      await keepFiles(tx, runId, finishedReport);
      const there = await providersAmong(tx, run.destinations);
      const results = run.destinations.map((providerId) => ({
        providerId,
        ok: there.has(providerId) ? null : false,
        providerMessageId: null,
        error: there.has(providerId) ? null : 'destination_deleted',
      }));
      for (const [channel, { providerId, ok }] of results.entries()) {
        if (ok === false) continue;
        await enqueueDelivery(tx, { to: providerId, message, type: 'report', originId: runId, channel });
      }
      await finish(tx, run, finishedReport, results);
    });
  } catch (error) {
    const reason = reasonOf(ports, runId, error);
    await ports.database.withTenant(tenantId, actor, (tx) => failRun(tx, runId, reason));
  }
}

/** Null when nothing waits, or another job is on a run of the tenant and will continue with the next one. */
async function begin(tx: Tx, jobId: string): Promise<StartedRun | null> {
  const atWork = await selectAtWork(tx);
  for (const { runId } of atWork.filter((run) => run.jobId === jobId)) await failRun(tx, runId, 'interrupted');
  if (atWork.some((run) => run.jobId !== jobId)) return null;
  for (let run = await lockWaiting(tx); run !== undefined; run = await lockWaiting(tx)) {
    const template = await selectTemplate(tx, run.templateId);
    if (template !== undefined) {
      await beginRun(tx, run.id, jobId, new Date(tx.now.getTime() + writtenWithinMs));
      return { run, template };
    }
    await failRun(tx, run.id, 'template_deleted');
  }
  return null;
}

/** Notes the result of one message of a run. */
export async function noteReportDelivery(tx: Tx, result: DeliveryResult): Promise<void> {
  if (result.type !== 'report') return;
  const run = await lockRun(tx, result.originId);
  if (run === undefined) return;
  const { ok, providerMessageId, error } = result;
  const results = run.deliveryResults.map((delivery, at) =>
    at === result.channel ? { ...delivery, ok, providerMessageId, error } : delivery,
  );
  const failed = results.some((delivery) => delivery.ok === false);
  await updateDeliveries(tx, run.id, failed ? 'completed_with_errors' : 'completed', results);
}

/** The files that go with a message about a run. */
export async function reportFiles(
  tx: Tx,
  { type, originId }: Pick<DeliveryResult, 'type' | 'originId'>,
): Promise<readonly MessageFile[]> {
  return type === 'report' ? selectArtifacts(tx, originId, null) : [];
}
