import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { claimPipeline, selectDuePipelines, storeNextRun } from './pipelines.store.ts';
import { queueRun } from './runs.service.ts';
import { hasOpenRun } from './runs.store.ts';
import { nextRunOf } from './schedule.rules.ts';

const actor = systemActor('pipeline');
/** Pipelines per tick. The rest follow in the next one. */
const maxAtOnce = 1_000;

/**
 * Starts the due pipelines of all tenants: run, job and next instant are one transaction, and one call claims a pipeline.
 * Several missed instants make one run. While a run of the pipeline is in progress, the instant is left out.
 */
export async function startDuePipelines(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  now: Date,
): Promise<{ tenantId: string; error: string }[]> {
  const errors: { tenantId: string; error: string }[] = [];
  const due = await database.withSystem('pipeline', (tx) => selectDuePipelines(tx, now, maxAtOnce));
  for (const { tenantId, id } of due) {
    try {
      await database.withTenant(tenantId, actor, (tx) => startDue(tx, id, now));
    } catch (err) {
      const error = `pipeline ${id} could not be started`;
      logger.warn({ err, tenantId }, error);
      errors.push({ tenantId, error });
    }
  }
  return errors;
}

async function startDue(tx: Tx, id: string, now: Date): Promise<void> {
  const pipeline = await claimPipeline(tx, id, now);
  if (pipeline === null) return;
  if (!(await hasOpenRun(tx, id))) await queueRun(tx, pipeline, 'schedule');
  const next = nextRunOf(pipeline, now.getTime());
  await storeNextRun(tx, id, next === null ? null : new Date(next));
}
