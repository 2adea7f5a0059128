import Type from 'typebox';
import { operation } from './core/operation.ts';
import { IdFilter, IdText, Int, JsonObject, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { replayAnswerExample } from './decision-examples.ts';
import { traceFilters } from './decision-lists.ts';

// The operations of decisions; records, replay, traces (docs/design/api-decisioning.md 3, 12).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

export const DecisionRecord = Type.Object(
  {
    requestId: text('Id of the request.'),
    recommendationId: text('Id of the decision.'),
    traceId: textOrNull('Stored trace, when sampled.'),
    customerId: textOrNull('Customer; null after erasure.'),
    source: text('recommend, campaign, journey or trigger.'),
    decidedAt: Timestamp("The decision's clock."),
    engineVersion: text('Version of the engine that decided, and edition of the time zone rules: `1 tz=2026a`.'),
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
    assignment: Nullable(JsonObject('Shares of creative, experiment and holdout.'), {
      description:
        'creative: per item the share of its creative among the usable ones of its offer. experiment: share of the variant, ' +
        'or null. holdout { inHoldout, share }: the side that the customer is on and the share of customers on it, or null ' +
        'without a holdout. called [{ flowKey, nodeId, variant, share }]: the same of called flows that scored, in their ' +
        'order; absent without challengers there.',
    }),
    slateProbability: Nullable(Type.Number(), { description: 'Product of the selection probabilities.' }),
    result: Nullable(JsonObject('Items and summary, unrounded.'), { description: 'The result; null after erasure.' }),
    inputs: Type.Optional(
      Nullable(JsonObject('What the decision read.'), { description: 'Only with include=inputs.' }),
    ),
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
            traces: Type.Array(JsonObject('A trace.'), { description: 'The traces.' }),
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
    responses: { 200: { description: 'The trace.', schema: JsonObject('The trace.') } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
};
