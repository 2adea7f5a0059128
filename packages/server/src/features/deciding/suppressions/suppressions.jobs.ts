import Type from 'typebox';
import type { Database } from '../../../db/index.ts';
import { handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { removeExpired } from './suppressions.store.ts';

/** Deletes suppressions that have expired. */
const expireSuppressionsJob = job({
  name: 'suppressions.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '25 4 * * *', payload: {}, upkeep: true },
});

/** Returns the handlers of this feature's jobs. */
export const suppressionJobs = (database: Database): readonly JobHandler[] => [
  handleInSlices(expireSuppressionsJob, database, async (tx) => (await removeExpired(tx)).more),
];
