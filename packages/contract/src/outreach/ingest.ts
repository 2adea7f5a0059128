import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { CustomerId, Id, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { deepestChain, ingestEventTypes } from './customer-event-types.ts';
import { TriggerAction, TriggerActionConfig } from './triggers.ts';

/** Characters of `data` as JSON at most. */
export const maxEventDataBytes = 65_536;

export const IngestRequest = Type.Object(
  {
    type: StringEnum(ingestEventTypes, { description: 'What happened.' }),
    customerId: CustomerId(),
    data: Type.Optional(
      JsonObject('Anything about the event. Conditions read it as `data.*`. At most 64 KiB as JSON. Default empty.', {
        'x-refuses-null': true,
      }),
    ),
    channel: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Channel of the event, such as `web`.' }),
    ),
    timestamp: Type.Optional(
      Timestamp('When it happened. From 1970 to 24 hours ahead. Default: the time of the call.'),
    ),
  },
  {
    description: 'A customer event.',
    examples: [{ type: 'cart_abandon', customerId: 'C-1001', data: { cartValue: 120 }, channel: 'web' }],
  },
);
export type IngestRequest = Static<typeof IngestRequest>;

const Fired = {
  triggerId: Id('Trigger.'),
  actionType: TriggerAction,
};

export const IngestAnswer = Type.Object(
  {
    ingested: Type.Literal(true, { description: 'Always true.' }),
    eventType: StringEnum(ingestEventTypes, { description: 'As sent.' }),
    customerId: Type.String({ description: 'As sent.' }),
    streamId: Nullable(Type.String(), {
      description: "Position of the event in the tenant's stream. Null if it could not be published in time.",
    }),
    triggersMatched: Type.Array(Type.Object(Fired, { description: 'A trigger.' }), {
      description: 'Triggers that fired, highest priority first. One that is in its cooldown does not fire.',
    }),
    actionsDispatched: Type.Array(
      Type.Object({ ...Fired, config: TriggerActionConfig }, { description: 'An action.' }),
      { description: 'Actions that are done, or continue in the background after 2 seconds.' },
    ),
    actionErrors: Type.Optional(
      Type.Array(
        Type.Object(
          { ...Fired, error: Type.String({ description: 'Why, in a word or two.' }) },
          { description: 'An action.' },
        ),
        {
          description:
            'Actions that failed, if any did. Failed webhooks and failures that can pass are tried five more times.',
        },
      ),
    ),
  },
  { description: 'How the event was handled.' },
);
export type IngestAnswer = Static<typeof IngestAnswer>;

/** Reports events of customers. */
export const ingestOperations = {
  ingest: operation({
    id: 'events.ingest',
    method: 'POST',
    path: '/api/v1/events/ingest',
    tag: 'Events',
    summary: 'Report a customer event',
    description:
      'Publishes the event, then fires the active triggers that match and lets journeys react. Actions run for at most ' +
      '2 seconds within the request, those of one customer in the order of the events; the rest continues in the background. ' +
      `A chain of triggers that cause each other ends after ${deepestChain} firings. An event from before the customer's ` +
      'erasure is not stored and matches nothing. Without an Idempotency-Key, the same body sent twice is two events.',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'decision',
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    idempotent: true,
    body: IngestRequest,
    responses: { 200: { description: 'How the event was handled.', schema: IngestAnswer } },
    errors: [],
    audit: [],
    transaction: 'own',
  }),
};
