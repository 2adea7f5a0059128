import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { offsetPage, offsetQuery, type PageLimits } from './core/pages.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { RecommendAnswer, RecommendRequest } from './recommendation.ts';

// Decisions that are made to be looked at (docs/design/api-decisioning.md 13, docs/design/api-settled.md 83, 84, 107, 114).

/** Simulations per page. */
export const simulationPage: PageLimits = { usual: 20, maximum: 100 };
/** Customers of a segment that are decided for. */
export const simulationSample = { usual: 1000, maximum: 10_000 };
/** Rows of `topOffers`. */
export const simulationTopOffers = 20;
/** Simulations over a segment that a tenant may start in a minute. */
export const segmentSimulationsPerMinute = 20;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

const weight = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 5, description }));

/** Exponents of the score method `formula`. */
export const FormulaWeights = Type.Object(
  {
    propensityWeight: weight('Exponent of propensity; 1 when left out.'),
    relevanceWeight: weight('Exponent of relevance; 1 when left out.'),
    impactWeight: weight('Exponent of impact; 1 when left out.'),
    emphasisWeight: weight('Exponent of emphasis; 1 when left out.'),
  },
  {
    description:
      'Exponents for every candidate, in place of those that the flow says. Its score method must be formula.',
  },
);
export type FormulaWeights = Static<typeof FormulaWeights>;

const version = Type.Optional(
  Type.Union(
    [
      StringEnum(['published', 'draft'], { description: 'Word.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number.' }),
    ],
    {
      description: '`published` (the default), `draft`, or the number of a published version.',
    },
  ),
);

const { decisionFlowKey, flowId, channel, channelId, placement, placements, limit } = RecommendRequest.properties;
const { attributes, segments, context } = RecommendRequest.properties;

const clock = Type.Optional(
  Timestamp(
    "The decision's clock, from 2000 to 2100; default now. It moves windows, schedules and time policies, not the times of what is counted.",
  ),
);

export const SimulateRequest = Type.Object(
  {
    customerId: Type.Optional(CustomerId('Simulates for this customer. Excludes `segmentId`.')),
    segmentId: Type.Optional(Id('Simulates over the customers of this segment. Excludes `customerId`.')),
    decisionFlowKey,
    flowId,
    version,
    draftConfig: Type.Optional(
      JsonObject('A config that is stored nowhere, validated as publishing would. Excludes `version`.'),
    ),
    now: clock,
    channel,
    channelId,
    placement,
    placements,
    limit,
    attributes,
    profile: Type.Optional(
      JsonObject(
        'Values under `customer.` to decide with in place of those that are stored; customers only. Memberships of segments are not worked out anew. Names that could not be set are answered in `notSet`.',
        { maxProperties: 200 },
      ),
    ),
    segments,
    context,
    decisionId: Type.Optional(
      IdText(
        'Decides once more on what this recorded decision of the customer was made of (id of the decision, its request or its trace): its plan, values, counts, clock and seed. Only `profile`, `attributes`, `segments`, `limit` and `seed` may stand beside it; they change that.',
      ),
    ),
    formulaOverride: Type.Optional(FormulaWeights),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[A-Za-z0-9_-]+$',
        description:
          'From it all chance follows, and which customers are sampled; default: another one for each call of a customer, `0` for segments. The seed of a record repeats its chance.',
      }),
    ),
    sampleSize: Type.Optional(
      Int(1, simulationSample.maximum, 'Customers that are decided for at most; segments only.', {
        default: simulationSample.usual,
      }),
    ),
    compare: Type.Optional(
      Nullable(Type.Object({ decisionFlowKey, version, formulaOverride: Type.Optional(FormulaWeights) }), {
        description: 'What to compare with, for the same customers; segments only. Default of each: as published.',
      }),
    ),
    async: Type.Optional(
      Type.Boolean({ description: 'Answer at once and go on in the background; segments only. Default false.' }),
    ),
  },
  {
    description: 'For whom, by what and when. Exactly one of `customerId` and `segmentId`.',
    examples: [{ customerId: 'member-4711', decisionFlowKey: 'next-best-offer', version: 'draft', limit: 5 }],
  },
);
export type SimulateRequest = Static<typeof SimulateRequest>;

/** What recommend would answer. */
export const SimulatedAnswer = Type.Object(
  {
    ...RecommendAnswer.properties,
    simulated: Type.Boolean({ description: 'True: nothing was stored or counted.' }),
    recordedDecisionId: Nullable(Type.String(), {
      description: 'The recorded decision that it was made of once more; null: made of what is stored now.',
    }),
    notSet: Type.Array(Type.String(), {
      description: "Names of `profile` that changed nothing: the flow reads no such value of the customer's own row.",
    }),
  },
  { description: 'What recommend would answer, with `meta`.' },
);
export type SimulatedAnswer = Static<typeof SimulatedAnswer>;

const share = Type.Number({ description: 'Share of offersDelivered, 6 decimals.' });

const figures = {
  sampledCustomers: count('Customers that were decided for.'),
  customersWithOffers: count('Those with at least one item.'),
  offersDelivered: count('Items of all answers.'),
  averageScore: Nullable(Type.Number(), { description: 'Mean score of the items, 6 decimals; null without items.' }),
  topOffers: Type.Array(
    Type.Object(
      {
        offerId: Id('Offer.'),
        offerName: Type.String({ description: 'Name of the offer.' }),
        count: count('Items.'),
        share,
      },
      { description: 'An offer.' },
    ),
    { description: `The ${simulationTopOffers} that were delivered most.` },
  ),
  byChannel: Type.Array(
    Type.Object(
      {
        channelId: textOrNull('Channel; null for items without one.'),
        channelName: textOrNull('Name of the channel.'),
        count: count('Items.'),
        share,
      },
      { description: 'A channel.' },
    ),
    { description: 'Items by channel, most first.' },
  ),
  byCategory: Type.Array(
    Type.Object(
      {
        categoryId: textOrNull('Category; null for offers without one.'),
        categoryName: textOrNull('Name of the category.'),
        count: count('Items.'),
        share,
      },
      { description: 'A category.' },
    ),
    { description: 'Items by category, most first.' },
  ),
};

const ran = {
  decisionFlowKey: Type.String({ description: 'Flow that ran; empty when none has run yet.' }),
  version: Nullable(Type.Integer(), { description: 'Published version that ran; null for a draft.' }),
};

export const SimulationFigures = Type.Object({ ...ran, ...figures }, { description: 'What a flow gave the sample.' });
export type SimulationFigures = Static<typeof SimulationFigures>;

const Changed = Type.Object(
  { offerId: Id('Offer.'), offerName: Type.String({ description: 'Name of the offer.' }), count: count('Customers.') },
  { description: 'An offer.' },
);

export const SimulationDiff = Type.Object(
  {
    changedCustomers: count('Customers whose offers or their order differ.'),
    gained: Type.Array(Changed, { description: 'Offers that customers get here and not in `compare`, most first.' }),
    lost: Type.Array(Changed, { description: 'Offers that customers get in `compare` and not here, most first.' }),
  },
  { description: 'What the flow changes against `compare`.' },
);
export type SimulationDiff = Static<typeof SimulationDiff>;

export const simulationStatuses = ['running', 'completed', 'failed'] as const;
export const simulationErrors = ['timeout', 'cancelled', 'segment_unavailable', 'interrupted', 'internal'] as const;

export const Simulation = Type.Object(
  {
    id: Id('Id of the simulation.'),
    status: StringEnum(simulationStatuses, { description: 'How far it is.' }),
    segmentId: Id('Segment.'),
    ...ran,
    reachableCustomers: count('Customers of the segment.'),
    ...figures,
    durationMs: Nullable(Type.Integer(), { description: 'How long it took; null while it runs.' }),
    error: Nullable(StringEnum(simulationErrors, { description: 'Word.' }), {
      description:
        '`timeout`, `cancelled`, `segment_unavailable` (it is gone), `interrupted` (its process ended) or `internal`; null unless failed.',
    }),
    progress: Type.Object(
      {
        sampled: count('Customers decided for so far.'),
        total: count('Customers of the sample; 0 until it is drawn.'),
      },
      { description: 'How far it is.' },
    ),
    compare: Nullable(SimulationFigures, { description: 'What `compare` gave; null without.' }),
    diff: Nullable(SimulationDiff, { description: 'Null without `compare`.' }),
    seed: Type.String({ description: 'Seed of the sample and of all chance.' }),
    sampleSize: count('Customers at most, as asked.'),
    now: Timestamp("The decisions' clock."),
    createdAt: Timestamp('When it was asked for.'),
    completedAt: Nullable(Timestamp('End.'), { description: 'When it ended; null while it runs.' }),
  },
  { description: 'A simulation over a segment. Caps are read as they are; no customer uses up those of another.' },
);
export type Simulation = Static<typeof Simulation>;

const common = {
  tag: 'Simulation',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  audit: [],
} as const;

const flowErrors = [
  'validation_failed',
  'reference_not_found',
  'not_found',
  'flow_not_published',
  'pipeline_invalid',
  'scoring_not_configured',
  'not_configured',
] as const;

const simulationParams = Type.Object({ id: IdText('Id of the simulation.') }, { description: 'Which simulation.' });

/** Of both ways to simulate together. */
const perTenant = [{ limit: 300, windowSeconds: 60, per: 'tenant', bucket: 'simulate' }] as const;

export const simulationOperations = {
  run: operation({
    ...common,
    id: 'simulations.run',
    method: 'POST',
    path: '/api/v1/simulate',
    summary: 'Decide for show, for a customer or over a segment',
    description:
      'Runs the real decision; nothing is counted, recorded or reserved. Over a segment the customers with the smallest hash of ' +
      `seed and id are sampled, the answer comes within 120 s, and it is kept for 30 days; a tenant may ask for ${segmentSimulationsPerMinute} of these a minute.`,
    body: SimulateRequest,
    rateLimits: perTenant,
    responses: {
      200: {
        description: 'What recommend would answer, or the finished simulation over the segment.',
        schema: Type.Union([SimulatedAnswer, Simulation], { description: 'By what was asked.' }),
      },
      202: { description: 'The simulation continues in the background.', schema: Simulation },
    },
    errors: [...flowErrors, 'rate_limited', 'inputs_unavailable', 'record_corrupt'],
    transaction: 'own',
  }),
  list: operation({
    ...common,
    id: 'simulations.list',
    method: 'GET',
    path: '/api/v1/simulate',
    loadClass: 'crud',
    summary: 'List simulations over segments',
    description: 'Newest first; those of the last 30 days.',
    query: Type.Object(offsetQuery(simulationPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page of simulations.', schema: offsetPage(Simulation) } },
    errors: [],
    transaction: 'tenant',
  }),
  get: operation({
    ...common,
    id: 'simulations.get',
    method: 'GET',
    path: '/api/v1/simulate/{id}',
    loadClass: 'crud',
    summary: 'Read a simulation over a segment',
    params: simulationParams,
    responses: { 200: { description: 'The simulation.', schema: Simulation } },
    errors: ['not_found'],
    transaction: 'tenant',
  }),
  cancel: operation({
    ...common,
    id: 'simulations.cancel',
    method: 'POST',
    path: '/api/v1/simulate/{id}/cancel',
    loadClass: 'crud',
    summary: 'End a simulation that runs',
    description: 'It is then failed with the error `cancelled`. 409 when it has ended.',
    params: simulationParams,
    body: Type.Object({}, { description: 'Nothing is needed.' }),
    responses: { 200: { description: 'The simulation.', schema: Simulation } },
    errors: ['not_found', 'invalid_transition'],
    transaction: 'tenant',
  }),
  ofCustomer: operation({
    ...common,
    id: 'customers.simulate',
    method: 'POST',
    path: '/api/v1/customers/{customerId}/simulate',
    tag: 'Customers',
    summary: 'Decide for show for a customer',
    description: 'As `POST /api/v1/simulate` with `customerId`; `limit` is 20 when it is left out.',
    params: Type.Object(
      { customerId: CustomerId("The tenant's own id of the customer.") },
      { description: 'Which customer.' },
    ),
    body: Type.Object(
      {
        channel,
        placement,
        limit,
        flowId,
        decisionFlowKey,
        attributes,
        segments,
        now: clock,
        draft: Type.Optional(Type.Boolean({ description: 'Runs the draft of the flow. Default false.' })),
      },
      { description: 'Where, by what and when.', examples: [{ channel: 'web', limit: 5 }] },
    ),
    rateLimits: perTenant,
    responses: { 200: { description: 'What recommend would answer.', schema: SimulatedAnswer } },
    errors: [...flowErrors],
    transaction: 'own',
  }),
};
