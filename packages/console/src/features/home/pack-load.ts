import { type SeedDatasetStatus, seedDatasetOperations } from '@arbiter/contract/operations/seed-datasets';
import { call } from '../../data/call.ts';
import { homeTexts as t } from '../../messages/home.ts';
import type { JobStanding, JobWatch } from '../../route/job.ts';

/** How a load stands in the tray of jobs. */
function standingOf({ status, step, progress }: SeedDatasetStatus): JobStanding {
  if (status === 'running') return { state: 'running', progress: progress / 100, note: t.seedSteps[step] };
  // It was taken out again, or broke off, and nothing is left of it.
  if (status === 'idle') return { state: 'cancelled' };
  return { state: status === 'completed' ? 'done' : 'failed', note: '' };
}

/** Watches the load of a dataset of sample data, whose key is the id of the job. */
export const packLoad: JobWatch = {
  ask: async (key, signal) => standingOf(await call(seedDatasetOperations.status, { params: { key }, signal })),
};
