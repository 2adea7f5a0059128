import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, Int, JsonObject, StringEnum, Timestamp } from '../core/schemas.ts';

/** Maximum dead letters in one answer. */
export const maxDeadLettersListed = 200;

/** Topics that clients may rely on (docs/design/api-access.md 15); each further job of the server is one too. */
export const deadLetterTopics = [
  'outbox.publish',
  'trigger.dispatch',
  'notification.deliver',
  'delivery.send',
  'report.run',
  'campaign.chunk',
  'journey.step',
  'model.train',
  'model.update',
  'metric.compute',
  'segment.refresh',
  'export.write',
  'import.chunk',
  'pack.load',
  'pipeline.run',
  'mail.send',
  'customer.erase',
] as const;

/** A job that used up its attempts. */
export const DeadLetter = Type.Object(
  {
    id: Id('ID of the dead letter.'),
    topic: Type.String({ description: 'Job that failed.' }),
    payload: JsonObject('Payload of the job. Contains only IDs.'),
    error: Type.String({ description: 'Error of the last attempt, without customer data.' }),
    retryCount: Int(0, 1_000_000, 'Attempts, including manual retries.'),
    failedAt: Timestamp('When the last attempt failed.'),
  },
  { description: 'A job that used up its attempts.' },
);
export type DeadLetter = Static<typeof DeadLetter>;

const Topic = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Job to filter by. An unknown job name is rejected.',
});

export const DeadLetterReport = Type.Object(
  {
    totalEvents: Type.Integer({ description: 'Number of matching dead letters.' }),
    byTopic: Type.Unsafe<Record<string, number>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.Integer(),
          description: 'Number of dead letters per job. Jobs without dead letters are left out.',
        },
      ),
    ),
    events: Type.Array(DeadLetter, { description: 'The newest dead letters.' }),
    alert: StringEnum(['OK', 'WARNING', 'CRITICAL'], {
      description: 'Based on `totalEvents`: up to 10 OK, up to 100 WARNING, otherwise CRITICAL.',
    }),
  },
  { description: 'Dead letters of the tenant.' },
);
export type DeadLetterReport = Static<typeof DeadLetterReport>;

export const DeadLetterAction = Type.Object(
  {
    action: StringEnum(['retry', 'purge'], {
      description: '`retry`: put back into the queue, at most 1,000 per call, oldest first. `purge`: delete.',
    }),
    eventIds: Type.Optional(
      Type.Array(Id('ID of a dead letter.'), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Dead letters to process. Unknown IDs are skipped.',
      }),
    ),
    topic: Type.Optional(Topic),
  },
  {
    description:
      'With `eventIds` and `topic`, both must match. Without either, all dead letters of the tenant are processed.',
  },
);
export type DeadLetterAction = Static<typeof DeadLetterAction>;

export const DeadLetterResult = Type.Union(
  [
    Type.Object(
      {
        action: Type.Literal('retry', { description: 'Action that was performed.' }),
        requeued: Type.Integer({ description: 'Jobs put back into the queue.' }),
      },
      { description: 'Result of a retry.' },
    ),
    Type.Object(
      {
        action: Type.Literal('purge', { description: 'Action that was performed.' }),
        deleted: Type.Integer({ description: 'Dead letters deleted.' }),
      },
      { description: 'Result of a purge.' },
    ),
  ],
  { description: 'Result of the action.' },
);
export type DeadLetterResult = Static<typeof DeadLetterResult>;

const shared = {
  path: '/api/v1/admin/dlq',
  tag: 'Administration',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  errors: [],
  transaction: 'tenant',
} as const;

export const deadLetterOperations = {
  list: operation({
    ...shared,
    id: 'deadLetters.list',
    method: 'GET',
    summary: 'List jobs that used up their attempts',
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: 50,
          description: `Page size. Values above ${maxDeadLettersListed} are treated as ${maxDeadLettersListed}.`,
        }),
      ),
      topic: Type.Optional(Topic),
    }),
    responses: { 200: { description: 'Counts and the newest dead letters.', schema: DeadLetterReport } },
    audit: [],
  }),
  act: operation({
    ...shared,
    id: 'deadLetters.act',
    method: 'POST',
    summary: 'Retry or purge dead letters',
    description: 'A retried job keeps its attempt count. The audit action is `redrive` or `purge`.',
    body: DeadLetterAction,
    responses: { 200: { description: 'Result of the action.', schema: DeadLetterResult } },
    audit: [{ action: 'redrive', entityType: 'deadLetter' }],
  }),
} as const;
