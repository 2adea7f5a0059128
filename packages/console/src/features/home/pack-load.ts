import { type SeedDatasetStatus, seedDatasetOperations } from '@arbiter/contract/operations/seed-datasets';
import { call } from '../../data/call.ts';
import { homeTexts as t } from '../../messages/home.ts';
import type { JobStanding, JobWatch } from '../../route/job.ts';

/** State of a load in the jobs tray. */
function standingOf({ status, step, progress }: SeedDatasetStatus): JobStanding {
  if (status === 'running') return { state: 'running', progress: progress / 100, note: t.seedSteps[step] };
  // It was removed again or aborted.
  if (status === 'idle') return { state: 'cancelled' };
  return { state: status === 'completed' ? 'done' : 'failed', note: '' };
}

/** Polls the load of a dataset, whose key is the ID of the job. */
export const packLoad: JobWatch = {
  ask: async (key, signal) => standingOf(await call(seedDatasetOperations.status, { params: { key }, signal })),
};
