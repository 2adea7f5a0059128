import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, Int, JsonObject, StringEnum, Timestamp } from './core/schemas.ts';

/** Most dead letters that one answer lists (part 1, section 8). */
export const mostDeadLettersListed = 200;

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

/** A job that used up its tries (part 1, dead-letter event). */
export const DeadLetter = Type.Object(
  {
    id: Id('Id of the dead letter.'),
    topic: Type.String({ description: 'The job that failed.' }),
    payload: JsonObject('What the job was about: ids only.'),
    error: Type.String({ description: 'What its last try said, without data.' }),
    retryCount: Int(0, 1_000_000, 'Tries made, over all retries by hand.'),
    failedAt: Timestamp('When it used up its tries.'),
  },
  { description: 'A job that used up its tries.' },
);
export type DeadLetter = Static<typeof DeadLetter>;

const Topic = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Only those of this job. An unknown job name is refused.',
});

export const DeadLetterReport = Type.Object(
  {
    totalEvents: Type.Integer({ description: 'Dead letters that match.' }),
    byTopic: Type.Unsafe<Record<string, number>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.Integer(),
          description: 'How many of them each job has; jobs without one are left out.',
        },
      ),
    ),
    events: Type.Array(DeadLetter, { description: 'The newest of them.' }),
    alert: StringEnum(['OK', 'WARNING', 'CRITICAL'], {
      description: 'Of `totalEvents`: up to 10 OK, up to 100 WARNING, else CRITICAL.',
    }),
  },
  { description: 'Dead letters of the tenant.' },
);
export type DeadLetterReport = Static<typeof DeadLetterReport>;

export const DeadLetterAction = Type.Object(
  {
    action: StringEnum(['retry', 'purge'], {
      description: '`retry`: back into the queue, at most 1,000 a call, the oldest first. `purge`: deleted.',
    }),
    eventIds: Type.Optional(
      Type.Array(Id('Id of a dead letter.'), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Only these. Ids that name none are passed over.',
      }),
    ),
    topic: Type.Optional(Topic),
  },
  {
    description: 'With `eventIds` and `topic`, both must hold; without both, all dead letters of the tenant are meant.',
  },
);
export type DeadLetterAction = Static<typeof DeadLetterAction>;

export const DeadLetterResult = Type.Union(
  [
    Type.Object(
      {
        action: Type.Literal('retry', { description: 'What was done.' }),
        requeued: Type.Integer({ description: 'Jobs that are back in the queue.' }),
      },
      { description: 'Result of a retry.' },
    ),
    Type.Object(
      {
        action: Type.Literal('purge', { description: 'What was done.' }),
        deleted: Type.Integer({ description: 'Dead letters that are gone.' }),
      },
      { description: 'Result of a purge.' },
    ),
  ],
  { description: 'What was done.' },
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
    summary: 'List jobs that used up their tries',
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: 50,
          description: `Events listed; above ${mostDeadLettersListed} it becomes ${mostDeadLettersListed}.`,
        }),
      ),
      topic: Type.Optional(Topic),
    }),
    responses: { 200: { description: 'Counts and the newest events.', schema: DeadLetterReport } },
    audit: [],
  }),
  act: operation({
    ...shared,
    id: 'deadLetters.act',
    method: 'POST',
    summary: 'Retry or purge dead letters',
    description: 'A retried job keeps the count of its tries. The audit action is `redrive` or `purge`.',
    body: DeadLetterAction,
    responses: { 200: { description: 'What was done.', schema: DeadLetterResult } },
    audit: [{ action: 'redrive', entityType: 'deadLetter' }],
  }),
} as const;
