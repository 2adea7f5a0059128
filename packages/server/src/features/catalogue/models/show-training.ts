import type { AlgorithmModel } from '@arbiter/contract';
import { round6 } from '@arbiter/engine';
import type { ShownTraining } from './trainings.store.ts';

type Metrics = NonNullable<AlgorithmModel['metrics']>;

/**
 * The newest training as answers show it. One that ended after the model's row was read is still running, so that who sees
 * `completed` sees the trained model too. `version`: that of the row.
 */
export function showTraining(training: ShownTraining | undefined, version: number): AlgorithmModel['training'] {
  if (training === undefined) return null;
  const isNewer = (training.trainedVersion ?? 0) > version;
  const { id, progress, error, createdAt } = training;
  const status = isNewer ? 'running' : training.status;
  const finishedAt = isNewer ? null : training.finishedAt;
  return {
    jobId: id,
    status,
    progress: round6(progress),
    error,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

/** Metrics of successful trainings, as answers show them. */
export function showHistory(trainings: readonly ShownTraining[]): AlgorithmModel['metricsHistory'] {
  return trainings.flatMap(({ trainedVersion, metrics, samples, finishedAt }) =>
    metrics === null || finishedAt === null || trainedVersion === null
      ? []
      : [
          {
            version: trainedVersion,
            trainedAt: finishedAt.toISOString(),
            trainingSamples: Number(samples ?? 0),
            ...showMetrics(metrics),
          },
        ],
  );
}

export function showMetrics({ auc, logLoss, brier, accuracy, ece, samples, positives }: Metrics): Metrics {
  return {
    auc: auc === null ? null : round6(auc),
    logLoss: round6(logLoss),
    brier: round6(brier),
    accuracy: round6(accuracy),
    ece: round6(ece),
    samples,
    positives,
  };
}
