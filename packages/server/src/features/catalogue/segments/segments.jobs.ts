import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { compareMembers, type RefreshPorts, recount } from './refresh.service.ts';
import { selectCountedIds } from './segments.store.ts';

/** Counts one segment and, when something watches it, publishes who entered and who left. */
export const refreshSegmentJob = job({
  name: 'segment.refresh',
  payload: Type.Object({ segmentId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** The same for every segment that is not archived, each as a job of its own (docs/design/api-access.md 15). */
export const refreshSegmentsJob = job({
  name: 'segments.refresh',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 * * * *', payload: {} },
});

/** Puts the refreshing of a segment into the queue, once. */
export const enqueueRefresh = (tx: Tx, segmentId: string): Promise<void> =>
  enqueueJob(tx, refreshSegmentJob, { segmentId }, { key: `segment.refresh:${segmentId}` });

/** Maximum time of counting one segment in the database, in ms. */
const longestCountMs = 15 * 60_000;

/** Returns this feature's jobs with their handlers. */
export function segmentJobs({ database, ...ports }: RefreshPorts & { readonly database: Database }): JobHandler[] {
  const actor = systemActor('segments-refresh');
  const patient = { statementTimeoutMs: longestCountMs };
  return [
    handleJob(refreshSegmentJob, async ({ segmentId }, { tenantId, signal }) => {
      await database.withTenant(tenantId, actor, (tx) => recount(tx, segmentId), patient);
      let more = true;
      while (more && !signal.aborted) {
        more = await database.withTenant(tenantId, actor, (tx) => compareMembers(tx, ports, segmentId), patient);
      }
      if (more) throw new Error('the process stopped before the segment was compared');
    }),
    handleJob(refreshSegmentsJob, async (_payload, { tenantId }) => {
      await database.withTenant(tenantId, actor, async (tx) => {
        for (const id of await selectCountedIds(tx)) await enqueueRefresh(tx, id);
      });
    }),
  ];
}
