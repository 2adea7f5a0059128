import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import {
  dropJob,
  enqueueJob,
  enqueueJobs,
  handleInSlices,
  handleJob,
  type JobHandler,
  job,
  Postponed,
} from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type DispatchPorts, dispatchFiring, type InTransaction } from './dispatch.service.ts';
import { expireFirings, selectUnsettled } from './firings.store.ts';

/** Runs the action of a firing. */
const dispatchJob = job({
  name: 'trigger.dispatch',
  payload: Type.Object({ firingId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Enqueues the actions of an event that a request didn't bring to an end, because its process ended. */
const resumeJob = job({
  name: 'trigger.resume',
  payload: Type.Object({ eventId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes firings that the tenant no longer keeps (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'triggers.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '52 4 * * *', payload: {}, upkeep: true },
});

const dispatchKey = ({ firingId }: { readonly firingId: string }): string => `trigger.dispatch:${firingId}`;
const resumeKey = (eventId: string): string => `trigger.resume:${eventId}`;

/** Puts the actions of firings into the queue of the transaction, each in place of a job that waits for it. */
export const enqueueDispatches = (tx: Tx, firingIds: readonly string[]): Promise<void> =>
  enqueueJobs(
    tx,
    dispatchJob,
    firingIds.map((firingId) => ({ firingId })),
    { keyOf: dispatchKey },
  );

/** How long the actions of an event have until a job looks for those that are not over. */
const resumeAfterMs = 10_000;

/** Enqueues what a request leaves untried if its process ends. `dropResume` takes it back. */
export const enqueueResume = (tx: Tx, eventId: string): Promise<void> =>
  enqueueJob(
    tx,
    resumeJob,
    { eventId },
    { key: resumeKey(eventId), runAt: new Date(tx.now.getTime() + resumeAfterMs) },
  );

/** For an event whose actions were all tried, or enqueued one by one. */
export const dropResume = (tx: Tx, eventId: string): Promise<void> => dropJob(tx, resumeKey(eventId));

/**
 * Puts the action of a firing into the queue of the transaction, in place of a job that waits for it. `hasFailed`: one
 * of its attempts is used up.
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
      key: dispatchKey({ firingId }),
      attempts: dispatchJob.attempts - (hasFailed ? 1 : 0),
      ...(inMs === 0 ? {} : { runAt: new Date(tx.now.getTime() + inMs) }),
    },
  );

/** Deletes one slice. */
export const retainFirings = (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireFirings(tx, days));

/** How long an action waits until it looks again whether it's its turn. */
const turnSeconds = 1;

const actor = systemActor('trigger');

/** Runs the transactions of actions. They're short and frequent, so their statements are prepared. */
export const actionTransactions =
  (database: Database, tenantId: string): InTransaction =>
  (work) =>
    database.withTenant(tenantId, actor, work, { prepares: true });

export function triggerJobs(ports: DispatchPorts & { readonly database: Database }): JobHandler[] {
  return [
    handleJob(dispatchJob, async ({ firingId }, { tenantId }) => {
      const result = await dispatchFiring(ports, actionTransactions(ports.database, tenantId), firingId);
      if (result.kind === 'behind') throw new Postponed(turnSeconds);
      if (result.kind === 'held') throw new Postponed(result.seconds);
      if (result.kind === 'failed' && !result.isFinal) throw new Error(`the action failed: ${result.error}`);
    }),
    handleJob(resumeJob, ({ eventId }, { tenantId }) =>
      ports.database.withTenant(tenantId, actor, async (tx) =>
        enqueueDispatches(tx, await selectUnsettled(tx, eventId)),
      ),
    ),
    handleInSlices(retainJob, ports.database, async (tx) => (await retainFirings(tx)).more),
  ];
}
