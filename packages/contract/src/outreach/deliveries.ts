import Type, { type Static } from 'typebox';
import { channelProviders } from '../catalogue/provider-configs.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { CustomerId, Id, IdFilter, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** From the first to the last: a delivery only moves forward. `queued` and `sent` are ours, the others are reported. */
export const deliveryStatuses = ['queued', 'sent', 'delivered', 'opened', 'clicked', 'failed', 'bounced'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What providers report, in the words of the contract. */
export const deliveryEvents = ['delivered', 'opened', 'clicked', 'failed', 'bounced'] as const;
export type DeliveryEventName = (typeof deliveryEvents)[number];

/**
 * Why a message failed or bounced. Providers' own texts often contain the customer's address, so each is translated to one
 * of these and then dropped.
 */
export const deliveryReasons = [
  'invalid_address',
  'mailbox_full',
  'unreachable',
  'suppressed',
  'complaint',
  'blocked',
  'content_rejected',
  'limit_exceeded',
  'temporary',
  'permanent',
  'other',
] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];

/** What queued a delivery. */
export const deliverySources = ['campaign', 'journey', 'trigger'] as const;
export type DeliverySource = (typeof deliverySources)[number];

/** Events that a delivery shows. */
export const maxEventsShown = 200;

const Status = StringEnum(deliveryStatuses, {
  description:
    'queued: not sent yet. sent: the provider accepted it. The others are what the provider reported. A delivery ' +
    'only moves forward: queued, sent, delivered, opened, clicked, failed, bounced.',
});

const DeliveryEvent = Type.Object(
  {
    event: StringEnum(deliveryEvents, { description: 'What happened.' }),
    timestamp: Timestamp('When it happened, by the clock of the provider.'),
    receivedAt: Timestamp('When it was received.'),
    reason: Nullable(StringEnum(deliveryReasons, { description: 'Reason.' }), {
      description:
        "Why it failed or bounced, or null if the provider gave no reason. suppressed: the address is on the provider's " +
        'suppression list. complaint: the customer marked it as spam. blocked: the receiving side refused it. other: the ' +
        'provider gave a reason that none of these covers. The text of the provider is not stored.',
    }),
    eventId: Nullable(Type.String(), { description: 'ID of the event at the provider, or null.' }),
  },
  { description: 'An event that a provider reported.' },
);

export const Delivery = Type.Object(
  {
    id: Id('ID of the delivery.'),
    customerId: CustomerId(),
    offerId: Id('Offer of the message.'),
    creativeId: Nullable(Id('Creative.'), { description: 'Creative of the message, or null.' }),
    channelId: Id('Channel it goes through.'),
    source: StringEnum(deliverySources, { description: 'What queued it.' }),
    campaignId: Nullable(Id('Campaign.'), { description: 'Campaign that queued it, or null.' }),
    runId: Nullable(Id('Run.'), { description: 'Campaign run that queued it, or null.' }),
    journeyId: Nullable(Id('Journey.'), { description: 'Journey that queued it, or null.' }),
    triggerId: Nullable(Id('Trigger.'), { description: 'Trigger that queued it, or null.' }),
    recommendationId: Nullable(Id('Decision.'), { description: 'Decision that chose the offer, or null.' }),
    provider: Nullable(StringEnum(channelProviders, { description: 'Provider.' }), {
      description: 'Provider that it was given to. Null before the first try.',
    }),
    providerMessageId: Nullable(Type.String(), { description: 'ID of the message at the provider, or null.' }),
    status: Status,
    error: Nullable(Type.String(), {
      description:
        'Why the last attempt failed, or null. no_address: the customer has no address for this channel. doubtful: the ' +
        'provider may or may not have sent it.',
    }),
    tries: Type.Integer({ description: 'Tries so far. At most 6 before it fails.' }),
    createdAt: Timestamp('When it was queued.'),
    updatedAt: Timestamp('When it last changed.'),
    events: Type.Array(DeliveryEvent, {
      description: `Reported events in the order of their arrival, at most ${maxEventsShown}. Empty in lists.`,
    }),
  },
  { description: 'One message to one customer.' },
);
export type Delivery = Static<typeof Delivery>;

const common = {
  tag: 'Deliveries',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'crud',
  transaction: 'tenant',
  audit: [],
} as const;

/** Messages of campaigns, journeys and triggers (docs/design/api-access.md 12.4). */
export const deliveryOperations = {
  list: operation({
    ...common,
    id: 'deliveries.list',
    method: 'GET',
    path: '/api/v1/deliveries',
    summary: 'List deliveries, newest first',
    query: Type.Object(
      {
        ...cursorQuery(defaultPage),
        customerId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Customer to filter by.' })),
        status: Type.Optional(Status),
        runId: Type.Optional(IdFilter('Campaign run to filter by.')),
        channelId: Type.Optional(IdFilter('Channel to filter by.')),
      },
      { description: 'Filters and page.' },
    ),
    responses: { 200: { description: 'A page.', schema: cursorPage(Delivery) } },
    errors: ['invalid_cursor'],
  }),
  get: operation({
    ...common,
    id: 'deliveries.get',
    method: 'GET',
    path: '/api/v1/deliveries/{id}',
    summary: 'Get a delivery with its events',
    params: Type.Object({ id: IdText('ID of the delivery.') }, { description: 'The delivery.' }),
    responses: { 200: { description: 'The delivery.', schema: Delivery } },
    errors: ['not_found'],
  }),
} as const;
