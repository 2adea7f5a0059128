import Type from 'typebox';
import type { Database } from '../../../db/index.ts';
import { handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { expireNarratives } from './narratives.store.ts';

/** Deletes cached narratives after 7 days (docs/design/api-access.md 14, fixed lives). */
const expireNarrativesJob = job({
  name: 'narratives.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '52 * * * *', payload: {}, upkeep: true },
});

export const narrativeJobs = (database: Database): readonly JobHandler[] => [
  handleInSlices(expireNarrativesJob, database, expireNarratives),
];
