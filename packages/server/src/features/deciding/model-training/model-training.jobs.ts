import { systemActor } from '../../../db/index.ts';
import { handleJob, type JobHandler } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { failTraining, retrainModelJob } from '../../catalogue/models/index.ts';
import { startTraining } from './start-training.service.ts';
import { runTraining, type TrainingPorts } from './train.service.ts';
import { trainModelJob } from './train-job.ts';

/** Obstacles of a scheduled training; the next one tries again. */
const skipped: readonly string[] = [
  'not_found',
  'concurrent_modification',
  'validation_failed',
  'reference_not_found',
  'model_unsupported',
];

export const modelTrainingJobs = (ports: TrainingPorts): readonly JobHandler[] => [
  handleJob(
    trainModelJob,
    ({ trainingId }, { tenantId, signal }) => runTraining(ports, tenantId, trainingId, signal),
    ({ trainingId }, tenantId) =>
      ports.database.withTenant(tenantId, systemActor('model-train'), (tx) => failTraining(tx, trainingId, 'failed')),
  ),
  handleJob(retrainModelJob, async ({ modelId }, { tenantId }) => {
    try {
      await ports.database.withTenant(tenantId, systemActor('models-retrain'), (tx) => startTraining(tx, modelId, {}));
    } catch (error) {
      if (!(error instanceof AppError) || !skipped.includes(error.code)) throw error;
    }
  }),
];
