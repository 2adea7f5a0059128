import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, Int, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from '../core/schemas.ts';

export const experimentStatuses = ['draft', 'active', 'paused', 'completed', 'archived'] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

/** What the daily job found when it judged an experiment (docs/design/api-decisioning.md 16). */
export const autoPromoteVerdicts = [
  'promoted',
  'not_better',
  'not_significant',
  'sample_ratio_mismatch',
  'guard',
] as const;
export type AutoPromoteVerdict = (typeof autoPromoteVerdicts)[number];

const Status = StringEnum(experimentStatuses, {
  description:
    'Only an active experiment assigns customers. While it is paused, the champion scores for everyone. draft can become ' +
    'active or archived, active: paused, completed or archived, paused: active, completed or archived, completed: archived.',
});

const keyPattern = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$';
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });

const TrafficSplit = Type.Object(
  { championPct: Share("Champion's share of the customers, in percent. Default 80.") },
  { additionalProperties: false, description: "Champion's share." },
);

const Challenger = Type.Object(
  {
    modelId: Id('Model that challenges the champion.'),
    trafficPct: Share("Challenger's share of the customers, in percent."),
  },
  { additionalProperties: false, description: 'A challenger.' },
);

const shared = {
  name: Name('Name.', 255),
  description: Type.String({ maxLength: 10_000, description: 'What the experiment is for.' }),
  status: Status,
  championModelId: Id("Model that scores today. It can't change once the experiment has started."),
  challengers: Type.Array(Challenger, {
    minItems: 1,
    maxItems: 5,
    description:
      "Models to compare with the champion, in the order of their shares. Shares may change at any time, models can't " +
      'once the experiment has started. Customers keep the variant that they were assigned.',
  }),
  holdoutPercent: Share(
    'Share of customers who are scored without a model, in percent. All shares add up to 100. Default 0.',
  ),
  metric: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'What counts as a conversion within 7 days of the first impression: `positive` (any positive outcome), `convert` ' +
      '(any outcome that is a conversion) or the key of an outcome type. Default `positive`.',
  }),
  autoPromote: Type.Boolean({
    description:
      'True: after `promoteAfterDays`, the best challenger takes over if the results allow it. Default false.',
  }),
  promoteThreshold: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Minimum absolute uplift for that. 0 to 1; default 0.02.',
  }),
  promoteAfterDays: Int(
    1,
    365,
    'Days after the start on which the experiment is judged, once. A later day rearms it. 1 to 365; default 14.',
  ),
};

/** Compares models on customers who keep their variant (docs/design/api-decisioning.md 16). */
export const Experiment = Type.Object(
  {
    id: Id('ID of the experiment.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: "Name that flows refer to, and part of every assignment. Can't be changed." }),
    ...shared,
    trafficSplit: TrafficSplit,
    startedAt: Nullable(Timestamp('Instant.'), { description: 'When it first became active, or null.' }),
    endedAt: Nullable(Timestamp('Instant.'), { description: 'When it was completed or archived, or null.' }),
    autoPromoteVerdict: Nullable(StringEnum(autoPromoteVerdicts, { description: 'Result of the judgment.' }), {
      description: 'What the daily job found when it judged the experiment; null until then.',
    }),
    testedChampionId: Nullable(Id('A model.'), {
      description: 'Champion that was tested, once a challenger has taken its place; null otherwise.',
    }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'An experiment.' },
);
export type Experiment = Static<typeof Experiment>;

const writable = {
  ...shared,
  trafficSplit: Type.Union([TrafficSplit, Share("Champion's share of the customers, in percent.")], {
    description: "Champion's share of the customers; a number means `championPct`. Default 80.",
  }),
};
const changes = Type.Partial(Type.Object(writable)).properties;

export const ExperimentCreate = Type.Object(
  {
    ...changes,
    key: Type.String({
      pattern: keyPattern,
      description: 'Letters, digits, dots, dashes and underscores. Unique among experiments that are not deleted.',
    }),
    name: writable.name,
    championModelId: writable.championModelId,
    challengers: writable.challengers,
  },
  {
    description: 'A new experiment. `status` defaults to `draft`.',
    examples: [
      {
        key: 'gbm-against-bayes',
        name: 'Boosted trees against Bayes',
        championModelId: exampleId('algorithmModel'),
        trafficSplit: { championPct: 80 },
        challengers: [{ modelId: exampleId('challenger'), trafficPct: 20 }],
      },
    ],
  },
);
export type ExperimentCreate = Static<typeof ExperimentCreate>;

const experimentDraft: Draft<ExperimentCreate> = ({ name, key, id, marker }) => ({
  key: key('experiment'),
  name: name('Experiment'),
  description: `Experiment of ${marker}`,
  status: 'draft',
  championModelId: id('algorithmModel'),
  trafficSplit: { championPct: 70 },
  challengers: [{ modelId: id('challengerModel'), trafficPct: 20 }],
  holdoutPercent: 10,
  metric: 'convert',
  autoPromote: true,
  promoteThreshold: 0.05,
  promoteAfterDays: 30,
});

/** Experiments, described once. */
export const experimentResource = resource({
  entityType: 'experiment',
  name: 'experiments',
  path: 'experiments',
  tag: 'Experiments',
  noun: 'experiment',
  nouns: 'experiments',
  writeRole: 'editor',
  softDelete: true,
  record: Experiment,
  create: ExperimentCreate,
  draft: experimentDraft,
  changes,
  fixed: { key: Type.String({ description: sentAsItIs }) },
  page: { usual: 25, maximum: 200 },
  order: newestFirst,
  search: ['name', 'key'],
  filters: { status: Type.Optional(Status) },
  queries: {},
  unique: { key: 'duplicate_key' },
  // Models are only ever deleted softly, and only when no active experiment uses them (features/catalogue/models).
  references: { championModelId: { to: 'algorithmModel', onDelete: 'keep' } },
  files: { idsInside: ['challengers'] },
  removal: deleted,
  errors: {
    create: ['limit_reached', 'feature_disabled'],
    update: ['limit_reached', 'feature_disabled', 'invalid_transition'],
    delete: ['feature_disabled'],
  },
});

export const experimentOperations = recordOperations(experimentResource);
