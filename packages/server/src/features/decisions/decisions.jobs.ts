import Type from 'typebox';
import type { Database } from '../../db/index.ts';
import { handleInSlices, type JobHandler, job } from '../../jobs/index.ts';
import { expireRequests, expireResponseKeys } from './key-expiry.store.ts';

/** Deletes answers that are kept for repeated requests and responses no longer (docs/design/api-access.md 14, fixed lives). */
export const expireKeysJob = job({
  name: 'keys.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '43 * * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export function decisionJobs(database: Database): readonly JobHandler[] {
  return [handleInSlices(expireKeysJob, database, expireResponseKeys, expireRequests)];
}
