import {
  type DecisionTrace,
  decisionOperations,
  type RecommendAnswer,
  RespondRequest,
  recommendOperations,
  respondOperations,
} from '@arbiter/contract';
import { type Handlers, type RequestFacts, rawJson, replayHeader, reply } from '../../../http/handler.ts';
import { createItemReader } from '../../../http/input/input.ts';
import { createChecks } from '../../../http/input/validation.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { readDecision, replayDecision } from '../sealed-records/index.ts';
import type { CallerFacts } from './caller.ts';
import type { DecisionService } from './decisions.service.ts';
import type { DecisionMetrics } from './metrics.ts';
import { quotaHeader } from './recommend/playground-quota.ts';
import { decisionNamed } from './requests.store.ts';
import { respondMany } from './respond/respond-many.ts';
import { readTraceFilter } from './traces/trace-filter.ts';
import { findTrace, selectTraces, type TraceRow } from './traces/traces.store.ts';

export interface DecisionRouteDeps {
  readonly service: DecisionService;
  readonly keys: CustomerKeys;
  readonly metrics: DecisionMetrics;
}

const maxTraces = 200;
const noTraces = { rows: [], total: 0 };

/** The operations that these routes answer. */
export const answeredOperations = { ...recommendOperations, ...respondOperations, ...decisionOperations };

export function decisionRoutes({ service, keys, metrics }: DecisionRouteDeps): Handlers<typeof answeredOperations> {
  const records = { keys, decisionNamed };
  const readResponse = createItemReader(RespondRequest, createChecks().compile);
  return {
    async recommend(request) {
      const started = performance.now();
      const seconds = () => (performance.now() - started) / 1000;
      const channel = request.body.channel ?? null;
      try {
        const { text, replayed, quotaLeft } = await service.recommend(callerOf(request), request.body);
        metrics.recommended(request.tenantId, 'ok', channel, seconds());
        return reply(200, rawJson<RecommendAnswer>(text), answerHeaders(replayed, quotaLeft));
      } catch (error) {
        metrics.recommended(request.tenantId, 'failed', channel, seconds());
        throw error;
      }
    },
    async respond(request) {
      return reply(200, await service.respond(callerOf(request), request.body));
    },
    async respondBatch(request) {
      const ports = { ...service, read: readResponse };
      return reply(200, await respondMany(ports, callerOf(request), request.requestId, request.body.responses));
    },
    async get(tx, request) {
      const inputs = request.query.include === 'inputs';
      if (inputs && request.role === 'viewer')
        throw new AppError('forbidden', { detail: 'inputs requires the role editor' });
      return reply(200, await readDecision(tx, records, request.params.id, { inputs }));
    },
    async replay(tx, request) {
      return reply(200, await replayDecision(tx, records, request.params.id));
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
      if (row === null) throw new AppError('not_found', { detail: 'trace not found' });
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

const shapeTrace = (row: TraceRow): DecisionTrace => ({
  id: row.id,
  customerId: row.customerId,
  requestId: row.requestId,
  recommendationId: row.decisionId,
  decisionFlowKey: row.decisionFlowKey,
  ...row.body,
  createdAt: row.createdAt.toISOString(),
});
