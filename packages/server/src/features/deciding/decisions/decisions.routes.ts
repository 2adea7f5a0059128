import {
  decisionOperations,
  type RecommendAnswer,
  type RecommendBatchAnswer,
  RecommendRequest,
  RespondRequest,
  recommendBatchOperations,
  recommendOperations,
  respondOperations,
} from '@arbiter/contract';
import { type Handlers, type RequestFacts, rawJson, replayHeader, reply } from '../../../http/handler.ts';
import { createItemReader } from '../../../http/input/input.ts';
import { createChecks } from '../../../http/input/validation.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Archive } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { proveDecision, readDecision, replayDecision } from '../sealed-records/index.ts';
import type { CallerFacts } from './caller.ts';
import type { DecisionService } from './decisions.service.ts';
import { recommendMany } from './many/recommend-many.ts';
import { respondMany } from './many/respond-many.ts';
import type { DecisionMetrics } from './metrics.ts';
import { proofHeaders, proofPage } from './proof-page.ts';
import { quotaHeader } from './recommend/playground-quota.ts';
import { decisionNamed } from './requests.store.ts';
import { explainDecision } from './traces/explain-decision.ts';
import { shapeTrace } from './traces/shape-trace.ts';
import { readTraceFilter } from './traces/trace-filter.ts';
import { findTrace, selectTraces } from './traces/traces.store.ts';

export interface DecisionRouteDeps {
  readonly service: DecisionService;
  readonly keys: CustomerKeys;
  readonly archive: Archive;
  readonly metrics: DecisionMetrics;
  /** Returns the proof page without a proof; null when the console isn't built. */
  readonly proofTemplate: () => Promise<string | null>;
}

const maxTraces = 200;
const noTraces = { rows: [], total: 0 };

/** The operations that these routes answer. */
export const answeredOperations = {
  ...recommendOperations,
  ...recommendBatchOperations,
  ...respondOperations,
  ...decisionOperations,
};

export function decisionRoutes(deps: DecisionRouteDeps): Handlers<typeof answeredOperations> {
  const { service, keys, archive, metrics, proofTemplate } = deps;
  const records = { keys, archive, decisionNamed };
  const { compile } = createChecks();
  const readRequest = createItemReader(RecommendRequest, compile);
  const readResponse = createItemReader(RespondRequest, compile);
  const recommend: DecisionService['recommend'] = async (caller, body, isNew) => {
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    const channel = body.channel ?? null;
    try {
      const recommended = await service.recommend(caller, body, isNew);
      metrics.recommended(caller.tenantId, 'ok', channel, seconds());
      return recommended;
    } catch (error) {
      metrics.recommended(caller.tenantId, 'failed', channel, seconds());
      throw error;
    }
  };
  return {
    async recommend(request) {
      const { text, replayed, quotaLeft } = await recommend(callerOf(request), request.body);
      return reply(200, rawJson<RecommendAnswer>(text), answerHeaders(replayed, quotaLeft));
    },
    async recommendBatch(request) {
      const ports = { ...service, recommend, read: readRequest };
      const caller = callerOf(request);
      const { json, quotaLeft } = await recommendMany(ports, caller, request.requestId, request.body.requests);
      return reply(200, rawJson<RecommendBatchAnswer>(json), answerHeaders(false, quotaLeft));
    },
    async respond(request) {
      return reply(200, await service.respond(callerOf(request), request.body));
    },
    async respondBatch(request) {
      const ports = { ...service, read: readResponse };
      return reply(200, await respondMany(ports, callerOf(request), request.requestId, request.body.responses));
    },
    async get(tx, request) {
      const { include } = request.query;
      const inputs = include === 'inputs';
      if (inputs && request.role === 'viewer')
        throw new AppError('forbidden', { detail: '`inputs` requires the editor role.' });
      const record = await readDecision(tx, records, request.params.id, { inputs });
      if (include !== 'explanation') return reply(200, record);
      return reply(200, { ...record, explanation: await explainDecision(tx, records, record) });
    },
    async replay(tx, request) {
      return reply(200, await replayDecision(tx, records, request.params.id));
    },
    async proof(tx, request) {
      const template = await proofTemplate();
      const proof = await proveDecision(tx, records, request.params.id);
      return reply(200, await proofPage(template, proof), proofHeaders(proof));
    },
    async listTraces(tx, request) {
      const limit = Math.min(request.query.limit ?? 50, maxTraces);
      const offset = request.query.offset ?? 0;
      const filter = await readTraceFilter(tx, request.query);
      const { rows, total } = filter === null ? noTraces : await selectTraces(tx, filter, limit, offset);
      return reply(200, { traces: rows.map(shapeTrace), total, limit, offset });
    },
    async getTrace(tx, request) {
      const row = await findTrace(tx, request.params.id.toLowerCase());
      if (row === null) throw new AppError('not_found', { detail: 'Trace not found.' });
      return reply(200, shapeTrace(row));
    },
  };
}

function answerHeaders(replayed: boolean, quotaLeft: number | null): Readonly<Record<string, string>> | undefined {
  if (quotaLeft === null) return replayed ? replayHeader : undefined;
  return { ...(replayed ? replayHeader : {}), ...quotaHeader(quotaLeft) };
}

const callerOf = (request: RequestFacts): CallerFacts => ({
  tenantId: request.tenantId,
  credentialId: request.credentialId,
  ip: request.ip,
  userAgent: request.userAgent,
  idempotencyKey: request.idempotencyKey,
  until: request.until,
});
