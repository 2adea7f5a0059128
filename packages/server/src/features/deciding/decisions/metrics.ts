import type { RespondAnswer } from '@arbiter/contract';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DecisionSums } from './minutes/decision-counts.ts';
import { createRecentMaximum } from './minutes/recent-maximum.ts';
import { createTenantCounts, latencyBuckets, type TenantMetric } from './minutes/tenant-counts.ts';
import { createScoringMetrics, type ScoringMetrics } from './scoring-metrics.ts';

/** Longer than the usual time between two scrapes, so that each scraper sees each maximum. */
const configAgePeriodMs = 60_000;

/** Metrics of decisions (docs/design/api-access.md 19). */
export interface DecisionMetrics extends Pick<ScoringMetrics, 'breakerMoved' | 'webhookAsked'> {
  /** `configAgeMs`: ms since this process last knew the catalogue of the batch to be the newest. */
  batchDecided(tenantId: string, batchSize: number, counts: DecisionSums, configAgeMs: number): void;
  recommended(tenantId: string, status: 'ok' | 'failed', channel: string | null, seconds: number): void;
  responded(tenantId: string, answer: RespondAnswer): void;
  /** A stage of a decision; `load` and `commit` are those of a batch. */
  stageTook(stage: string, seconds: number): void;
  /** A tenant's catalogue was read and prepared. */
  catalogueRead(seconds: number): void;
  /** What was counted by tenant. */
  byTenant(): TenantMetric[];
}

const reservationResults: ReadonlySet<string> = new Set(['confirmed', 'late', 'released']);

/** `elapsedMs`: a monotonic clock. */
export function createDecisionMetrics(
  registry: Registry,
  elapsedMs: () => number = () => performance.now(),
): DecisionMetrics {
  const tenants = createTenantCounts();
  const scoring = createScoringMetrics(registry);
  const calls = callMeters(registry);
  const decisions = decisionMeters(registry);
  const timings = timingMeters(registry);
  const configAge = createConfigAge(registry, elapsedMs);
  return {
    breakerMoved: scoring.breakerMoved,
    webhookAsked: scoring.webhookAsked,
    byTenant: tenants.read,
    batchDecided(tenantId, batchSize, counts, configAgeMs) {
      tenants.batchDecided(tenantId, counts);
      decisions.batch.observe(batchSize);
      decisions.items.inc(counts.items);
      decisions.candidates.inc(counts.candidates);
      for (const [reason, n] of counts.dropped) decisions.dropped.inc({ reason }, n);
      for (const [ruleType, n] of counts.blocked) decisions.blocks.inc({ ruleType }, n);
      for (const [variant, n] of counts.assigned) decisions.assignments.inc({ variant }, n);
      for (const [modelKey, n] of counts.degraded) scoring.degraded(modelKey, n);
      configAge.add(configAgeMs);
      if (counts.reserved > 0) decisions.reservations.inc({ result: 'made' }, counts.reserved);
      decisions.mandatoryCapHits.inc(counts.dropped.get('mandatory_cap') ?? 0);
    },
    recommended(tenantId, status, channel, seconds) {
      const known = channel === null ? 'none' : knownChannels.has(channel) ? channel : 'other';
      tenants.recommended(tenantId, status, known, seconds);
      calls.requests.inc({ status });
      calls.latency.observe({ channel: known }, seconds);
    },
    responded(tenantId, answer) {
      const { classification, impression, status } = answer;
      tenants.responded(tenantId, answer);
      calls.responses.inc({ classification });
      // A repeat does nothing again; an impression of an implicit channel concerns no reservation.
      if (status === 'recorded' && impression !== null && reservationResults.has(impression)) {
        decisions.reservations.inc({ result: impression });
      }
    },
    stageTook(stage, seconds) {
      timings.stages.observe({ stage }, seconds);
    },
    catalogueRead(seconds) {
      timings.compile.observe(seconds);
    },
  };
}

/** Tenants choose these label values. Usually it's a handful of channel types, but that isn't guaranteed. */
const knownChannels = new Set([
  'email',
  'sms',
  'push',
  'in_app',
  'web',
  'mobile',
  'whatsapp',
  'social',
  'phone',
  'direct_mail',
  'webhook',
]);

const callMeters = (registry: Registry) => ({
  requests: new Counter({
    name: 'svc_recommend_requests_total',
    help: 'Recommend requests.',
    labelNames: ['status'],
    registers: [registry],
  }),
  latency: new Histogram({
    name: 'svc_recommend_latency_seconds',
    help: 'Time from the parsed request to the committed decision.',
    labelNames: ['channel'],
    buckets: [...latencyBuckets],
    registers: [registry],
  }),
  responses: new Counter({
    name: 'svc_respond_requests_total',
    help: 'Recorded responses.',
    labelNames: ['classification'],
    registers: [registry],
  }),
});

const decisionMeters = (registry: Registry) => ({
  items: new Counter({ name: 'svc_decision_items_total', help: 'Items returned.', registers: [registry] }),
  batch: new Histogram({
    name: 'svc_decision_batch_size',
    help: 'Decisions per transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [registry],
  }),
  candidates: new Counter({
    name: 'svc_candidates_evaluated_total',
    help: 'Candidates that entered a decision.',
    registers: [registry],
  }),
  dropped: new Counter({
    name: 'svc_candidates_dropped_total',
    help: 'Candidates dropped by a decision.',
    labelNames: ['reason'],
    registers: [registry],
  }),
  blocks: new Counter({
    name: 'svc_policy_blocks_total',
    help: 'Candidates dropped by contact policies.',
    labelNames: ['ruleType'],
    registers: [registry],
  }),
  reservations: new Counter({
    name: 'svc_reservations_total',
    help: 'Reservations created, and what responses did to them.',
    labelNames: ['result'],
    registers: [registry],
  }),
  assignments: new Counter({
    name: 'svc_experiment_assignments_total',
    help: 'Customers assigned to a variant of an experiment, by kind of variant.',
    labelNames: ['variant'],
    registers: [registry],
  }),
  mandatoryCapHits: new Counter({
    name: 'svc_mandatory_cap_hits_total',
    help: "Mandatory offers dropped because the customer's daily cap was reached.",
    registers: [registry],
  }),
});

const timingMeters = (registry: Registry) => ({
  compile: new Histogram({
    name: 'svc_plan_compile_seconds',
    help: 'Time to load a catalogue after a change.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  }),
  stages: new Histogram({
    name: 'svc_decision_stage_seconds',
    help: 'Duration of decision stages, for decisions with a trace and one in 32 of the others. load and commit: for each batch.',
    labelNames: ['stage'],
    buckets: [0.000005, 0.00002, 0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1],
    registers: [registry],
  }),
});

function createConfigAge(registry: Registry, elapsedMs: () => number): ReturnType<typeof createRecentMaximum> {
  const configAge = createRecentMaximum(configAgePeriodMs, elapsedMs);
  new Gauge({
    name: 'svc_config_age_seconds',
    help: 'Maximum age of the catalogue among the decisions of the last one to two minutes: time since the process last knew it to be the newest.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(configAge.read() / 1000);
    },
  });
  return configAge;
}
