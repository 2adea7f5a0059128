import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { TickFailure } from '../alerts/index.ts';
import { startRun } from './runs.service.ts';
import { failRun, isOneWaiting, selectLost } from './runs.store.ts';
import { nextRunAfter } from './schedules.service.ts';
import { claimSchedule, moveOn, selectDue } from './schedules.store.ts';
import { selectTemplate } from './templates.store.ts';

const actor = systemActor('report');

/** Maximum wait of a run in the queue, including retries of its job, before it is given up. */
const waitsMs = 6 * 3_600_000;
/** Schedules per run of the tick. The rest follow in the next one. */
const maxAtOnce = 1_000;

/** What the tick gives. */
export interface DuePorts {
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Starts the due reports of all tenants. The run, its job and the schedule's next run are one transaction, and one call
 * claims a schedule: whoever calls it, and however often, a due run starts once. A schedule that missed several runs makes
 * one (docs/design/quality.md E10).
 */
export async function startDueReports(
  { database, logger }: DuePorts,
  now: Date,
  enqueue: EnqueueRun,
): Promise<TickFailure[]> {
  const errors: TickFailure[] = [];
  const { due, lost } = await database.withSystem('report', async (tx) => ({
    due: await selectDue(tx, now, maxAtOnce),
    lost: await selectLost(tx, now, maxAtOnce),
  }));
  for (const { tenantId, id } of due) {
    try {
      await database.withTenant(tenantId, actor, (tx) => startDue(tx, id, now, enqueue));
    } catch (err) {
      const error = `report schedule ${id} could not be started`;
      logger.warn({ err, tenantId }, error);
      errors.push({ tenantId, error });
    }
  }
  for (const { tenantId, id } of lost) {
    await database.withTenant(tenantId, actor, async (tx) => {
      await failRun(tx, id, 'interrupted');
      // The job that was on it would have continued with the next one.
      if (await isOneWaiting(tx)) await enqueue(tx);
    });
  }
  return errors;
}

/** Puts the job of the tenant's next run into the queue of the transaction. */
export type EnqueueRun = (tx: Tx) => Promise<void>;

async function startDue(tx: Tx, id: string, now: Date, enqueue: EnqueueRun): Promise<void> {
  const schedule = await claimSchedule(tx, id, now);
  if (schedule === undefined) return;
  const template = await selectTemplate(tx, schedule.templateId);
  const next = nextRunAfter(schedule.cronExpression, schedule.timezone, now);
  if (template === undefined || !template.enabled) {
    await moveOn(tx, id, next, null);
    return;
  }
  const runId = newId();
  await startRun(
    tx,
    {
      id: runId,
      templateId: template.id,
      templateName: template.name,
      scheduleId: id,
      triggeredBy: 'schedule',
      formats: template.formats,
      destinations: schedule.destinations.length > 0 ? schedule.destinations : template.destinations,
      begunAt: null,
    },
    new Date(tx.now.getTime() + waitsMs),
  );
  await enqueue(tx);
  await moveOn(tx, id, next, { id: runId, at: now });
}
