import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from './core/resource.ts';
import {
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
} from './core/schemas.ts';

/** Types of models that can be made now; trained, imported and external ones come later (docs/design/api-settled.md 18). */
export const algorithmModelTypes = ['scorecard', 'thompson_bandit', 'epsilon_greedy'] as const;
export type AlgorithmModelType = (typeof algorithmModelTypes)[number];

export const algorithmModelStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export const registryStatuses = ['draft', 'shadow', 'challenger', 'champion', 'archived'] as const;
export type RegistryStatus = (typeof registryStatuses)[number];

const Status = StringEnum(algorithmModelStatuses, { description: 'Decisions score with active models only.' });
const Registry = StringEnum(registryStatuses, {
  description: 'Place among the models of its family, which promote changes. Not the same as status.',
});
const keyPattern = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$';
const typeWords = algorithmModelTypes.join(', ');

const ModelType = Type.String({
  maxLength: 64,
  description: `One of ${typeWords}. Other types are not available in this version.`,
});

const LearningConfig = Type.Object(
  {
    noResponseHours: Type.Optional(
      Nullable(Int(1, 720, 'Hours.'), {
        description: 'An impression without a response that is so old counts as reward 0; null: it counts as nothing.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How it learns.' },
);

const writable = {
  name: Name('Name.', 255),
  description: Type.String({ maxLength: 10_000, description: 'What it is for.' }),
  status: Status,
  config: JsonObject('Settings of the model type; unknown keys are kept and have no effect.', { configs: 'models' }),
  predictors: Type.Array(Type.Unknown(), {
    maxItems: 200,
    description:
      'What it reads: names, or `{ name, source, type: numeric or categorical, default }`. A bare name is looked up in attributes, ' +
      'customer and offer, in this order.',
  }),
  outcomeWeights: Type.Record(
    Type.String({ description: 'Key of an outcome type.' }),
    Type.Number({ minimum: -10, maximum: 10, description: 'Above 0: reward 1; below 0: reward 0; 0: ignored.' }),
    {
      maxProperties: 100,
      description: 'By outcome, how it counts instead of by its classification; the absolute value is its weight.',
    },
  ),
  autoLearn: Type.Boolean({ description: 'True: it learns from responses. Default: true for bandits.' }),
  learnMode: StringEnum(['none', 'continuous'], { description: 'Default: continuous for bandits, else none.' }),
  learningConfig: LearningConfig,
  family: Nullable(Type.String({ pattern: keyPattern, description: 'Key of the family.' }), {
    description: 'Models that stand for one another: a flow may name the family and scores with its champion.',
  }),
};

const modelState = JsonObject(
  'What it has learned. thompson_bandit: `{ arms: { <offerId>: { alpha, beta } } }`; epsilon_greedy: `{ arms: { <offerId>: ' +
    '{ totalReward, pulls } }, epsilon, decayRate, totalPulls }`. Null for types that learn nothing.',
);

/** A model that scores offers (docs/design/api-decisioning.md 15). */
export const AlgorithmModel = Type.Object(
  {
    id: Id('Id of the model.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: 'The name that flows use; never changes.' }),
    modelType: StringEnum(algorithmModelTypes, { description: 'How it scores; never changes.' }),
    ...writable,
    modelState: Type.Optional(
      Nullable(modelState, { description: 'What it has learned; only in answers about one model.' }),
    ),
    stateVersion: Nullable(Type.Integer(), {
      description: 'Rises with each change of what it learned; null: it learns nothing.',
    }),
    stateHash: Nullable(Type.String(), {
      description: 'SHA-256 of the canonical form of the state, in hex; null: it has none.',
    }),
    trainingSamples: Type.Integer({ description: 'Outcomes that it learned.' }),
    targetSchemaKey: Nullable(Type.String(), { description: 'Null: no type that is available trains on rows.' }),
    targetField: Nullable(Type.String(), { description: 'Likewise.' }),
    learnSchedule: Nullable(Type.String(), { description: 'Likewise.' }),
    metrics: Nullable(JsonObject('Metrics.'), { description: 'Of its last training; null: it was not trained.' }),
    metricsHistory: Type.Array(JsonObject('Metrics of one training.'), { description: 'Of the last 50 trainings.' }),
    training: Nullable(JsonObject('A training.'), { description: 'The last training, or null.' }),
    lastTrainedAt: Nullable(Timestamp('Instant.'), { description: 'When it last learned, or null.' }),
    registryStatus: Registry,
    version: Type.Integer({ description: 'Starts at 1, rises with every change but those by learning.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A model.' },
);
export type AlgorithmModel = Static<typeof AlgorithmModel>;

const optional = Type.Partial(Type.Object(writable)).properties;
const changes = {
  ...optional,
  modelState: Type.Optional(
    Nullable(modelState, { description: 'What it has learned. Null is what types show that learn nothing.' }),
  ),
};

export const AlgorithmModelCreate = Type.Object(
  {
    ...optional,
    key: Type.String({
      pattern: keyPattern,
      description: 'Letters, digits, dots, dashes, underscores; unique among models that are not deleted.',
    }),
    name: writable.name,
    modelType: ModelType,
  },
  {
    description: 'A new model. Default status draft.',
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
    modelType: Type.Optional(StringEnum(algorithmModelTypes, { description: 'Only this type.' })),
    status: Type.Optional(Status),
    family: Type.Optional(Type.String({ maxLength: 255, description: 'Only models of this family.' })),
  },
  queries: {},
  unique: { key: 'duplicate_key' },
  references: {},
  files: { without: ['modelState'] },
  removal: deleted,
  errors: { update: ['in_use', 'invalid_transition'], delete: ['in_use'] },
});

const oneModel = Type.Object({ id: IdText('Id of the model.') }, { description: 'Which model.' });
const common = { tag: 'Models', auth: 'credential', transaction: 'tenant', method: 'POST', params: oneModel } as const;

const question = {
  attributes: JsonObject('What `attributes.*` are.'),
  customerId: Type.Optional(CustomerId('The customer whose profile `customer.*` is; without one it is empty.')),
};

const Explanations = Type.Array(
  Type.Object(
    {
      feature: Type.String({ description: 'What was read.' }),
      value: Type.Unknown({ description: 'Its value.' }),
      contribution: Type.Number({ description: 'What it added to rawScore.' }),
    },
    { description: 'A part of the score.' },
  ),
  { description: 'Rules of a scorecard that hold, in their order; empty for bandits.' },
);

const ModelScore = Type.Object(
  {
    modelId: Id('Id of the model.'),
    modelKey: Type.String({ description: 'Its key.' }),
    modelType: StringEnum(algorithmModelTypes, { description: 'Its type.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Between 0 and 1, six decimals.' }),
    rawScore: Type.Number({ description: 'Points of a scorecard, mean reward of a bandit.' }),
    confidence: Nullable(Type.Number(), { description: 'Null: no type that is available tells it.' }),
    explanations: Explanations,
  },
  { description: 'A score.' },
);

const ModelScores = Type.Object(
  {
    modelId: Id('Id of the model.'),
    modelType: StringEnum(algorithmModelTypes, { description: 'Its type.' }),
    results: Type.Array(
      Type.Object(
        {
          offerId: Id('The offer.'),
          score: Type.Number({ minimum: 0, maximum: 1, description: 'Between 0 and 1, six decimals.' }),
          contributions: Explanations,
        },
        { description: 'The score of one offer.' },
      ),
      { description: 'Best first.' },
    ),
  },
  { description: 'Scores of offers.' },
);

/** Operations on models beside those of every resource. */
export const algorithmModelActionOperations = {
  score: operation({
    ...common,
    id: 'algorithmModels.score',
    path: '/api/v1/algorithm-models/{id}/score',
    summary: 'Score by a model',
    description: 'As decisions would score; a bandit draws by a seed of its own. Whatever the status of the model.',
    role: 'viewer',
    loadClass: 'crud',
    body: Type.Object(
      { ...question, offerId: Type.Optional(Id('The offer; bandits need one.')) },
      { description: 'What to score.', examples: [{ attributes: { age: 28 }, offerId: exampleId('offer') }] },
    ),
    responses: { 200: { description: 'The score.', schema: ModelScore } },
    errors: ['not_found', 'model_unsupported'],
    audit: [],
  }),
  scoreOfferSet: operation({
    ...common,
    id: 'algorithmModels.scoreOfferSet',
    path: '/api/v1/algorithm-models/{id}/score-offer-set',
    summary: 'Score offers by a model',
    description: 'As decisions would score, best first.',
    role: 'viewer',
    loadClass: 'heavy',
    body: Type.Object(
      {
        ...question,
        offerIds: Type.Array(Id('An offer.'), { minItems: 1, maxItems: 500, description: 'Each offer once.' }),
      },
      { description: 'What to score.', examples: [{ attributes: { age: 28 }, offerIds: [exampleId('offer')] }] },
    ),
    responses: { 200: { description: 'The scores.', schema: ModelScores } },
    errors: ['not_found', 'model_unsupported'],
    audit: [],
  }),
  resetLearning: operation({
    ...common,
    id: 'algorithmModels.resetLearning',
    path: '/api/v1/algorithm-models/{id}/reset-learning',
    summary: 'Forget what a model learned',
    description: 'What it learned is kept as a version of the model; the next one has an empty state and status draft.',
    role: 'editor',
    loadClass: 'crud',
    changesCatalogue: true,
    responses: { 200: { description: 'The model.', schema: AlgorithmModel } },
    errors: ['not_found', 'model_unsupported'],
    // What was learned, then the empty state.
    audit: [
      { action: 'update', entityType: 'algorithmModel' },
      { action: 'update', entityType: 'algorithmModel' },
    ],
  }),
  promote: operation({
    ...common,
    id: 'algorithmModels.promote',
    path: '/api/v1/algorithm-models/{id}/promote',
    summary: 'Move a model in the registry',
    description:
      'draft to shadow, challenger, archived; shadow to challenger, champion, archived, draft; challenger to champion, shadow, ' +
      'archived, draft; champion to challenger, shadow, archived; archived to draft. The champion that the family had is archived. ' +
      'A family by which an active flow scores is not left without a champion: 409 `in_use`.',
    role: 'editor',
    loadClass: 'crud',
    changesCatalogue: true,
    body: Type.Object(
      { toStatus: Registry },
      { additionalProperties: false, description: 'Where to.', examples: [{ toStatus: 'challenger' }] },
    ),
    responses: { 200: { description: 'The model.', schema: AlgorithmModel } },
    errors: ['not_found', 'in_use', 'invalid_transition'],
    audit: [{ action: 'promote', entityType: 'algorithmModel' }],
  }),
};

export const algorithmModelOperations = {
  ...recordOperations(algorithmModelResource),
  ...algorithmModelActionOperations,
};
