import { experimentOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable } from '../catalogue-records/index.ts';
import { experimentRoutes } from './experiments.routes.ts';
import { experimentSpec } from './experiments.store.ts';

export { isDue, problemsOfArms } from './experiments.rules.ts';
export { createExperiment } from './experiments.service.ts';
export {
  type ExperimentRow,
  experimentSpec,
  experimentsWithModel,
  selectDueExperiments,
  selectExperiments,
} from './experiments.store.ts';
export { experimentsForPlans } from './plan-experiments.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['experiments'];

export const experimentsFeature = feature({
  name: 'experiments',
  tables,
  resets: { empties: tables },
  // Its champion may have another active experiment by now.
  restores: [
    restorable(experimentSpec, {
      set: ({ status }) => ({ status: status === 'active' ? ('paused' as const) : status }),
    }),
  ],
  operations: () => handlerEntries(experimentOperations, experimentRoutes()),
});
