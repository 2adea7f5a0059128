import { algorithmModelOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable } from '../catalogue-records/index.ts';
import { type ModelPorts, modelRoutes } from './models.routes.ts';
import { modelSpec } from './models.store.ts';

export {
  hasLearningModels,
  type LearningModel,
  lockLearningModels,
  readScored,
  readScoredBetween,
  saveLearned,
} from './learning.store.ts';
export { modelNamed, modelsForPlan } from './model-names.rules.ts';
export type { ModelPorts } from './models.routes.ts';
export { registryMoves } from './models.rules.ts';
export { createModel } from './models.service.ts';
export { keepModels, type ModelFacts, selectModels } from './models.store.ts';
export { createModelStateKeeper, type ModelStateKeeper, type StatesInMemory as HeldStates } from './state-keeper.ts';
export { expireModelStates, insertScored, readStateBodies, readStates, type ScoredDecision } from './states.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['algorithm_models', 'model_states', 'model_state_bodies', 'model_decisions'];

export const modelsFeature = feature({
  name: 'models',
  tables,
  resets: { empties: tables },
  // Its family may have another champion by now.
  restores: [
    restorable(modelSpec, {
      set: ({ registryStatus }) => ({
        registryStatus: registryStatus === 'champion' ? ('challenger' as const) : registryStatus,
      }),
    }),
  ],
  operations: (ports: ModelPorts) => handlerEntries(algorithmModelOperations, modelRoutes(ports)),
});
