import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { recountTotals } from './outbox.store.ts';
import { expireStream } from './stream-expiry.store.ts';

/** Deletes expired rows of the event stream (docs/design/api-access.md 14, fixed lives). */
const expireStreamJob = job({
  name: 'stream.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '13 * * * *', payload: {}, upkeep: true },
});

/** Recounts the tenant's daily figures, for a tenant that changed its zone, or doubtful figures. */
const recountTotalsJob = job({
  name: 'totals.recount',
  payload: Type.Object({}, { additionalProperties: false }),
});

/** Recounts the figures in the background; a waiting job serves this call too. */
export const enqueueRecount = (tx: Tx): Promise<void> =>
  enqueueJob(tx, recountTotalsJob, {}, { key: recountTotalsJob.name });

/** One statement reads all of history. */
const recountWithinMs = 15 * 60_000;

/** Returns this feature's jobs with their handlers. */
export function streamJobs(database: Database): readonly JobHandler[] {
  const recount = async (tx: Tx) => recountTotals(tx, await dayOffsets((await readSettings(tx)).timezone));
  return [
    handleInSlices(expireStreamJob, database, expireStream),
    handleJob(recountTotalsJob, (_payload, { tenantId }) =>
      database.withTenant(tenantId, systemActor('totals-recount'), recount, { statementTimeoutMs: recountWithinMs }),
    ),
  ];
}
