import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Int, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { warnedAnswer } from '../core/warnings.ts';
import { AlgorithmModel } from './algorithm-models.ts';
import { share } from './model-metrics.ts';

const oneModel = Type.Object({ id: IdText('ID of the model.') }, { description: 'Model to train.' });
const common = { tag: 'Models', auth: 'credential', transaction: 'tenant', method: 'POST', params: oneModel } as const;

const TrainRequest = Type.Object(
  {
    from: Type.Optional(Timestamp('Earliest decision. Default: the oldest record.')),
    to: Type.Optional(Timestamp('Latest decision. Default: now.')),
    datasetSchemaId: Type.Optional(Id("Schema whose rows to train on. Default: the model's `targetSchemaKey`.")),
    targetField: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Field with the label. Default: the model's `targetField`.",
      }),
    ),
    params: Type.Optional(
      JsonObject(
        'Parameters of the training. Default: those of `config`. logistic_regression: `learningRate`, `l2`, `epochs`.',
      ),
    ),
  },
  { additionalProperties: false, description: 'What to train on.', examples: [{ params: {} }] },
);
export type TrainRequest = Static<typeof TrainRequest>;

const TrainAnswer = Type.Object(
  {
    jobId: Id('ID of the training; `training.jobId` of the model.'),
    modelId: Id('ID of the model.'),
    status: Type.Literal('queued', { description: 'Always `queued`.' }),
  },
  { description: 'The training.' },
);

const ModelDrift = Type.Object(
  {
    modelId: Id('ID of the model.'),
    version: Nullable(Type.Integer(), { description: 'Version that the training made, or null without one.' }),
    from: Timestamp('Start of the recent decisions.'),
    to: Timestamp('End of the recent decisions.'),
    trainingRows: Type.Integer({ minimum: 0, description: 'Rows of the training.' }),
    recentRows: Type.Integer({ minimum: 0, description: 'Items of recent decisions, the newest ones.' }),
    errorRate: Nullable(share('Share of these items that the model has no usable score for.'), {
      description: 'Null without recent items.',
    }),
    predictors: Type.Array(
      Type.Object(
        {
          predictor: Type.String({ description: 'Predictor.' }),
          psi: Type.Number({ minimum: 0, description: 'Population stability index. Above 0.25 is a large shift.' }),
          level: StringEnum(['stable', 'moderate', 'large'], { description: 'PSI below 0.1, up to 0.25, above.' }),
          test: Type.Literal('chi_square', { description: 'Two-sample test over the same bins.' }),
          statistic: Type.Number({ minimum: 0, description: "Pearson's chi-square." }),
          degreesOfFreedom: Type.Integer({ minimum: 0, description: 'Bins with values, less one.' }),
          pValue: share('Probability of such a difference without drift.'),
        },
        { description: 'Drift of one predictor.' },
      ),
      {
        description: 'Predictors of the training, largest shift first. Empty without a training or decisions.',
      },
    ),
  },
  { description: "How far the values of recent decisions are from the model's training." },
);
export type ModelDrift = Static<typeof ModelDrift>;

/** Operations that train models and watch trained ones. */
export const modelTrainingOperations = {
  train: operation({
    ...common,
    id: 'algorithmModels.train',
    path: '/api/v1/algorithm-models/{id}/train',
    summary: 'Train a model',
    description:
      'Trains bayesian and logistic_regression models in the background, on recorded decisions and their outcomes or on ' +
      'the rows of a schema, and measures them on the latest fifth of the rows, which training does not see. Follow ' +
      '`training` of the model. Success makes a new version; the status of the model stays. Returns 409 while a training runs.',
    role: 'editor',
    loadClass: 'crud',
    body: TrainRequest,
    responses: { 202: { description: 'The training is queued.', schema: warnedAnswer(TrainAnswer) } },
    errors: ['not_found', 'model_unsupported', 'concurrent_modification', 'reference_not_found'],
    audit: [{ action: 'train', entityType: 'algorithmModel' }],
  }),
  cancelTraining: operation({
    ...common,
    id: 'algorithmModels.cancelTraining',
    path: '/api/v1/algorithm-models/{id}/cancel-training',
    summary: 'Cancel a training',
    description: 'The model keeps what it knows. Returns 409 when no training runs.',
    role: 'editor',
    loadClass: 'crud',
    responses: { 200: { description: 'The model.', schema: AlgorithmModel } },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'train', entityType: 'algorithmModel' }],
  }),
  drift: operation({
    ...common,
    method: 'GET',
    id: 'algorithmModels.drift',
    path: '/api/v1/algorithm-models/{id}/drift',
    summary: 'Compare decisions with a training',
    description:
      'Compares what recent decisions read with the rows of the last training, per predictor. Up to 2,000 of the newest items count.',
    role: 'viewer',
    loadClass: 'heavy',
    query: Type.Object(
      { days: Type.Optional(Int(1, 90, 'Days of decisions. Default 7.')) },
      { description: 'Period.' },
    ),
    responses: { 200: { description: 'The drift.', schema: ModelDrift } },
    errors: ['not_found', 'model_unsupported'],
    audit: [],
  }),
};
