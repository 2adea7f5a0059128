import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job, Postponed } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type DispatchPorts, dispatchFiring } from './dispatch.service.ts';
import { expireFirings } from './firings.store.ts';

/** Runs the action of a firing. */
const dispatchJob = job({
  name: 'trigger.dispatch',
  payload: Type.Object({ firingId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes firings that the tenant keeps no longer (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'triggers.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '52 4 * * *', payload: {}, upkeep: true },
});

/**
 * Puts the action of a firing into the queue of the transaction, in place of a job that waits for it. `hasFailed`: one of
 * its tries is used up.
 */
export const enqueueDispatch = (
  tx: Tx,
  firingId: string,
  { inMs = 0, hasFailed = false }: { readonly inMs?: number; readonly hasFailed?: boolean } = {},
): Promise<void> =>
  enqueueJob(
    tx,
    dispatchJob,
    { firingId },
    {
      key: `trigger.dispatch:${firingId}`,
      attempts: dispatchJob.attempts - (hasFailed ? 1 : 0),
      ...(inMs === 0 ? {} : { runAt: new Date(tx.now.getTime() + inMs) }),
    },
  );

/** Deletes one slice. */
export const retainFirings = (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireFirings(tx, days));

/** How long an action waits until it looks again whether it's its turn. */
const turnSeconds = 1;

export function triggerJobs(ports: DispatchPorts & { readonly database: Database }): JobHandler[] {
  const actor = systemActor('trigger');
  return [
    handleJob(dispatchJob, async ({ firingId }, { tenantId }) => {
      const result = await dispatchFiring(ports, (work) => ports.database.withTenant(tenantId, actor, work), firingId);
      if (result.kind === 'behind') throw new Postponed(turnSeconds);
      if (result.kind === 'held') throw new Postponed(result.seconds);
      if (result.kind === 'failed' && !result.isFinal) throw new Error(`the action failed: ${result.error}`);
    }),
    handleInSlices(retainJob, ports.database, async (tx) => (await retainFirings(tx)).more),
  ];
}
