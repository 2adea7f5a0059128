import Type, { type Static } from 'typebox';
import type { AnyModelConfig } from '../core/config-types.generated.ts';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import {
  ConfigObject,
  CustomerId,
  Id,
  IdText,
  Int,
  JsonObject,
  Name,
  Nullable,
  StringEnum,
  sentAsItIs,
  Timestamp,
} from '../core/schemas.ts';
import {
  MeasuredMetrics,
  ModelMetrics,
  ModelMetricsEntry,
  ModelTraining,
  RollbackThresholds,
} from './model-metrics.ts';

/** Model types that can be created. */
export const algorithmModelTypes = [
  'scorecard',
  'bayesian',
  'logistic_regression',
  'gradient_boosted',
  'thompson_bandit',
  'epsilon_greedy',
  'online_learner',
  'external_endpoint',
] as const;
export type AlgorithmModelType = (typeof algorithmModelTypes)[number];

export const algorithmModelStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export const registryStatuses = ['draft', 'shadow', 'challenger', 'champion', 'archived'] as const;
export type RegistryStatus = (typeof registryStatuses)[number];

const Status = StringEnum(algorithmModelStatuses, { description: 'Decisions use active models only.' });
const Registry = StringEnum(registryStatuses, {
  description: "Stage of the model in its family's registry, changed by promote. Independent of `status`.",
});
export const modelKeyPattern = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$';
const typeWords = algorithmModelTypes.join(', ');

const ModelType = Type.String({
  maxLength: 64,
  description: `One of ${typeWords}. Other types are not available in this version.`,
});

const LearningConfig = Type.Object(
  {
    noResponseHours: Type.Optional(
      Nullable(Int(1, 720, 'Hours.'), {
        description: 'Age at which an impression without a response counts as reward 0. Null means it never counts.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How the model learns.' },
);

const writable = {
  name: Name('Name.', 255),
  description: Type.String({ maxLength: 10_000, description: 'What the model is for.' }),
  status: Status,
  config: ConfigObject<AnyModelConfig>(
    'Settings of the model type. Unknown keys are stored but have no effect.',
    'models',
  ),
  predictors: Type.Array(Type.Unknown(), {
    maxItems: 2_000,
    description:
      'What the model reads: names, or `{ name, source, type: numeric or categorical, default }`. A bare ' +
      'name is looked up in attributes, customer and offer, in this order.',
  }),
  outcomeWeights: Type.Record(
    Type.String({ description: 'Key of an outcome type.' }),
    Type.Number({ minimum: -10, maximum: 10, description: 'Above 0 gives reward 1, below 0 reward 0. 0 is ignored.' }),
    {
      maxProperties: 100,
      description: 'Reward per outcome, overriding its classification. The absolute value is the weight.',
    },
  ),
  autoLearn: Type.Boolean({ description: 'Whether the model learns. Default: true for bandits and online_learner.' }),
  learnMode: StringEnum(['none', 'scheduled', 'continuous'], {
    description:
      '`continuous` learns from each outcome, `scheduled` trains again by `learnSchedule`. Default: `continuous` for ' +
      'bandits and online_learner, otherwise `none`.',
  }),
  learnSchedule: Nullable(Type.String({ maxLength: 100, description: 'Cron expression of five fields.' }), {
    description:
      "When a model with `autoLearn` and learn mode `scheduled` is trained again, in the tenant's time zone. Null means never.",
  }),
  targetSchemaKey: Nullable(Type.String({ maxLength: 63, description: 'Name of a schema.' }), {
    description: 'Schema whose rows the model trains on. Null means recorded decisions and their outcomes.',
  }),
  targetField: Nullable(Type.String({ maxLength: 63, description: 'Name of a field.' }), {
    description:
      'Field of the schema that says whether a row is positive (true, 1 or yes) or negative (false, 0 or no). Other rows are left out.',
  }),
  learningConfig: LearningConfig,
  family: Nullable(Type.String({ pattern: modelKeyPattern, description: 'Key of the family.' }), {
    description: 'Models that are interchangeable. A flow that names the family scores with its champion.',
  }),
};

const modelState = JsonObject(
  'What the model has learned. thompson_bandit: `{ arms: { <offerId>: { alpha, beta } } }`; ' +
    'epsilon_greedy: `{ arms: { <offerId>: { totalReward, pulls } }, epsilon, decayRate, totalPulls }`; ' +
    'bayesian: `{ n, classes: { pos, neg }, binEdges, categories, counts: { <predictor>: { pos, neg } } }`; ' +
    'logistic_regression: `{ bias, weights, means, stds, categories }`; ' +
    'online_learner: `{ bias, weights, n, stats: { <predictor>: { n, mean, m2 } } }`; ' +
    'gradient_boosted: `{ feature_names, objective, init_score, value_precision, trees: [{ tree_structure }] }`, of splits ' +
    '`{ split_feature, threshold, decision_type, default_left, missing_type, left_child, right_child, internal_count }` ' +
    'and leaves `{ leaf_value, leaf_count }`. ' +
    "Null for types that don't learn.",
);

/** A model that scores offers (docs/design/api-decisioning.md 15). */
export const AlgorithmModel = Type.Object(
  {
    id: Id('ID of the model.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: "Name that flows refer to. Can't be changed." }),
    modelType: StringEnum(algorithmModelTypes, { description: "Model type. Can't be changed." }),
    ...writable,
    modelState: Type.Optional(
      Nullable(modelState, { description: 'What the model has learned. Returned for a single model only.' }),
    ),
    stateVersion: Nullable(Type.Integer(), {
      description: "Increases whenever the model learns; null if it doesn't learn.",
    }),
    stateHash: Nullable(Type.String(), {
      description: 'SHA-256 of the state in canonical form, in hex; null without a state.',
    }),
    trainingSamples: Type.Integer({ description: 'Outcomes or rows the model has learned from.' }),
    metrics: Nullable(ModelMetrics, { description: 'Metrics of the last training; null if it was never trained.' }),
    metricsHistory: Type.Array(ModelMetricsEntry, {
      description: 'Metrics of the last 50 trainings, newest first. Returned for a single model only; otherwise empty.',
    }),
    training: Nullable(ModelTraining, { description: 'The newest training, or null.' }),
    lastTrainedAt: Nullable(Timestamp('Instant.'), { description: 'When the model last learned, or null.' }),
    registryStatus: Registry,
    version: Type.Integer({ description: 'Starts at 1 and increases with every change except learning.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A model.' },
);
export type AlgorithmModel = Static<typeof AlgorithmModel>;

const optional = Type.Partial(Type.Object(writable)).properties;
const changes = {
  ...optional,
  modelState: Type.Optional(
    Nullable(modelState, { description: "What the model has learned. Null for types that don't learn." }),
  ),
};

export const AlgorithmModelCreate = Type.Object(
  {
    ...optional,
    key: Type.String({
      pattern: modelKeyPattern,
      description: 'Letters, digits, dots, dashes and underscores. Unique among models that are not deleted.',
    }),
    name: writable.name,
    modelType: ModelType,
  },
  {
    description: 'A new model. `status` defaults to `draft`.',
    examples: [
      {
        key: 'age-scorecard',
        name: 'Scorecard by age',
        modelType: 'scorecard',
        status: 'active',
        config: { rules: [{ id: 'adult', field: 'customer.age', operator: 'gte', value: 30, points: 15 }] },
      },
    ],
  },
);
export type AlgorithmModelCreate = Static<typeof AlgorithmModelCreate>;

const algorithmModelDraft: Draft<AlgorithmModelCreate> = ({ name, key, marker }) => ({
  key: key('model'),
  name: name('Model'),
  modelType: 'scorecard',
  description: `Model of ${marker}`,
  status: 'active',
  config: {
    baseScore: 40,
    minScore: 0,
    maxScore: 100,
    normalization: 'linear',
    rules: [{ id: 'young', field: 'attributes.age', operator: 'lt', value: 30, points: 15, description: marker }],
  },
  predictors: [{ name: 'age', source: 'attributes.age', type: 'numeric', default: 40 }],
  outcomeWeights: { click: 2 },
  autoLearn: false,
  learnMode: 'none',
  learnSchedule: null,
  targetSchemaKey: 'training_rows',
  targetField: 'accepted',
  learningConfig: { noResponseHours: 24 },
  family: key('family'),
});

/** Models, described once. */
export const algorithmModelResource = resource({
  entityType: 'algorithmModel',
  name: 'algorithmModels',
  path: 'algorithm-models',
  tag: 'Models',
  noun: 'model',
  nouns: 'models',
  writeRole: 'editor',
  softDelete: true,
  record: AlgorithmModel,
  create: AlgorithmModelCreate,
  draft: algorithmModelDraft,
  changes,
  fixed: {
    key: Type.String({ description: sentAsItIs }),
    modelType: Type.String({ description: sentAsItIs }),
  },
  page: { usual: 25, maximum: 200 },
  order: newestFirst,
  search: ['name', 'key'],
  filters: {
    modelType: Type.Optional(StringEnum(algorithmModelTypes, { description: 'Model type to filter by.' })),
    status: Type.Optional(Status),
    family: Type.Optional(Type.String({ maxLength: 255, description: 'Model family to filter by.' })),
  },
  queries: {},
  unique: { key: 'duplicate_key' },
  references: {},
  files: { without: ['modelState'] },
  removal: deleted,
  errors: { update: ['in_use', 'invalid_transition'], delete: ['in_use'] },
});

const oneModel = Type.Object({ id: IdText('ID of the model.') }, { description: 'Model to read.' });
const common = { tag: 'Models', auth: 'credential', transaction: 'tenant', method: 'POST', params: oneModel } as const;

const question = {
  attributes: JsonObject('Values for `attributes.*`.'),
  customerId: Type.Optional(CustomerId('Customer whose profile provides `customer.*`. Empty if omitted.')),
};

const Explanations = Type.Array(
  Type.Object(
    {
      feature: Type.String({ description: 'Predictor or path that was read.' }),
      value: Type.Unknown({ description: 'Value that was read.' }),
      contribution: Type.Number({ description: 'What it added to `rawScore`.' }),
    },
    { description: 'One contribution to the score.' },
  ),
  {
    description:
      'Matching rules of a scorecard, predictors with a value, or the SHAP values of boosted trees that are not 0, in order. Empty for bandits.',
  },
);

const ModelScore = Type.Object(
  {
    modelId: Id('ID of the model.'),
    modelKey: Type.String({ description: 'Key of the model.' }),
    modelType: StringEnum(algorithmModelTypes, { description: 'Type of the model.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Score between 0 and 1, rounded to six decimals.' }),
    rawScore: Type.Number({ description: 'Points of a scorecard, mean reward of a bandit, log-odds otherwise.' }),
    confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'How certain a bayesian model is: min(1, sqrt(n / 1000)) for n outcomes. Null for other types.',
    }),
    explanations: Explanations,
  },
  { description: 'A score.' },
);

const ModelScores = Type.Object(
  {
    modelId: Id('ID of the model.'),
    modelType: StringEnum(algorithmModelTypes, { description: 'Type of the model.' }),
    results: Type.Array(
      Type.Object(
        {
          offerId: Id('Offer that was scored.'),
          score: Type.Number({
            minimum: 0,
            maximum: 1,
            description: 'Score between 0 and 1, rounded to six decimals.',
          }),
          contributions: Explanations,
        },
        { description: 'Score of one offer.' },
      ),
      { description: 'Scores, best first.' },
    ),
  },
  { description: 'Scores of offers.' },
);

const PromoteRequest = Type.Object(
  {
    toStatus: Registry,
    metricsSnapshot: Type.Optional(MeasuredMetrics),
    rollbackThresholds: Type.Optional(RollbackThresholds),
    bypassRollbackGuard: Type.Optional(
      Type.Boolean({ description: 'Promotes despite breaches, and notes it in the audit log. Admins only.' }),
    ),
  },
  { additionalProperties: false, description: 'Stage to move to.', examples: [{ toStatus: 'challenger' }] },
);
export type PromoteRequest = Static<typeof PromoteRequest>;

/** Operations on models, in addition to those of every resource. */
export const algorithmModelActionOperations = {
  score: operation({
    ...common,
    id: 'algorithmModels.score',
    path: '/api/v1/algorithm-models/{id}/score',
    summary: 'Score an offer with a model',
    description: 'Scores as decisions would, whatever the status of the model. A bandit draws with a fresh seed.',
    role: 'viewer',
    loadClass: 'crud',
    body: Type.Object(
      { ...question, offerId: Type.Optional(Id('Offer to score. Required for bandits and external endpoints.')) },
      { description: 'What to score.', examples: [{ attributes: { age: 28 }, offerId: exampleId('offer') }] },
    ),
    responses: { 200: { description: 'The score.', schema: ModelScore } },
    errors: ['not_found', 'model_unsupported'],
    audit: [],
    // The endpoint of a model may have to be asked.
    transaction: 'own',
  }),
  scoreOfferSet: operation({
    ...common,
    id: 'algorithmModels.scoreOfferSet',
    path: '/api/v1/algorithm-models/{id}/score-offer-set',
    summary: 'Score several offers with a model',
    description: 'Scores as decisions would, best first.',
    role: 'viewer',
    loadClass: 'heavy',
    body: Type.Object(
      {
        ...question,
        offerIds: Type.Array(Id('An offer.'), {
          minItems: 1,
          maxItems: 500,
          description: 'Offers to score, each once.',
        }),
      },
      { description: 'What to score.', examples: [{ attributes: { age: 28 }, offerIds: [exampleId('offer')] }] },
    ),
    responses: { 200: { description: 'The scores.', schema: ModelScores } },
    errors: ['not_found', 'model_unsupported'],
    audit: [],
    // The endpoint of a model may have to be asked.
    transaction: 'own',
  }),
  resetLearning: operation({
    ...common,
    id: 'algorithmModels.resetLearning',
    path: '/api/v1/algorithm-models/{id}/reset-learning',
    summary: "Reset a model's learning",
    description:
      'Saves what the model has learned as a version. The model then starts with an empty state and status `draft`.',
    role: 'editor',
    loadClass: 'crud',
    changesCatalogue: true,
    responses: { 200: { description: 'The model.', schema: AlgorithmModel } },
    errors: ['not_found', 'model_unsupported'],
    // The learned state, then the empty state.
    audit: [
      { action: 'update', entityType: 'algorithmModel' },
      { action: 'update', entityType: 'algorithmModel' },
    ],
  }),
  promote: operation({
    ...common,
    id: 'algorithmModels.promote',
    path: '/api/v1/algorithm-models/{id}/promote',
    summary: 'Move a model to another registry stage',
    description:
      'Allowed moves: draft to shadow, challenger, archived; shadow to challenger, champion, archived, ' +
      'draft; challenger to champion, shadow, archived, draft; champion to challenger, shadow, archived; ' +
      "archived to draft. The family's previous champion is archived. A family that an active flow scores " +
      'with must keep a champion; otherwise the call returns 409 `in_use`. A challenger replaces a champion only if, with ' +
      'AUC known for both, its AUC is not much lower, its predictors have not drifted, and it scores what decisions ask; ' +
      'otherwise the call returns 409 `rollback_guard` with the breaches.',
    role: 'editor',
    loadClass: 'crud',
    changesCatalogue: true,
    body: PromoteRequest,
    responses: { 200: { description: 'The model.', schema: AlgorithmModel } },
    errors: ['not_found', 'in_use', 'invalid_transition', 'rollback_guard', 'forbidden'],
    audit: [{ action: 'promote', entityType: 'algorithmModel' }],
  }),
};

export const algorithmModelOperations = {
  ...recordOperations(algorithmModelResource),
  ...algorithmModelActionOperations,
};
