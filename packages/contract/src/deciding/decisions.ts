import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { IdFilter, IdText, Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Explanation } from '../explanation/explanation.ts';
import { replayAnswerExample } from './decision-examples.ts';
import { traceFilters } from './decision-lists.ts';
import { RecordedInputs, RecordedResult, ShownAssignment } from './decision-record.ts';
import { DecisionTrace } from './decision-trace.ts';

// The operations of decisions; records, replay, traces (docs/design/api-decisioning.md 3, 12).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

export const DecisionRecord = Type.Object(
  {
    requestId: text('ID of the request.'),
    recommendationId: text('ID of the decision.'),
    traceId: textOrNull('ID of the stored trace, if the decision was sampled.'),
    customerId: textOrNull('Customer ID; null after erasure.'),
    source: text('Kind of request: recommend, campaign, journey or trigger.'),
    decidedAt: Timestamp('Time used for the decision.'),
    engineVersion: text('Engine version and time zone edition that decided, such as `1 tz=2026a`.'),
    configVersion: Type.Integer({ description: 'Catalogue version used.' }),
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
          version: Nullable(Type.Integer(), { description: 'Published flow version; null for a draft.' }),
        },
        { description: 'One flow.' },
      ),
      {
        description:
          'The flow that ran, followed by the flows it called, in the order of their first call. A flow that a conditional can call is listed only if it was called. After erasure, only the first flow is known.',
      },
    ),
    seed: text('Seed of all random draws in the decision.'),
    inputsHash: textOrNull('SHA-256 of the inputs; null after erasure.'),
    resultHash: textOrNull('SHA-256 of the result in RFC 8785 form; null after erasure.'),
    inputsState: text('Whether inputs are available, withheld or erased.'),
    withheld: Type.Array(Type.String(), { description: 'Attributes that are never stored.' }),
    assignment: Nullable(ShownAssignment, {
      description: 'Probabilities of creative, experiment and holdout assignment; null after erasure.',
    }),
    slateProbability: Nullable(Type.Number(), { description: 'Product of the selection probabilities.' }),
    result: Nullable(RecordedResult, { description: 'The result; null after erasure.' }),
    inputs: Type.Optional(Nullable(RecordedInputs, { description: 'Returned with `include=inputs` only.' })),
    explanation: Type.Optional(
      Nullable(Explanation, {
        description: 'How the decision came about; null after erasure. Returned with `include=explanation` only.',
      }),
    ),
  },
  { description: 'The sealed record of a decision.' },
);
export type DecisionRecord = Static<typeof DecisionRecord>;

export const ReplayAnswer = Type.Object(
  {
    identical: Type.Boolean({ description: 'True if the replay produced the recorded result byte for byte.' }),
    differences: Type.Array(
      Type.Object(
        {
          path: text('JSON Pointer into the result.'),
          recorded: Type.Unknown({ description: 'Value in the record.' }),
          replayed: Type.Unknown({ description: 'Value in the replay.' }),
        },
        { description: 'One difference.' },
      ),
      { description: 'Differences, at most 200.' },
    ),
    resultHash: text('Hash of the recorded result.'),
    replayedHash: text('Hash of the replayed result.'),
    engineVersion: text('Engine that ran the replay, in the same form.'),
    recordedEngineVersion: text('Engine that made the decision.'),
  },
  { description: 'Result of a replay.', examples: [replayAnswerExample] },
);

const decisionParams = Type.Object(
  { id: IdText('Request ID, recommendation ID or trace ID.') },
  { description: 'Decision to read.' },
);

const tag = 'Decisions';

export const decisionOperations = {
  get: operation({
    id: 'decisions.get',
    method: 'GET',
    path: '/api/v1/decisions/{id}',
    tag,
    summary: 'Get the sealed record of a decision',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    params: decisionParams,
    query: Type.Object(
      {
        include: Type.Optional(
          StringEnum(['inputs', 'explanation'], {
            description:
              '`inputs` adds everything the decision read. Requires the editor role, and the access is audited. `explanation` adds how the decision came about: from its trace, or by repeating it if no trace is stored.',
          }),
        ),
      },
      { description: 'What to include.' },
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
    summary: 'Replay a decision',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    rateLimits: [{ limit: 300, windowSeconds: 60, per: 'tenant' }],
    params: decisionParams,
    body: Type.Object({}, { description: 'An empty body.' }),
    responses: { 200: { description: 'Comparison of the replay with the record.', schema: ReplayAnswer } },
    errors: ['not_found', 'inputs_unavailable', 'record_corrupt', 'not_configured'],
    audit: [{ action: 'replay', entityType: 'decision' }],
    transaction: 'tenant',
  }),
  proof: operation({
    id: 'decisions.proof',
    method: 'GET',
    path: '/api/v1/decisions/{id}/proof',
    tag,
    summary: 'Download the proof of a decision',
    description:
      "Returns one HTML file with the engine and everything a replay reads: the sealed inputs, the plan, the result and model states. It checks the hashes and replays the decision in any browser, offline. It contains personal data of the customer and the content of the plan. If the decision used fields that are never stored, the file names them and doesn't replay. Each download is audited.",
    auth: 'credential',
    role: 'editor',
    loadClass: 'crud',
    rateLimits: [{ limit: 60, windowSeconds: 60, per: 'tenant' }],
    params: decisionParams,
    responses: {
      200: {
        description: 'The file.',
        schema: Type.String({ description: 'An HTML page.' }),
        mediaType: 'text/html; charset=utf-8',
      },
    },
    errors: ['not_found', 'inputs_unavailable', 'record_corrupt', 'not_configured'],
    audit: [{ action: 'download_proof', entityType: 'decision' }],
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
        requestId: Type.Optional(IdFilter('Request to filter by.')),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, default: 50, description: 'Page size. Values above 200 are treated as 200.' }),
        ),
        offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of rows to skip.' })),
      },
      { description: 'Filters.' },
    ),
    responses: {
      200: {
        description: 'Traces.',
        schema: Type.Object(
          {
            traces: Type.Array(DecisionTrace, { description: 'The traces.' }),
            total: Type.Integer({ description: 'Total number of matching traces.' }),
            limit: Int(1, 200, 'Page size used.'),
            offset: Type.Integer({ description: 'Number of rows skipped.' }),
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
    summary: 'Get a decision trace with every stage',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    params: Type.Object({ id: IdText('Trace ID.') }, { description: 'Trace to read.' }),
    responses: { 200: { description: 'The trace.', schema: DecisionTrace } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
};
