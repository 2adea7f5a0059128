import { algorithmModelOperations, modelImportOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable } from '../catalogue-records/index.ts';
import { type ImportPorts, modelImportRoutes } from './import.routes.ts';
import { type ModelPorts, modelRoutes } from './models.routes.ts';
import { modelSpec } from './models.store.ts';

export { callEndpoint } from './call-endpoint.ts';
export { readyEndpoint } from './endpoint.service.ts';
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
export { problemsOf, registryMoves } from './models.rules.ts';
export { createModel, showModels } from './models.service.ts';
export { type ModelFacts, type ModelRow, modelSpec, namedModels, selectModels } from './models.store.ts';
export { type ModelPlace, type PreparedImport, prepareImport, type ReadModelFile } from './prepare-import.ts';
export { type MeasureModel, type PromotePorts, promoteModel } from './promote.service.ts';
export { retrainModelJob } from './retrain-schedule.ts';
export { createModelStateKeeper, type ModelStateKeeper, type StatesInMemory as HeldStates } from './state-keeper.ts';
export {
  expireModelStates,
  insertScored,
  readStateBodies,
  readStates,
  replaceState,
  type ScoredDecision,
} from './states.store.ts';
export {
  completedTrainings,
  completeTraining,
  failTraining,
  insertTraining,
  isActivating,
  lockOpenTraining,
  lockOpenTrainingOf,
  noteProgress,
  type TrainingError,
  type TrainingRequest,
  trainedUntil,
  trainingBaseline,
} from './trainings.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = [
  'algorithm_models',
  'model_secrets',
  'model_states',
  'model_state_bodies',
  'model_decisions',
  'model_trainings',
];

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
  operations: (ports: ModelPorts & ImportPorts & { readonly database: Database }) => [
    ...handlerEntries(algorithmModelOperations, modelRoutes(ports)),
    ...handlerEntries(modelImportOperations, modelImportRoutes(ports)),
  ],
});
