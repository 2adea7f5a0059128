import Type from 'typebox';
import type { Database } from '../../db/index.ts';
import { handleInSlices, type JobHandler, job } from '../../jobs/index.ts';
import { expireStream } from './stream-expiry.store.ts';

/** Deletes what the event stream keeps no longer (docs/design/api-access.md 14, fixed lives). */
export const expireStreamJob = job({
  name: 'stream.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '13 * * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export function streamJobs(database: Database): readonly JobHandler[] {
  return [handleInSlices(expireStreamJob, database, expireStream)];
}
