import { modelTrainingOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { modelTrainingJobs } from './model-training.jobs.ts';
import { modelTrainingRoutes } from './model-training.routes.ts';
import type { TrainingPorts } from './train.service.ts';

export { measureModel } from './drift.service.ts';
export { startTraining } from './start-training.service.ts';
export { readRows, type ThreadTraining, type TrainInThread, type TrainingPorts } from './train.service.ts';

export const modelTrainingFeature = feature({
  name: 'model-training',
  operations: ({ customerKeys }: { readonly customerKeys: CustomerKeys }) =>
    handlerEntries(modelTrainingOperations, modelTrainingRoutes(customerKeys)),
  jobs: (ports: TrainingPorts) => modelTrainingJobs(ports),
});
