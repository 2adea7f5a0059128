import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { JsonObject, Timestamp } from './core/schemas.ts';

/** An event of the tenant's stream (docs/design/api-access.md 12.1). */
export const StreamEvent = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the event; the same when it is delivered again.' }),
    type: Type.String({ description: 'What happened, such as `decision.made.v1`.' }),
    tenantId: Type.String({ format: 'uuid', description: 'Whose event it is.' }),
    timestamp: Timestamp('When it was recorded.'),
    payload: JsonObject('What the kind of event tells; properties may be added to it.'),
  },
  { description: 'An event.' },
);
export type StreamEvent = Static<typeof StreamEvent>;

/** Some events, and where to go on. */
export const EventPage = Type.Object(
  {
    data: Type.Array(StreamEvent, { description: 'Events in the order of the stream.' }),
    nextAfter: Type.String({
      description: 'The position that was read up to, for `after`; also when no event was found.',
    }),
  },
  { description: 'A part of the stream.' },
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
    summary: 'Read the events of the tenant from a position on',
    description:
      'Events are kept for 7 days and told at least once, those of one customer in their order. With ' +
      '`Accept: text/event-stream` the answer stays open and tells what comes: the id of each event is its position, ' +
      'which a browser sends back as `Last-Event-ID` when it connects again. Such a stream ends after some minutes, and ' +
      "when one of the tenant's credentials changes; go on where it ended.",
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
              'The position after which to read, from `nextAfter` or an event id; `latest`: what comes from now on. Default: the oldest event that is kept.',
          }),
        ),
        topic: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description: 'Only events of this type, or of several: types separated by commas.',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            default: eventPage.usual,
            description: `Events of a JSON answer; above ${eventPage.maximum} it becomes ${eventPage.maximum}. Fewer are no sign of the end.`,
          }),
        ),
      },
      { description: 'From where on, and what.' },
    ),
    headers: Type.Object(
      {
        'Last-Event-ID': Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Position of the last event that was seen; stronger than `after`.',
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
