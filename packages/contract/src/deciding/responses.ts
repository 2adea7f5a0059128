import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Problem } from '../core/problem.ts';
import { JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { respondAnswerExample, respondExample } from './decision-examples.ts';
import { CustomerIdOrAnonymous } from './recommendation.ts';

// Respond: what customers did (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

export const RespondRequest = Type.Object(
  {
    customerId: Type.Optional(CustomerIdOrAnonymous),
    recommendationId: Type.Optional(Nullable(Type.String({ format: 'uuid' }), { description: 'ID of the decision.' })),
    rank: Type.Optional(Nullable(Type.Integer({ minimum: 1 }), { description: 'Item of the decision.' })),
    interactionId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), {
        description: 'ID of the item. Use it instead of recommendationId and rank.',
      }),
    ),
    creativeId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Creative, for a contact without a recommendation.' }),
    ),
    offerId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Offer, for a contact without a recommendation.' }),
    ),
    channelId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Channel, for a contact without a recommendation.' }),
    ),
    placementId: Type.Optional(
      Nullable(Type.String({ format: 'uuid' }), { description: 'Placement, for a contact without a recommendation.' }),
    ),
    outcome: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Key of an active outcome type.' })),
    interactionType: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Alias of `outcome`.' })),
    conversionValue: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1e12 }), { description: 'Value of the conversion.' }),
    ),
    currency: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{3}$' }), { description: 'ISO 4217 code.' })),
    direction: Type.Optional(
      StringEnum(['inbound', 'outbound'], { description: 'Default: outbound for impressions, otherwise inbound.' }),
    ),
    timestamp: Type.Optional(
      Timestamp(
        'Time of the event, from 1970 to 24 hours in the future. Default: now. A contact in the future counts toward caps immediately.',
      ),
    ),
    attributes: Type.Optional(JsonObject('At most 8 KB. Stored with the row.')),
    context: Type.Optional(JsonObject('At most 8 KB. Stored with the row.')),
    outcomeDetails: Type.Optional(JsonObject('At most 8 KB. Stored with the row.')),
    idempotencyKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Idempotency key. Can also be sent as a header.' }),
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
    interactionId: text('ID of the recorded row. For a duplicate, the row recorded first.'),
    itemInteractionId: textOrNull('ID of the item the response belongs to; null without a recommendation.'),
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
  { description: 'Customer responses.', examples: [{ responses: [respondExample] }] },
);
export type RespondBatchRequest = Static<typeof RespondBatchRequest>;

export const RespondBatchAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          status: Type.Integer({ description: 'HTTP status for this response, as if it had been sent alone.' }),
          body: Type.Union([RespondAnswer, Problem], {
            description: 'Body this response would have had on its own: the recorded interaction, or a problem.',
          }),
        },
        { description: 'Result for one response.' },
      ),
      { description: 'One entry per response, in order.' },
    ),
    recorded: Type.Integer({ description: 'Number of responses recorded.' }),
    duplicates: Type.Integer({ description: 'Number of responses recorded earlier.' }),
    failed: Type.Integer({ description: 'Number of responses rejected.' }),
  },
  { description: 'Results of the responses.' },
);
export type RespondBatchAnswer = Static<typeof RespondBatchAnswer>;

/** Reports what customers did. */
export const respondOperations = {
  respond: operation({
    id: 'decisions.respond',
    method: 'POST',
    path: '/api/v1/respond',
    tag: 'Decisions',
    summary: 'Report what a customer did',
    description:
      'Records an outcome of a recommended item, or of a contact without a recommendation. Repeating a call returns the status `duplicate`.',
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
    tag: 'Decisions',
    summary: 'Report up to 500 customer responses',
    description:
      'Each response is recorded or rejected independently, including malformed ones. Responses of one customer are processed in order. An `Idempotency-Key` covers the call for 7 days: if you repeat it, responses without their own key that were recorded before are returned as duplicates, and the others are recorded. If the responses differ, the call is rejected.',
    auth: 'credential',
    role: 'editor',
    loadClass: 'decision',
    idempotent: true,
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    body: RespondBatchRequest,
    judgedAlone: ['responses'],
    bodyLimit: 10 * 1024 * 1024,
    responses: { 200: { description: 'Result for each response.', schema: RespondBatchAnswer } },
    errors: ['validation_failed', 'idempotency_key_reused', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
};
