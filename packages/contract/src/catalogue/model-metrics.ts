import Type from 'typebox';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const metricFields = {
  auc: Nullable(share('Area under the ROC curve.'), { description: 'Null if all rows have one label.' }),
  logLoss: Type.Number({ minimum: 0, description: 'Mean negative log likelihood.' }),
  brier: share('Mean squared error of the scores.'),
  accuracy: share('Share of rows on the right side of 0.5.'),
  ece: share('Expected calibration error over ten bins.'),
  samples: Type.Integer({
    minimum: 0,
    description: 'Rows it was measured on: the latest fifth, which training does not see.',
  }),
  positives: Type.Integer({ minimum: 0, description: 'Positive rows among them.' }),
};
export const ModelMetrics = Type.Object(metricFields, { description: 'How well a trained model predicts.' });
export const ModelMetricsEntry = Type.Object(
  {
    version: Type.Integer({ description: 'Version of the model that the training made.' }),
    trainedAt: Timestamp('When it was trained.'),
    trainingSamples: Type.Integer({ minimum: 0, description: 'Rows it was trained on.' }),
    ...metricFields,
  },
  { description: 'Metrics of one training.' },
);
export const trainingErrors = [
  'insufficient_data',
  'cancelled',
  'model_deleted',
  'schema_not_found',
  'failed',
] as const;
export const ModelTraining = Type.Object(
  {
    jobId: Id('ID of the training.'),
    status: StringEnum(['queued', 'running', 'completed', 'failed'], { description: 'Status.' }),
    progress: share('Finished part.'),
    error: Nullable(StringEnum(trainingErrors, { description: 'Why it failed.' }), {
      description: 'Null unless it failed.',
    }),
    createdAt: Timestamp('When it was requested.'),
    finishedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended, or null.' }),
  },
  { description: 'A training.' },
);

export const MeasuredMetrics = Type.Object(
  {
    auc: Type.Optional(share('AUC.')),
    psi: Type.Optional(
      Type.Record(Type.String({ description: 'Predictor.' }), Type.Number({ minimum: 0, description: 'PSI.' }), {
        maxProperties: 2_000,
        description: 'Population stability index by predictor.',
      }),
    ),
    errorRate: Type.Optional(share('Share of decisions without a usable score.')),
  },
  { additionalProperties: false, description: 'Metrics of the model measured elsewhere. They replace our own.' },
);
export const RollbackThresholds = Type.Object(
  {
    aucDrop: Type.Optional(share('Largest relative drop of the AUC. Default 0.05.')),
    psi: Type.Optional(
      Type.Number({ minimum: 0, maximum: 10, description: 'Largest PSI of a predictor. Default 0.25.' }),
    ),
    errorRate: Type.Optional(share('Largest share of decisions without a usable score. Default 0.02.')),
  },
  { additionalProperties: false, description: 'Limits for promoting a model.' },
);
