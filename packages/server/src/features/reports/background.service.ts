import { systemActor, type Tx } from '../../db/index.ts';
import { type DeliveryResult, enqueueDelivery, type MessageFile, providersAmong } from '../notifications/index.ts';
import { type MakePorts, makeReport } from './make.service.ts';
import { messageOf } from './message.rules.ts';
import { finish, keepFiles, type RunPorts, reasonOf, writtenWithinMs } from './runs.service.ts';
import { beginRun, failRun, lockRun, type RunRow, selectArtifacts, updateDeliveries } from './runs.store.ts';
import { selectTemplate, type TemplateRow } from './templates.store.ts';

const actor = systemActor('report');

/** What the job of a run needs from the process. */
export type BackgroundPorts = MakePorts & Pick<RunPorts, 'logger' | 'publicUrl'>;

/**
 * Writes a run that a schedule has started, and puts its messages into the queue. A run that another process had begun and
 * not ended is lost: it is not written twice, since what it had sent is not known.
 */
export async function writeRun(ports: BackgroundPorts, tenantId: string, runId: string): Promise<void> {
  const begun = await ports.database.withTenant(tenantId, actor, (tx) => begin(tx, runId));
  if (begun === null) return;
  const { run, template } = begun;
  try {
    const made = await makeReport(ports, tenantId, actor, template, { runId, formats: run.formats });
    const message = messageOf(ports.publicUrl, run, made.document);
    await ports.database.withTenant(tenantId, actor, async (tx) => {
      if ((await lockRun(tx, runId))?.status !== 'running') return;
      await keepFiles(tx, runId, made);
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
      await finish(tx, run, made, results);
    });
  } catch (error) {
    const reason = reasonOf(ports, runId, error);
    await ports.database.withTenant(tenantId, actor, (tx) => failRun(tx, runId, reason));
  }
}

async function begin(tx: Tx, runId: string): Promise<{ readonly run: RunRow; readonly template: TemplateRow } | null> {
  const run = await lockRun(tx, runId);
  if (run === undefined || run.status !== 'running') return null;
  const template = await selectTemplate(tx, run.templateId);
  if (run.begunAt !== null || template === undefined) {
    await failRun(tx, runId, run.begunAt === null ? 'template_deleted' : 'interrupted');
    return null;
  }
  await beginRun(tx, runId, new Date(tx.now.getTime() + writtenWithinMs));
  return { run, template };
}

/** Notes what came of one message of a run. */
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
