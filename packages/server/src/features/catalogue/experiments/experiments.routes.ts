import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeExperiment, createExperiment, deleteExperiment } from './experiments.service.ts';
import { experimentSpec } from './experiments.store.ts';

export const experimentRoutes = () =>
  recordHandlers(experimentSpec, {
    create: createExperiment,
    change: changeExperiment,
    remove: (tx, id, addressed) => noContent(deleteExperiment(tx, id, addressed)),
  });
