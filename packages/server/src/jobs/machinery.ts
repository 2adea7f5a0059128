import Type from 'typebox';
import type { Database } from '../db/index.ts';
import { expireDeadLetters } from './dead-letters.store.ts';
import { installationJob } from './job.ts';
import type { JobHandler } from './registry.ts';
import { handleInSlices } from './slices.ts';

/** Deletes expired dead letters (docs/design/api-access.md 14, fixed lives). */
const expireDeadLettersJob = installationJob({
  name: 'dead-letters.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '53 4 * * *', payload: {}, upkeep: true },
});

/** The machinery's own jobs. */
export function machineryJobs(database: Database): readonly JobHandler[] {
  return [handleInSlices(expireDeadLettersJob, database, expireDeadLetters)];
}
