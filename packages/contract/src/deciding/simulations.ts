import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { offsetPage, offsetQuery, type PageLimits } from '../core/pages.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Overlay } from '../judging/overlays.ts';
import { ContactPolicyTrial } from './contact-policy-parts.ts';
import { RecommendAnswer, RecommendRequest } from './recommendation.ts';

// Decisions that are only shown (docs/design/api-decisioning.md 13, docs/design/api-settled.md 83, 84, 107, 114).

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
    propensityWeight: weight('Exponent of propensity. Default 1.'),
    relevanceWeight: weight('Exponent of relevance. Default 1.'),
    impactWeight: weight('Exponent of impact. Default 1.'),
    emphasisWeight: weight('Exponent of emphasis. Default 1.'),
  },
  {
    description: 'Exponents for every candidate, overriding those of the flow. Requires the score method formula.',
  },
);
export type FormulaWeights = Static<typeof FormulaWeights>;

const version = Type.Optional(
  Type.Union(
    [
      StringEnum(['published', 'draft'], { description: 'The published version, or the draft.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number.' }),
    ],
    {
      description: '`published` (default), `draft`, or the number of a published version.',
    },
  ),
);

const { decisionFlowKey, flowId, channel, channelId, placement, placements, limit } = RecommendRequest.properties;
const { attributes, segments, context } = RecommendRequest.properties;

/** Maximum records per kind that a simulation can try. */
const maxOverrides = 20;

/** Changes to the catalogue that a simulation tries. */
export const SimulationOverrides = Type.Object(
  {
    offerIds: Type.Optional(
      Type.Array(Id('Offer.'), {
        maxItems: maxOverrides,
        description: 'Offers to treat as active, with all their creatives except archived ones.',
      }),
    ),
    contactPolicies: Type.Optional(
      Type.Array(ContactPolicyTrial, {
        maxItems: maxOverrides,
        description: 'Contact policies to try. Inactive ones are ignored.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Changes to the catalogue to try without storing them. They do not apply to `compare`.',
  },
);
export type SimulationOverrides = Static<typeof SimulationOverrides>;

const clock = Type.Optional(
  Timestamp(
    'Time to decide at, from 2000 to 2100. Default: now. It affects windows, schedules and time policies, but not the times of what is counted.',
  ),
);

export const SimulateRequest = Type.Object(
  {
    customerId: Type.Optional(CustomerId("Customer to simulate for. Can't be combined with `segmentId`.")),
    segmentId: Type.Optional(Id("Segment to simulate over. Can't be combined with `customerId`.")),
    decisionFlowKey,
    flowId,
    version,
    draftConfig: Type.Optional(
      JsonObject("A config to try without storing it. Validated as for publishing. Can't be combined with `version`."),
    ),
    overrides: Type.Optional(SimulationOverrides),
    overlay: Type.Optional({
      ...Overlay,
      description:
        "Changes to policy files to try, in order. They are rolled back and never stored. They don't apply to `compare`, and can't be combined with `overrides`.",
    }),
    now: clock,
    channel,
    channelId,
    placement,
    placements,
    limit,
    attributes,
    profile: Type.Optional(
      JsonObject(
        'Values under `customer.` that override the stored ones. For a single customer only. Segment memberships are not re-evaluated. Names that could not be set are returned in `notSet`.',
        { maxProperties: 200 },
      ),
    ),
    segments,
    context,
    decisionId: Type.Optional(
      IdText(
        'Recorded decision of the customer to repeat (id of the decision, its request or its trace), with its plan, values, counts, clock and seed. Can be combined with `profile`, `attributes`, `segments`, `limit` and `seed` only, which override the recorded ones.',
      ),
    ),
    formulaOverride: Type.Optional(FormulaWeights),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[A-Za-z0-9_-]+$',
        description:
          'Seed of all random draws and of the customer sample. Default: a new one for each call for a customer, `0` for segments. The seed of a record repeats its draws.',
      }),
    ),
    sampleSize: Type.Optional(
      Int(1, simulationSample.maximum, 'Maximum number of customers to decide for. Segments only.', {
        default: simulationSample.usual,
      }),
    ),
    compare: Type.Optional(
      Nullable(Type.Object({ decisionFlowKey, version, formulaOverride: Type.Optional(FormulaWeights) }), {
        description:
          'What to compare with, for the same customers. Segments only. Default for each value: as published.',
      }),
    ),
    nodeCounts: Type.Optional(
      Type.Boolean({
        description:
          'Whether to count customers and candidates at each node of the flow. Segments only; default false.',
      }),
    ),
    async: Type.Optional(
      Type.Boolean({ description: 'Return immediately and continue in the background. Segments only. Default false.' }),
    ),
  },
  {
    description: 'What to simulate. Exactly one of `customerId` and `segmentId`.',
    examples: [{ customerId: 'member-4711', decisionFlowKey: 'next-best-offer', version: 'draft', limit: 5 }],
  },
);
export type SimulateRequest = Static<typeof SimulateRequest>;

/** What recommend would answer. */
export const SimulatedAnswer = Type.Object(
  {
    ...RecommendAnswer.properties,
    simulated: Type.Boolean({ description: 'Always true: nothing was stored or counted.' }),
    recordedDecisionId: Nullable(Type.String(), {
      description: 'The recorded decision that was repeated; null if current data was used.',
    }),
    notSet: Type.Array(Type.String(), {
      description:
        "Names in `profile` that had no effect, because the flow doesn't read them from the customer's own row.",
    }),
  },
  { description: 'What recommend would return, with `meta`.' },
);
export type SimulatedAnswer = Static<typeof SimulatedAnswer>;

const share = Type.Number({ description: 'Share of offersDelivered, 6 decimals.' });

const figures = {
  sampledCustomers: count('Customers that were decided for.'),
  customersWithOffers: count('Customers with at least one item.'),
  offersDelivered: count('Total number of items.'),
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
    { description: `The ${simulationTopOffers} offers delivered most often.` },
  ),
  byChannel: Type.Array(
    Type.Object(
      {
        channelId: textOrNull('ID of the channel; null for items without one.'),
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
        categoryId: textOrNull('ID of the category; null for offers without one.'),
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
  decisionFlowKey: Type.String({ description: 'Flow that ran; empty if none has run yet.' }),
  version: Nullable(Type.Integer(), { description: 'Published version that ran; null for a draft.' }),
};

export const SimulationFigures = Type.Object(
  { ...ran, ...figures },
  { description: 'Result of a flow for the sample.' },
);
export type SimulationFigures = Static<typeof SimulationFigures>;

const NodeCounts = Type.Object(
  {
    nodeId: Type.String({ description: 'ID of the node in the flow.' }),
    customersIn: count('Customers with at least one candidate before the node.'),
    customersOut: count('Customers with at least one candidate after the node.'),
    candidatesIn: count('Candidates of all customers before the node.'),
    candidatesOut: count('Candidates of all customers after the node.'),
    skipped: count('Customers for whom a conditional skipped the node.'),
    dropped: Type.Record(Type.String(), count('Candidates.'), {
      description: 'Candidates dropped by the node, by reason.',
    }),
  },
  { description: 'Effect of a node on the candidates of the sample.' },
);
export type NodeCounts = Static<typeof NodeCounts>;

const Changed = Type.Object(
  { offerId: Id('Offer.'), offerName: Type.String({ description: 'Name of the offer.' }), count: count('Customers.') },
  { description: 'An offer.' },
);

export const SimulationDiff = Type.Object(
  {
    changedCustomers: count('Customers whose offers or their order differ.'),
    gained: Type.Array(Changed, { description: 'Offers delivered here but not in `compare`, most first.' }),
    lost: Type.Array(Changed, { description: 'Offers delivered in `compare` but not here, most first.' }),
  },
  { description: 'Changes relative to `compare`.' },
);
export type SimulationDiff = Static<typeof SimulationDiff>;

export const simulationStatuses = ['running', 'completed', 'failed'] as const;
export const simulationErrors = ['timeout', 'cancelled', 'segment_unavailable', 'interrupted', 'internal'] as const;

export const Simulation = Type.Object(
  {
    id: Id('ID of the simulation.'),
    status: StringEnum(simulationStatuses, { description: 'Status of the simulation.' }),
    segmentId: Id('Segment.'),
    ...ran,
    reachableCustomers: count('Number of customers in the segment.'),
    ...figures,
    durationMs: Nullable(Type.Integer(), { description: 'Duration; null while it runs.' }),
    error: Nullable(StringEnum(simulationErrors, { description: 'Error code.' }), {
      description:
        '`timeout`, `cancelled`, `segment_unavailable` (the segment was deleted), `interrupted` (its process ended) or `internal`; null unless it failed.',
    }),
    progress: Type.Object(
      {
        sampled: count('Customers decided for so far.'),
        total: count('Customers in the sample; 0 until it is drawn.'),
      },
      { description: 'Progress of the simulation.' },
    ),
    compare: Nullable(SimulationFigures, { description: 'Result of `compare`; null without it.' }),
    diff: Nullable(SimulationDiff, { description: 'Null without `compare`.' }),
    nodes: Nullable(
      Type.Array(NodeCounts, { description: 'Nodes in the order they ran, without nodes of called flows.' }),
      { description: 'Counts of each node; null without `nodeCounts`.' },
    ),
    seed: Type.String({ description: 'Seed of the sample and of all random draws.' }),
    sampleSize: count('Maximum number of customers, as requested.'),
    now: Timestamp('Time used for the decisions.'),
    createdAt: Timestamp('When it was requested.'),
    completedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended; null while it runs.' }),
  },
  { description: "A simulation over a segment. Caps are read as they are; customers don't use up each other's caps." },
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

const simulationParams = Type.Object({ id: IdText('ID of the simulation.') }, { description: 'Simulation to use.' });

/** Of both ways to simulate together. */
const perTenant = [{ limit: 300, windowSeconds: 60, per: 'tenant', bucket: 'simulate' }] as const;

export const simulationOperations = {
  run: operation({
    ...common,
    id: 'simulations.run',
    method: 'POST',
    path: '/api/v1/simulate',
    summary: 'Simulate decisions for a customer or a segment',
    description:
      'Runs the real decision without counting, recording or reserving anything. For a segment, the ' +
      'customers with the smallest hash of seed and ID are sampled. The response takes up to 120 s and is ' +
      `stored for 30 days. A tenant can start ${segmentSimulationsPerMinute} segment simulations per minute.`,
    body: SimulateRequest,
    rateLimits: perTenant,
    responses: {
      200: {
        description: 'What recommend would return, or the finished simulation over the segment.',
        schema: Type.Union([SimulatedAnswer, Simulation], { description: 'Depends on the request.' }),
      },
      202: { description: 'The simulation continues in the background.', schema: Simulation },
    },
    errors: [...flowErrors, 'overlay_invalid', 'rate_limited', 'inputs_unavailable', 'record_corrupt'],
    transaction: 'own',
  }),
  list: operation({
    ...common,
    id: 'simulations.list',
    method: 'GET',
    path: '/api/v1/simulate',
    loadClass: 'crud',
    summary: 'List segment simulations',
    description: 'Those of the last 30 days, newest first.',
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
    summary: 'Get a segment simulation',
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
    summary: 'Cancel a running simulation',
    description: 'The simulation ends as failed with the error `cancelled`. Returns 409 if it has already ended.',
    params: simulationParams,
    body: Type.Object({}, { description: 'An empty body.' }),
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
    summary: 'Simulate a decision for a customer',
    description: 'Same as `POST /api/v1/simulate` with `customerId`. `limit` defaults to 20.',
    params: Type.Object(
      { customerId: CustomerId('Your own ID of the customer.') },
      { description: 'Customer to simulate for.' },
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
        draft: Type.Optional(Type.Boolean({ description: 'Run the draft of the flow. Default false.' })),
      },
      { description: 'What to simulate.', examples: [{ channel: 'web', limit: 5 }] },
    ),
    rateLimits: perTenant,
    responses: { 200: { description: 'What recommend would return.', schema: SimulatedAnswer } },
    errors: [...flowErrors],
    transaction: 'own',
  }),
};
