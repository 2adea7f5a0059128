import { Counter, Histogram, type Registry } from 'prom-client';
import type { BreakerState } from '../../../platform/outbound/breaker.ts';

/**
 * The outcome of a webhook call: answered, or why not. One word each, however many statuses and addresses there are.
 */
export type WebhookResult =
  | 'ok'
  | 'breaker_open'
  | 'failed'
  | 'forbidden'
  | 'invalid_answer'
  | 'not_configured'
  | 'status'
  | 'timeout'
  | 'too_large'
  | 'unresolved';

/** Metrics of the webhooks and models that decisions ask (docs/design/api-access.md 19). */
export interface ScoringMetrics {
  /** `seconds`: the call's time; null: no call was made. */
  webhookAsked(hook: string, result: WebhookResult, seconds: number | null): void;
  breakerMoved(
    name: 'channel' | 'connector' | 'model' | 'narrative' | 'notification' | 'webhook',
    to: BreakerState,
  ): void;
  /** Decisions that did without a model. */
  degraded(modelKey: string, decisions: number): void;
}

/** Keys that are counted by name; further ones together, because tenants may make as many as they like. */
const maxModelKeys = 200;

export function createScoringMetrics(registry: Registry): ScoringMetrics {
  const registers = [registry];
  const webhooks = new Counter({
    name: 'svc_webhook_requests_total',
    help: 'Extension point webhooks that decisions reached, by result.',
    labelNames: ['hook', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_webhook_seconds',
    help: 'Duration of extension point webhook calls.',
    labelNames: ['hook'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2],
    registers,
  });
  const transitions = new Counter({
    name: 'svc_breaker_transitions_total',
    help: 'Circuit breaker transitions, by new state.',
    labelNames: ['name', 'to'],
    registers,
  });
  const degraded = new Counter({
    name: 'svc_degraded_scoring_total',
    help: 'Decisions made without a model because it failed or its breaker was open.',
    labelNames: ['modelKey'],
    registers,
  });
  const modelKeys = new Set<string>();
  return {
    webhookAsked(hook, result, took) {
      webhooks.inc({ hook, result });
      if (took !== null) seconds.observe({ hook }, took);
    },
    breakerMoved: (name, to) => transitions.inc({ name, to }),
    degraded(modelKey, decisions) {
      if (modelKeys.size < maxModelKeys) modelKeys.add(modelKey);
      degraded.inc({ modelKey: modelKeys.has(modelKey) ? modelKey : 'other' }, decisions);
    },
  };
}
