import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { modelLearningJobs } from './model-learning.jobs.ts';

export { lessonOf } from './lessons.rules.ts';
export { learnSoon } from './model-learning.jobs.ts';

export const modelLearningFeature = feature({
  name: 'model-learning',
  jobs: ({ database, customerKeys }: { readonly database: Database; readonly customerKeys: CustomerKeys }) =>
    modelLearningJobs(database, customerKeys),
});
