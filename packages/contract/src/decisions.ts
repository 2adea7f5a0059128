import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { IdFilter, IdText, Int, JsonObject, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import {
  recommendAnswerExample,
  recommendExample,
  replayAnswerExample,
  respondAnswerExample,
  respondExample,
} from './decision-examples.ts';
import { traceFilters } from './decision-lists.ts';

// Recommend, respond, records, replay, traces (docs/design/api-decisioning.md 2, 3, 11, 12).

const CustomerIdOrAnonymous = Type.String({
  maxLength: 255,
  description: 'Id of the customer; missing, empty or `anonymous` derives an anonymous id.',
});

const AnyObject = JsonObject;

export const RecommendRequest = Type.Object(
  {
    customerId: Type.Optional(CustomerIdOrAnonymous),
    channel: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 64 }), {
        description: 'Channel type; no active channel of it gives an empty answer `no_channel`.',
      }),
    ),
    channelId: Type.Optional(Nullable(Type.String({ format: 'uuid' }), { description: 'Id of one channel.' })),
    placement: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
        description: 'Placement id, else key, else name, else slot type.',
      }),
    ),
    placements: Type.Optional(
      Nullable(
        Type.Array(
          Type.Object(
            {
              placementId: Type.String({ format: 'uuid', description: 'Id of the placement.' }),
              limit: Type.Optional(
                Nullable(Type.Integer({ minimum: 1, maximum: 50 }), { description: 'Items for this placement.' }),
              ),
            },
            { description: 'One requested placement.' },
          ),
          { minItems: 1, maxItems: 20 },
        ),
        { description: 'Several placements at once; excludes `placement`.' },
      ),
    ),
    deduplicate: Type.Optional(
      Type.Boolean({
        description: 'Placements one after another, each without what an earlier one took. Default false.',
      }),
    ),
    limit: Type.Optional(
      Nullable(Type.Integer({ minimum: 1 }), { description: 'Items in the answer, 1-50; above 50 becomes 50.' }),
    ),
    maxOffers: Type.Optional(Nullable(Type.Integer({ minimum: 1 }), { description: 'Alias of `limit`.' })),
    sessionId: Type.Optional(
      Nullable(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), {
        description: 'Session; base of the anonymous id.',
      }),
    ),
    context: Type.Optional(
      AnyObject('At most 50 keys and 8 KB; copied to history, readable as `request.context.*`.', { maxProperties: 50 }),
    ),
    segments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 50,
        description: 'Segments added to the stored membership for this request only.',
      }),
    ),
    attributes: Type.Optional(
      AnyObject('At most 200 keys, depth 5, 64 KB; readable as `attributes.*`.', { maxProperties: 200 }),
    ),
    locale: Type.Optional(
      Nullable(Type.String({ pattern: '^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$', maxLength: 35 }), {
        description: 'BCP 47 language tag.',
      }),
    ),
    currency: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{3}$' }), { description: 'ISO 4217 code.' })),
    excludeOffers: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 500,
        description: 'Offers to leave out; unknown ids are ignored.',
      }),
    ),
    excludeCreatives: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 500,
        description: 'Creatives to leave out; unknown ids are ignored.',
      }),
    ),
    decisionFlowKey: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'Key (or id) of the flow to run.' }),
    ),
    flowId: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'Alias of `decisionFlowKey`.' }),
    ),
    decisionFlowId: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'Alias of `decisionFlowKey`.' }),
    ),
    debug: Type.Optional(Type.Boolean({ description: 'Adds `meta`.' })),
    dryRun: Type.Optional(Type.Boolean({ description: 'Decides without storing anything.' })),
    requestId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), {
        description: 'Idempotency key and seed; made by the server when absent.',
      }),
    ),
    require: Type.Optional(
      Nullable(
        Type.Object({
          minConfigVersion: Type.Optional(
            Type.Integer({
              minimum: 0,
              description: 'Lowest version of the catalogue that may decide, such as `X-Config-Version` of a change.',
            }),
          ),
          maxProfileAgeMs: Type.Optional(
            Type.Integer({
              minimum: 0,
              description: 'Oldest profile that may decide. Always met: each decision reads the profile itself.',
            }),
          ),
        }),
        { description: 'How fresh the decision must be: it waits up to 1 s for that, then it is 503 `not_fresh`.' },
      ),
    ),
  },
  {
    description: 'Who asks for what, where.',
    examples: [recommendExample],
  },
);
export type RecommendRequest = Static<typeof RecommendRequest>;

export const DecisionSelection = Type.Object(
  {
    probability: Type.Number({ description: 'Probability with which chance chose this item here; 1 without chance.' }),
    estimated: Type.Boolean({ description: 'True when the probability is an estimate.' }),
    explored: Type.Boolean({ description: 'True when exploration chose another item than the best.' }),
    method: Type.String({ description: 'Rank method, exploration strategy or `mandatory`.' }),
  },
  { description: 'How the item was chosen.' },
);

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });

export const RecommendedItem = Type.Object(
  {
    rank: Type.Integer({ minimum: 1, description: 'Position in the answer, from 1.' }),
    placementRank: Type.Optional(Nullable(Type.Integer(), { description: 'Position in its placement.' })),
    interactionId: Nullable(Type.String(), { description: 'Id of the item in history; null for a dry run.' }),
    recommendationId: Nullable(Type.String(), { description: 'Id of the decision; null for a dry run.' }),
    offerId: text('Offer.'),
    offerName: Type.Optional(text('Name of the offer.')),
    shortDesc: Type.Optional(text('Short description of the offer.')),
    description: Type.Optional(text('Description of the offer.')),
    categoryId: Type.Optional(textOrNull('Category of the offer.')),
    categoryName: Type.Optional(textOrNull('Name of the category.')),
    subCategoryId: Type.Optional(textOrNull('Sub-category of the offer.')),
    subCategoryName: Type.Optional(textOrNull('Name of the sub-category.')),
    productType: Type.Optional(textOrNull('Product type of the offer.')),
    priority: Type.Optional(number('Priority of the offer, or of its creative.')),
    mandatory: Type.Optional(Type.Boolean({ description: 'True for an offer that must be shown.' })),
    score: Type.Optional(number('Score, 6 decimals.')),
    scoreComponents: Type.Optional(
      Type.Object(
        {
          propensity: number('Likelihood of a positive outcome.'),
          relevance: number('Fit of channel, recency and interests.'),
          impact: number('Business value.'),
          emphasis: number('Priority as a share.'),
          fitMultiplier: number('Product of the penalties of failed match rules.'),
        },
        { description: 'The parts of the score; all are computed, also those that the method does not use.' },
      ),
    ),
    modelKey: Type.Optional(textOrNull('Model that gave the propensity.')),
    modelType: Type.Optional(textOrNull('Type of that model.')),
    propensitySource: Type.Optional(text('Where the propensity came from.')),
    selection: Type.Optional(DecisionSelection),
    creativeId: Type.Optional(textOrNull('Creative that shows the offer.')),
    creativeName: Type.Optional(textOrNull('Name of the creative.')),
    templateType: Type.Optional(textOrNull('Template type of the creative.')),
    abTestVariant: Type.Optional(textOrNull('Variant label of the creative.')),
    channelId: Type.Optional(textOrNull('Channel.')),
    channelName: Type.Optional(textOrNull('Name of the channel.')),
    channelType: Type.Optional(textOrNull('Type of the channel.')),
    placementId: Type.Optional(textOrNull('Placement.')),
    placementName: Type.Optional(textOrNull('Name of the placement.')),
    content: Type.Optional(AnyObject('Rendered content; empty without creative.')),
    personalization: Type.Optional(
      AnyObject('Rendered variables, computed fields and set properties; `_errors` when a formula failed.'),
    ),
    metadata: Type.Optional(AnyObject('Metadata of the offer.')),
    impressionRecorded: Type.Optional(
      Type.Boolean({ description: 'True when the impression was counted with the decision.' }),
    ),
    reservation: Type.Optional(
      Nullable(
        Type.Object(
          {
            id: text('Reservation, same as the interaction.'),
            expiresAt: Timestamp('When it gives its capacity back.'),
          },
          { description: 'Open reservation of an explicit channel.' },
        ),
        { description: 'Open reservation on channels that confirm impressions.' },
      ),
    ),
  },
  { description: 'One recommended item.' },
);

const PlacementResult = Type.Object(
  {
    placementId: text('Placement.'),
    placementName: text('Name of the placement.'),
    channelId: text('Channel of the placement.'),
    count: Type.Integer({ description: 'Number of decisions.' }),
    emptyReason: textOrNull(
      'Why it has no item: `placement_inactive` (it or its channel is not active), `placement_targeting`, or the stage that removed its last candidate.',
    ),
    decisions: Type.Array(RecommendedItem, { description: 'Its items in delivery order.' }),
  },
  { description: 'What one placement got.' },
);

export const RecommendQuota = Type.Object(
  {
    limit: Type.Integer({ description: 'Items that the playground may be given in all.' }),
    used: Type.Integer({ description: 'Items given so far, those of this answer included.' }),
    remaining: Type.Integer({ description: 'Items left.' }),
    truncated: Type.Boolean({ description: 'True when the answer was cut because no more were left.' }),
  },
  { description: 'State of the quota; playgrounds only.' },
);
export type RecommendQuota = Static<typeof RecommendQuota>;

export const RecommendAnswer = Type.Object(
  {
    recommendationId: Nullable(Type.String(), { description: 'Id of the decision; null for a dry run.' }),
    requestId: text('Id of the request.'),
    timestamp: Timestamp("The decision's clock."),
    customerId: text('The customer decided for.'),
    anonymous: Type.Boolean({ description: 'True when the customer id was derived.' }),
    known: Type.Boolean({ description: 'False when the decision was made without stored attributes.' }),
    decisionFlowId: text('Flow that ran.'),
    decisionFlowKey: text('Key of the flow.'),
    decisionFlowVersion: Nullable(Type.Integer(), { description: 'Published version that ran; null for a draft.' }),
    channel: textOrNull('As asked.'),
    channelId: textOrNull('As asked.'),
    placement: textOrNull('As asked.'),
    count: Type.Integer({ description: 'Number of decisions.' }),
    decisions: Type.Array(RecommendedItem, { description: 'Items in delivery order.' }),
    placementResults: Nullable(Type.Record(Type.String(), PlacementResult), {
      description: 'By placement id, for `placements` or response format `grouped`; else null.',
    }),
    properties: AnyObject('From set_properties nodes.'),
    emptyReason: textOrNull(
      'Why there is no item: `no_channel`, `no_placement`, `placement_inactive`, or the stage that removed the last candidate.',
    ),
    controlGroup: Type.Boolean({ description: 'True for a holdout customer.' }),
    degradedScoring: Type.Boolean({ description: 'True when a model could not be used.' }),
    dryRun: Type.Boolean({ description: 'True when nothing was stored.' }),
    experiment: Nullable(AnyObject('Experiment and variant.'), { description: 'Experiment assignment, or null.' }),
    freshness: Type.Object(
      {
        configVersion: Type.Integer({ description: 'Newest catalogue version in the plan.' }),
        configAgeMs: Type.Integer({ description: 'ms since this process last knew it to be the newest.' }),
        evidenceAgeMs: Type.Integer({
          description:
            'ms since this process last knew its evidence, what customers answered so far, to be the newest.',
        }),
        profileAgeMs: Type.Integer({ description: 'ms since the profile values were read.' }),
      },
      { description: 'How fresh the decision is.' },
    ),
    trace: Type.Object(
      { traceId: textOrNull('Stored trace, when sampled.'), summary: AnyObject('Counts by stage.') },
      { description: 'Trace of the decision.' },
    ),
    quota: Type.Optional(RecommendQuota),
    meta: Type.Optional(
      AnyObject(
        'Stages, dropped candidates, scores, warnings, and a hint when no channel or placement fits; only with `debug`.',
      ),
    ),
  },
  { description: 'The decision.', examples: [recommendAnswerExample] },
);
export type RecommendAnswer = Static<typeof RecommendAnswer>;

export const RespondRequest = Type.Object(
  {
    customerId: Type.Optional(CustomerIdOrAnonymous),
    recommendationId: Type.Optional(Nullable(Type.String({ format: 'uuid' }), { description: 'Id of the decision.' })),
    rank: Type.Optional(Nullable(Type.Integer({ minimum: 1 }), { description: 'Item of the decision.' })),
    interactionId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), {
        description: 'Id of the item, instead of recommendationId and rank.',
      }),
    ),
    creativeId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Creative of a contact without a recommendation.' }),
    ),
    offerId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Offer of a contact without a recommendation.' }),
    ),
    channelId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Channel of a contact without a recommendation.' }),
    ),
    placementId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Placement of a contact without a recommendation.' }),
    ),
    outcome: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Key of an active outcome type.' })),
    interactionType: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Alias of `outcome`.' })),
    conversionValue: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1e12 }), { description: 'Value of the conversion.' }),
    ),
    currency: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{3}$' }), { description: 'ISO 4217 code.' })),
    direction: Type.Optional(
      StringEnum(['inbound', 'outbound'], { description: 'Default: outbound for impressions, else inbound.' }),
    ),
    timestamp: Type.Optional(Timestamp('Event time, from 1970 to 24 hours ahead; default now.')),
    attributes: Type.Optional(AnyObject('8 KB; stored with the row.')),
    context: Type.Optional(AnyObject('8 KB; stored with the row.')),
    outcomeDetails: Type.Optional(AnyObject('8 KB; stored with the row.')),
    idempotencyKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Explicit idempotency key; also as header.' }),
    ),
  },
  {
    description: 'What a customer did with an item.',
    examples: [respondExample],
  },
);
export type RespondRequest = Static<typeof RespondRequest>;

export const RespondAnswer = Type.Object(
  {
    interactionId: text('Id of the row that the response wrote; of a duplicate, that of the row first written.'),
    itemInteractionId: textOrNull('Id of the item that it was resolved to; null without a recommendation.'),
    recommendationId: textOrNull('Decision.'),
    rank: Nullable(Type.Integer(), { description: 'Item of the decision.' }),
    customerId: text('Customer.'),
    outcome: text('Outcome key.'),
    classification: text('positive, negative or neutral.'),
    outcomeCategory: text('impression or response.'),
    offerId: textOrNull('Offer.'),
    offerName: textOrNull('Name of the offer.'),
    creativeId: textOrNull('Creative.'),
    creativeName: textOrNull('Name of the creative.'),
    channelId: textOrNull('Channel.'),
    channelName: textOrNull('Name of the channel.'),
    categoryName: textOrNull('Category of the offer.'),
    conversionValue: Nullable(Type.Number(), { description: 'Value of the conversion.' }),
    direction: text('inbound or outbound.'),
    impression: textOrNull('counted, confirmed, late, already_counted, released or null.'),
    status: text('recorded or duplicate.'),
    timestamp: Timestamp('Event time.'),
  },
  { description: 'The recorded interaction.', examples: [respondAnswerExample] },
);
export type RespondAnswer = Static<typeof RespondAnswer>;

/** Responses of one call. */
export const respondBatchMaximum = 500;

export const RespondBatchRequest = Type.Object(
  {
    responses: Type.Array(Type.Unsafe<unknown>(RespondRequest), {
      minItems: 1,
      maxItems: respondBatchMaximum,
      description: 'Bodies of `POST /api/v1/respond`, in order.',
    }),
  },
  { description: 'What customers did.', examples: [{ responses: [respondExample] }] },
);
export type RespondBatchRequest = Static<typeof RespondBatchRequest>;

export const RespondBatchAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          status: Type.Integer({ description: 'Status that the response alone would have been answered with.' }),
          body: AnyObject('What it would have been answered with: the recorded interaction, or a problem.'),
        },
        { description: 'What became of a response.' },
      ),
      { description: 'In the order of the responses.' },
    ),
    recorded: Type.Integer({ description: 'Responses that were recorded.' }),
    duplicates: Type.Integer({ description: 'Responses that had been recorded before.' }),
    failed: Type.Integer({ description: 'Responses that were refused.' }),
  },
  { description: 'What became of the responses.' },
);
export type RespondBatchAnswer = Static<typeof RespondBatchAnswer>;

export const DecisionRecord = Type.Object(
  {
    requestId: text('Id of the request.'),
    recommendationId: text('Id of the decision.'),
    traceId: textOrNull('Stored trace, when sampled.'),
    customerId: textOrNull('Customer; null after erasure.'),
    source: text('recommend, campaign, journey or trigger.'),
    decidedAt: Timestamp("The decision's clock."),
    engineVersion: text('Version of the engine that decided, and edition of the time zone rules: `3 tz=2026a`.'),
    configVersion: Type.Integer({ description: 'Catalogue version.' }),
    planHash: text('SHA-256 of the plan content.'),
    flow: Type.Object(
      {
        id: text('Flow.'),
        key: text('Key of the flow.'),
        version: Nullable(Type.Integer(), { description: 'Published version.' }),
      },
      { description: 'Flow that ran.' },
    ),
    flows: Type.Array(
      Type.Object(
        {
          key: text('Key of the flow.'),
          version: Nullable(Type.Integer(), { description: 'Published version; null for a draft.' }),
        },
        { description: 'One flow.' },
      ),
      {
        description:
          'The flow that ran and those that it called, in the order of their first call. One that a conditional calls stands here only when it was called; after erasure only the first is known.',
      },
    ),
    seed: text('Seed of all chance in the decision.'),
    inputsHash: textOrNull('SHA-256 of the inputs; null after erasure.'),
    resultHash: textOrNull('SHA-256 of the result in RFC 8785 form; null after erasure.'),
    inputsState: text('available, withheld or erased.'),
    withheld: Type.Array(Type.String(), { description: 'Attributes that are never stored.' }),
    assignment: Nullable(AnyObject('Shares of creative, experiment and holdout.'), {
      description:
        'creative: per item the share of its creative among the usable ones of its offer. experiment: share of the variant, ' +
        'or null. holdout { inHoldout, share }: the side that the customer is on and the share of customers on it, or null ' +
        'without a holdout. called [{ flowKey, nodeId, variant, share }]: the same of called flows that scored, in their ' +
        'order; absent without challengers there.',
    }),
    slateProbability: Nullable(Type.Number(), { description: 'Product of the selection probabilities.' }),
    result: Nullable(AnyObject('Items and summary, unrounded.'), { description: 'The result; null after erasure.' }),
    inputs: Type.Optional(Nullable(AnyObject('What the decision read.'), { description: 'Only with include=inputs.' })),
  },
  { description: 'The sealed record of a decision.' },
);

export const ReplayAnswer = Type.Object(
  {
    identical: Type.Boolean({ description: 'True when the replay gave the recorded result byte for byte.' }),
    differences: Type.Array(
      Type.Object(
        {
          path: text('JSON Pointer into the result.'),
          recorded: Type.Unknown({ description: 'Recorded value.' }),
          replayed: Type.Unknown({ description: 'Replayed value.' }),
        },
        { description: 'One difference.' },
      ),
      { description: 'At most 200 differences.' },
    ),
    resultHash: text('Recorded hash.'),
    replayedHash: text('Hash of the replayed result.'),
    engineVersion: text('Engine that replayed, in the same form.'),
    recordedEngineVersion: text('Engine that decided.'),
  },
  { description: 'Outcome of a replay.', examples: [replayAnswerExample] },
);

const decisionParams = Type.Object(
  { id: IdText('Request id, recommendation id or trace id.') },
  { description: 'Which decision.' },
);

const tag = 'Decisions';

export const decisionOperations = {
  recommend: operation({
    id: 'decisions.recommend',
    method: 'POST',
    path: '/api/v1/recommend',
    tag,
    summary: 'Decide what to show a customer now',
    description:
      'Answers after the decision, its sealed record and its effects are committed. When no candidate is left the answer is 200 with `count` 0.',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'decision',
    decides: true,
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    body: RecommendRequest,
    responses: { 200: { description: 'The decision.', schema: RecommendAnswer } },
    errors: [
      'validation_failed',
      'reference_not_found',
      'not_found',
      'flow_not_published',
      'idempotency_in_progress',
      'inputs_unavailable',
      'idempotency_key_reused',
      'quota_exceeded',
      'not_configured',
      'not_fresh',
    ],
    audit: [],
    transaction: 'own',
  }),
  respond: operation({
    id: 'decisions.respond',
    method: 'POST',
    path: '/api/v1/respond',
    tag,
    summary: 'Report what a customer did',
    description:
      'Records an outcome of a recommended item or of a contact without one. A repeat is answered with status `duplicate`.',
    auth: 'credential',
    role: 'editor',
    loadClass: 'decision',
    idempotent: true,
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    body: RespondRequest,
    responses: { 200: { description: 'Recorded, or a duplicate.', schema: RespondAnswer } },
    errors: [
      'validation_failed',
      'unknown_outcome',
      'not_found',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'not_configured',
    ],
    audit: [],
    transaction: 'own',
  }),
  respondBatch: operation({
    id: 'decisions.respondBatch',
    method: 'POST',
    path: '/api/v1/respond/batch',
    tag,
    summary: 'Report what customers did, up to 500 responses at once',
    description:
      'Each response is recorded or refused by itself, one that is not well formed too, those of one customer in the order given. An `Idempotency-Key` covers the call for 7 days: with it a repeat finds each response that has no key of its own as a duplicate and records those that were not recorded; with other responses the call is refused.',
    auth: 'credential',
    role: 'editor',
    loadClass: 'decision',
    idempotent: true,
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    body: RespondBatchRequest,
    judgedAlone: ['responses'],
    bodyLimit: 10 * 1024 * 1024,
    responses: { 200: { description: 'What became of each.', schema: RespondBatchAnswer } },
    errors: ['validation_failed', 'idempotency_key_reused', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
  get: operation({
    id: 'decisions.get',
    method: 'GET',
    path: '/api/v1/decisions/{id}',
    tag,
    summary: 'Read the sealed record of a decision',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    params: decisionParams,
    query: Type.Object(
      {
        include: Type.Optional(
          StringEnum(['inputs'], { description: '`inputs` adds what the decision read (editor, audited).' }),
        ),
      },
      { description: 'What to add.' },
    ),
    responses: { 200: { description: 'The record.', schema: DecisionRecord } },
    errors: ['not_found', 'forbidden', 'inputs_unavailable', 'record_corrupt', 'not_configured'],
    audit: [],
    transaction: 'tenant',
  }),
  replay: operation({
    id: 'decisions.replay',
    method: 'POST',
    path: '/api/v1/decisions/{id}/replay',
    tag,
    summary: 'Run a recorded decision again and compare',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    rateLimits: [{ limit: 300, windowSeconds: 60, per: 'tenant' }],
    params: decisionParams,
    body: Type.Object({}, { description: 'Nothing is needed.' }),
    responses: { 200: { description: 'The comparison.', schema: ReplayAnswer } },
    errors: ['not_found', 'inputs_unavailable', 'record_corrupt', 'not_configured'],
    audit: [{ action: 'replay', entityType: 'decision' }],
    transaction: 'tenant',
  }),
  listTraces: operation({
    id: 'decisionTraces.list',
    method: 'GET',
    path: '/api/v1/decision-traces',
    tag,
    summary: 'List stored decision traces, newest first',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    query: Type.Object(
      {
        ...traceFilters,
        requestId: Type.Optional(IdFilter('Only this request.')),
        limit: Type.Optional(Type.Integer({ minimum: 1, default: 50, description: 'Rows; above 200 it becomes 200.' })),
        offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Rows to skip.' })),
      },
      { description: 'Filters.' },
    ),
    responses: {
      200: {
        description: 'Traces.',
        schema: Type.Object(
          {
            traces: Type.Array(AnyObject('A trace.'), { description: 'The traces.' }),
            total: Type.Integer({ description: 'Traces that match.' }),
            limit: Int(1, 200, 'The page size used.'),
            offset: Type.Integer({ description: 'Rows skipped.' }),
          },
          { description: 'A page of traces.' },
        ),
      },
    },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  getTrace: operation({
    id: 'decisionTraces.get',
    method: 'GET',
    path: '/api/v1/decision-traces/{id}',
    tag,
    summary: 'Read a decision trace with every stage',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    params: Type.Object({ id: IdText('Trace id.') }, { description: 'Which trace.' }),
    responses: { 200: { description: 'The trace.', schema: AnyObject('The trace.') } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
};
