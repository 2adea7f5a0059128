import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { modelLearningJobs } from './model-learning.jobs.ts';

export { learnSoon } from './model-learning.jobs.ts';

export const modelLearningFeature = feature({
  name: 'model-learning',
  jobs: ({ database }: { readonly database: Database }) => modelLearningJobs(database),
});
