import type { MetricsSummary } from '@arbiter/contract/operations/metrics-summary';

/** What the counters and histograms of the tenant say together. */
export interface Figures {
  readonly answered: number;
  /** Requests that were refused or failed. */
  readonly failed: number;
  /** Bounds in milliseconds below which that share of the answers came; null: none came, infinite: above the largest bound. */
  readonly median: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly looked: number;
  /** Candidates that left, by reason, the largest first. */
  readonly drops: readonly { readonly reason: string; readonly count: number }[];
}

/** Reads the metrics of a tenant; all channels together. */
export function figuresOf(metrics: MetricsSummary): Figures {
  const values = (name: string) => metrics[name]?.values ?? [];
  const requests = values('svc_recommend_requests_total');
  const sum = (some: readonly { readonly value: number }[]) => some.reduce((total, { value }) => total + value, 0);
  const answered = sum(requests.filter(({ labels }) => labels.status === 'ok'));
  const steps = stepsOf(metrics);
  const all = steps.at(-1)?.[1] ?? 0;
  const within = (share: number): number | null =>
    all === 0 ? null : (steps.find(([, count]) => count >= share * all)?.[0] ?? null);
  return {
    answered,
    failed: sum(requests) - answered,
    median: within(0.5),
    p95: within(0.95),
    p99: within(0.99),
    looked: sum(values('svc_candidates_evaluated_total')),
    drops: values('svc_candidates_dropped_total')
      .map(({ labels, value }) => ({ reason: labels.reason ?? '', count: value }))
      .sort((a, b) => b.count - a.count),
  };
}

/** Answers that took between two bounds. */
export interface AnswerTime {
  /** In milliseconds; 0 for the shortest. */
  readonly from: number;
  /** In milliseconds; infinite for the longest. */
  readonly to: number;
  readonly count: number;
}

/** How many answers took how long, from the shortest to the longest that there were; all channels together. */
export function answerTimesOf(metrics: MetricsSummary): readonly AnswerTime[] {
  let before = { to: 0, all: 0 };
  const times = stepsOf(metrics).map(([to, all]) => {
    const time = { from: before.to, to, count: all - before.all };
    before = { to, all };
    return time;
  });
  const counted = times.map(({ count }) => count > 0);
  return times.slice(Math.max(0, counted.indexOf(true)), counted.lastIndexOf(true) + 1);
}

/** Bounds in milliseconds, and the answers up to each. */
function stepsOf(metrics: MetricsSummary): readonly (readonly [bound: number, count: number])[] {
  const buckets = new Map<number, number>();
  for (const { labels, value } of metrics.svc_recommend_latency_seconds?.values ?? []) {
    if (labels.le === undefined) continue;
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le) * 1_000;
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return [...buckets].sort(([a], [b]) => a - b);
}

/** The largest bound that is no infinity, in milliseconds: what "slower than" is said of. */
export function largestBound(metrics: MetricsSummary): number {
  const bounds = (metrics.svc_recommend_latency_seconds?.values ?? []).map(({ labels }) => Number(labels.le) * 1_000);
  return Math.max(0, ...bounds.filter((bound) => Number.isFinite(bound)));
}
