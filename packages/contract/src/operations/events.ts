import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { JsonObject, Timestamp } from '../core/schemas.ts';

/** An event of the tenant's stream (docs/design/api-access.md 12.1). */
export const StreamEvent = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the event. Redeliveries have the same id.' }),
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
      "some minutes and when the tenant's credentials change; reconnect to resume where it ended.",
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
              'Position to read after, from `nextAfter` or an event id. `latest`: new events only. Default: from the oldest stored event.',
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
