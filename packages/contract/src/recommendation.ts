import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { JsonObject, Nullable, Timestamp } from './core/schemas.ts';
import { recommendAnswerExample, recommendExample } from './decision-examples.ts';

// Recommend: what is asked and what is answered (docs/design/api-decisioning.md 2).

/** Whom a call is about; who is not known gets an id of their own. */
export const CustomerIdOrAnonymous = Type.String({
  maxLength: 255,
  description: 'Id of the customer; missing, empty or `anonymous` derives an anonymous id.',
});

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
      JsonObject('At most 50 keys and 8 KB; copied to history, readable as `request.context.*`.', {
        maxProperties: 50,
      }),
    ),
    segments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 50,
        description: 'Segments added to the stored membership for this request only.',
      }),
    ),
    attributes: Type.Optional(
      JsonObject('At most 200 keys, depth 5, 64 KB; readable as `attributes.*`.', { maxProperties: 200 }),
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
    content: Type.Optional(JsonObject('Rendered content; empty without creative.')),
    personalization: Type.Optional(
      JsonObject('Rendered variables, computed fields and set properties; `_errors` when a formula failed.'),
    ),
    metadata: Type.Optional(JsonObject('Metadata of the offer.')),
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
    properties: JsonObject('From set_properties nodes.'),
    emptyReason: textOrNull(
      'Why there is no item: `no_channel`, `no_placement`, `placement_inactive`, or the stage that removed the last candidate.',
    ),
    controlGroup: Type.Boolean({ description: 'True for a holdout customer.' }),
    degradedScoring: Type.Boolean({ description: 'True when a model could not be used.' }),
    dryRun: Type.Boolean({ description: 'True when nothing was stored.' }),
    experiment: Nullable(JsonObject('Experiment and variant.'), { description: 'Experiment assignment, or null.' }),
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
      { traceId: textOrNull('Stored trace, when sampled.'), summary: JsonObject('Counts by stage.') },
      { description: 'Trace of the decision.' },
    ),
    quota: Type.Optional(RecommendQuota),
    meta: Type.Optional(
      JsonObject(
        'Stages, dropped candidates, scores, warnings, a hint when no channel or placement fits, and `schemaWarnings` when a ' +
          'customer schema holds rows that the flow does not read. Only with `debug`.',
      ),
    ),
  },
  { description: 'The decision.', examples: [recommendAnswerExample] },
);
export type RecommendAnswer = Static<typeof RecommendAnswer>;

/** Asks for a decision. */
export const recommendOperations = {
  recommend: operation({
    id: 'decisions.recommend',
    method: 'POST',
    path: '/api/v1/recommend',
    tag: 'Decisions',
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
};
