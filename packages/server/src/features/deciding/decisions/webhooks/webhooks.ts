import type { AskExternal, EndpointQuestion, ExternalAnswer, Plan, PlanWebhook } from '@arbiter/engine';
import { type Database, systemActor } from '../../../../db/index.ts';
import type { Envelope } from '../../../../platform/crypto/crypto.ts';
import { createBreaker } from '../../../../platform/outbound/breaker.ts';
import type { Outbound } from '../../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../../platform/outbound/outbound-error.ts';
import { type ReadyWebhook, readyWebhook } from '../../../catalogue/flows/index.ts';
import { callEndpoint, readyEndpoint } from '../../../catalogue/models/index.ts';
import type { ScoringMetrics, WebhookResult } from '../scoring-metrics.ts';
import { readWebhookAnswer } from './webhook-answer.ts';

export type External = Readonly<Record<string, ExternalAnswer>>;

/** A decision that needs its webhooks called. */
export interface WebhookDecision {
  readonly tenantId: string;
  readonly plan: Pick<Plan, 'flow' | 'webhooks'>;
  readonly requestId: string;
  readonly customerId: string;
  /** Deadline for the answers, in monotonic milliseconds. */
  readonly until: number;
}

export interface WebhookCaller {
  /**
   * Asks the webhooks of a decision, each once, in order. `rehearse` makes the decision with the answers so far,
   * without storing it, because what the next one is asked depends on those before. Never fails: no answer is an answer
   * too, which the node's onError handles.
   */
  ask(decision: WebhookDecision, rehearse: (external: External, ask: AskExternal) => void): Promise<External>;
}

export interface WebhookDeps {
  readonly database: Database;
  readonly outbound: Pick<Outbound, 'call'>;
  /** Opens hidden values; null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly metrics: Pick<ScoringMetrics, 'breakerMoved' | 'webhookAsked'>;
}

/** Breaker of one address of one tenant (docs/design/api-decisioning.md 10, models). */
const limits = { failures: 5, pauseMs: 60_000, now: () => performance.now() };
const largestAnswerBytes = 64 * 1024;

type AskedAbout = Parameters<AskExternal>[1];

/** What a webhook, or the endpoint of a model, is asked. */
interface WebhookQuestion {
  readonly nodeId: string;
  readonly candidates: AskedAbout;
  readonly question: EndpointQuestion | undefined;
}

export function createWebhookAsker({ database, outbound, envelope, metrics }: WebhookDeps): WebhookCaller {
  const breaker = createBreaker({ ...limits, onMove: (to) => metrics.breakerMoved('webhook', to) });
  /** Addresses and headers with their hidden values, for as long as the plan lives. */
  const ready = new WeakMap<PlanWebhook, Promise<ReadyWebhook | null>>();

  function open(tenantId: string, webhook: PlanWebhook): Promise<ReadyWebhook | null> {
    let found = ready.get(webhook);
    if (found === undefined) {
      const { flowId, url, mapping } = webhook;
      found = database.withTenant(tenantId, systemActor('webhooks'), (tx) =>
        mapping === undefined ? readyWebhook(tx, envelope, webhook) : readyEndpoint(tx, envelope, flowId, url),
      );
      ready.set(webhook, found);
      // The next decision retries what failed.
      found.catch(() => ready.delete(webhook));
    }
    return found;
  }

  async function post(
    decision: WebhookDecision,
    webhook: PlanWebhook,
    asked: WebhookQuestion,
  ): Promise<ExternalAnswer> {
    const { answer, seconds } = await posted(decision, webhook, asked);
    metrics.webhookAsked(webhook.hook, resultOf(answer), seconds);
    return answer;
  }

  /** The answer, and how long it took; null: nothing was called. */
  async function posted(
    decision: WebhookDecision,
    webhook: PlanWebhook,
    asked: WebhookQuestion,
  ): Promise<{ readonly answer: ExternalAnswer; readonly seconds: number | null }> {
    const { tenantId, until } = decision;
    const address = await open(tenantId, webhook);
    if (address === null) return uncalled('not_configured');
    const left = until - performance.now();
    if (left <= 0) return uncalled('timeout');
    const destination = `${tenantId} ${webhook.url}`;
    if (breaker.isOpen(destination)) return uncalled('breaker_open');
    const startedAt = performance.now();
    const timeoutMs = Math.min(webhook.timeoutMs, left);
    const read = await askOnce(outbound, decision, webhook, address, asked, timeoutMs);
    if ('error' in read) breaker.failed(destination);
    else breaker.succeeded(destination);
    return { answer: read, seconds: (performance.now() - startedAt) / 1000 };
  }

  return {
    async ask(decision, rehearse) {
      const external: Record<string, ExternalAnswer> = {};
      for (;;) {
        const questions: WebhookQuestion[] = [];
        rehearse(external, (nodeId, candidates, question) => void questions.push({ nodeId, candidates, question }));
        const [first] = questions;
        if (first === undefined) return external;
        const webhook = decision.plan.webhooks.find(({ nodeId }) => nodeId === first.nodeId);
        if (webhook === undefined) throw new Error(`the plan has no webhook for ${first.nodeId}`);
        external[first.nodeId] = await post(decision, webhook, first);
      }
    },
  };
}

/** Asks a webhook, or the endpoint of a model, once. */
async function askOnce(
  outbound: WebhookDeps['outbound'],
  { plan, requestId, customerId }: WebhookDecision,
  { hook, nodeId, mapping }: PlanWebhook,
  address: ReadyWebhook,
  { candidates, question }: WebhookQuestion,
  timeoutMs: number,
): Promise<ExternalAnswer> {
  if (mapping !== undefined && question !== undefined) {
    const body = { requestId, customerId, decisionFlowId: plan.flow.id, ...question };
    return callEndpoint(outbound, address, body, mapping, timeoutMs);
  }
  const answer = await called(() =>
    outbound.call(address.url, {
      method: 'POST',
      headers: { ...address.headers, 'content-type': 'application/json', 'webhook-id': requestId + nodeId },
      body: JSON.stringify({ hook, requestId, customerId, candidates }),
      timeoutMs: Math.ceil(timeoutMs),
      maxBytes: largestAnswerBytes,
      anyPort: true,
    }),
  );
  return 'error' in answer ? answer : readAnswer(answer, candidates);
}

const uncalled = (error: string) => ({ answer: { error }, seconds: null });

type Called = Awaited<ReturnType<Outbound['call']>> | { readonly error: string };

async function called(call: () => ReturnType<Outbound['call']>): Promise<Called> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.reason };
    throw error;
  }
}

/** Only what was asked for gets into records, nothing else from the other side. */
function readAnswer({ status, body }: Exclude<Called, { readonly error: string }>, asked: AskedAbout): ExternalAnswer {
  if (status < 200 || status > 299) return { error: `status_${status}` };
  const offers = new Set(asked.map(({ offerId }) => offerId));
  return readWebhookAnswer(body.toString('utf8'), offers) ?? { error: 'invalid_answer' };
}

const results: ReadonlySet<string> = new Set<WebhookResult>([
  'breaker_open',
  'invalid_answer',
  'not_configured',
  'timeout',
  'too_large',
  'unresolved',
]);
const isResult = (error: string): error is WebhookResult => results.has(error);

function resultOf(answer: ExternalAnswer): WebhookResult {
  if (!('error' in answer)) return 'ok';
  const { error } = answer;
  if (isResult(error)) return error;
  if (error.startsWith('status_')) return 'status';
  return error.startsWith('forbidden_') ? 'forbidden' : 'failed';
}
