import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { dayOffsets } from '../../../platform/day-offsets.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { recountTotals } from './outbox.store.ts';
import { expireStream } from './stream-expiry.store.ts';

/** Deletes what the event stream keeps no longer (docs/design/api-access.md 14, fixed lives). */
const expireStreamJob = job({
  name: 'stream.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '13 * * * *', payload: {}, upkeep: true },
});

/** Counts the tenant's daily figures anew: for a tenant that changed its zone, or figures that are in doubt. */
const recountTotalsJob = job({
  name: 'totals.recount',
  payload: Type.Object({}, { additionalProperties: false }),
});

/** Has the figures counted anew in the background; one that waits does for this call too. */
export const enqueueRecount = (tx: Tx): Promise<void> =>
  enqueueJob(tx, recountTotalsJob, {}, { key: recountTotalsJob.name });

/** All of history is read by one statement. */
const recountWithinMs = 15 * 60_000;

/** How this feature's jobs are done. */
export function streamJobs(database: Database): readonly JobHandler[] {
  const recount = async (tx: Tx) => recountTotals(tx, await dayOffsets((await readSettings(tx)).timezone));
  return [
    handleInSlices(expireStreamJob, database, expireStream),
    handleJob(recountTotalsJob, (_payload, { tenantId }) =>
      database.withTenant(tenantId, systemActor('totals-recount'), recount, { statementTimeoutMs: recountWithinMs }),
    ),
  ];
}
