import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { JsonObject, Timestamp } from '../core/schemas.ts';

/** An event of the tenant's stream (docs/design/api-access.md 12.1). */
export const StreamEvent = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'ID of the event. Redeliveries have the same ID.' }),
    type: Type.String({ description: 'Type of the event, such as `decision.made.v1`.' }),
    tenantId: Type.String({ format: 'uuid', description: 'Tenant of the event.' }),
    timestamp: Timestamp('When it was recorded.'),
    payload: JsonObject('Payload of the event type. Properties may be added over time.'),
  },
  { description: 'An event.' },
);
export type StreamEvent = Static<typeof StreamEvent>;

/** Some events, and where to go on. */
export const EventPage = Type.Object(
  {
    data: Type.Array(StreamEvent, { description: 'Events in stream order.' }),
    nextAfter: Type.String({
      description: 'Position up to which the stream was read. Pass it as `after`. Also set when no event matched.',
    }),
  },
  { description: 'A page of the stream.' },
);
export type EventPage = Static<typeof EventPage>;

/** Types of events in the stream, and what their payloads say. */
export const streamTopics: Readonly<Record<string, string>> = {
  'alert.fired.v1': 'an alert rule fired',
  'approval.requested.v1':
    'an approval request waits for a decision: it was filed, or its previous stage was approved. ' +
    '`{ approvalId, entityType, entityId, action, stage, requiredRole }`',
  'approval.resolved.v1': 'an approval request was approved, rejected, canceled or expired',
  'catalogue.changed.v1':
    'a catalogue record was created, changed, deleted or restored: `{ entityType, id, version }`, one event for each ' +
    'record that a transaction changed. `version` is the version after the change',
  'customer.changed.v1': 'a row of a customer schema was created or changed',
  'customer.event.v1': 'an event was sent for a customer',
  'decision.made.v1': 'a decision was made',
  'delivery.updated.v1': 'the status of a delivery changed',
  'flow.published.v1': 'a flow was published',
  'interaction.recorded.v1': 'a customer responded, or saw an offer',
  'journey.step.v1': 'an enrollment took a step in its journey',
  'segment.changed.v1': 'a customer entered or left a segment',
};

/** Events of one answer. */
export const eventPage = { usual: 100, maximum: 1000 } as const;

export const eventOperations = {
  stream: operation({
    id: 'events.stream',
    method: 'GET',
    path: '/api/v1/events/stream',
    tag: 'Events',
    summary: "Read the tenant's events from a position",
    description:
      'Events are kept for 7 days and delivered at least once; events of one customer are in order. With ' +
      '`Accept: text/event-stream` the response stays open and streams new events. The id of each event is ' +
      'its position, which a browser sends back as `Last-Event-ID` when it reconnects. A stream ends after ' +
      "some minutes and when the tenant's credentials change; reconnect to resume where it ended.\n\nTypes:\n" +
      Object.entries(streamTopics)
        .map(([type, meaning]) => `- \`${type}\`: ${meaning}.`)
        .join('\n'),
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    query: Type.Object(
      {
        after: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description:
              'Position to read after, from `nextAfter` or an event ID. `latest`: new events only. Default: from the oldest stored event.',
          }),
        ),
        topic: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description: 'Event types to return, separated by commas.',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            default: eventPage.usual,
            description: `Maximum events in a JSON response. Values above ${eventPage.maximum} are treated as ${eventPage.maximum}. Fewer events don't mean that the stream has ended.`,
          }),
        ),
      },
      { description: 'Where to start, and what to return.' },
    ),
    headers: Type.Object(
      {
        'Last-Event-ID': Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Position of the last event received. Takes precedence over `after`.',
          }),
        ),
      },
      { description: 'Position to resume the stream from.' },
    ),
    responses: { 200: { description: 'Events.', schema: EventPage, events: StreamEvent } },
    errors: ['invalid_cursor'],
    audit: [],
    transaction: 'own',
  }),
} as const;
