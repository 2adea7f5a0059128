import type { RespondAnswer } from '@arbiter/contract';
import type { DecisionSums } from './decision-counts.ts';

/** One tenant's decision counts, for that tenant (docs/design/api-access.md 19, metrics/summary). */
export interface TenantCounts {
  batchDecided(tenantId: string, counts: DecisionSums): void;
  /** `channel`: of a closed list. */
  recommended(tenantId: string, status: 'ok' | 'failed', channel: string, seconds: number): void;
  responded(tenantId: string, answer: Pick<RespondAnswer, 'classification'>): void;
  /** Everything that was counted since the process began. */
  read(): TenantMetric[];
}

/** One metric of all tenants, in the form of prom-client; each value has the label `tenant`. */
export interface TenantMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly values: readonly TenantValue[];
}

export interface TenantValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** For a histogram, includes the suffix. */
  readonly metricName?: string;
}

interface CounterSpec {
  readonly name: string;
  readonly help: string;
  readonly label: string | null;
}

/** The counters, in the order of the slots of `Sums`. */
const counters = [
  { name: 'svc_recommend_requests_total', help: 'Recommend requests.', label: 'status' },
  { name: 'svc_respond_requests_total', help: 'Recorded responses.', label: 'classification' },
  { name: 'svc_decision_items_total', help: 'Items returned.', label: null },
  { name: 'svc_candidates_evaluated_total', help: 'Candidates that entered a decision.', label: null },
  { name: 'svc_candidates_dropped_total', help: 'Candidates dropped by a decision.', label: 'reason' },
  { name: 'svc_policy_blocks_total', help: 'Candidates dropped by contact policies.', label: 'ruleType' },
  { name: 'svc_reservations_total', help: 'Reservations created.', label: 'result' },
] as const satisfies readonly CounterSpec[];
type CounterName = (typeof counters)[number]['name'];

const latency = {
  name: 'svc_recommend_latency_seconds',
  help: 'Time from the parsed request to the committed decision.',
};
/** Upper bounds in seconds, those of the metric of all tenants. */
export const latencyBuckets = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

interface Times {
  /** Number of values per bucket, not cumulative; the last one is above all bounds. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

interface Sums {
  readonly counts: ReadonlyMap<CounterName, Map<string, number>>;
  readonly times: Map<string, Times>;
}

/** Plain numbers and no library: this is counted for every decision. */
export function createTenantCounts(): TenantCounts {
  const tenants = new Map<string, Sums>();
  const sumsOf = (tenantId: string): Sums => {
    let sums = tenants.get(tenantId);
    if (sums === undefined) {
      sums = { counts: new Map(counters.map(({ name }) => [name, new Map()])), times: new Map() };
      tenants.set(tenantId, sums);
    }
    return sums;
  };
  const add = ({ counts }: Sums, name: CounterName, label: string, more: number): void => {
    const values = counts.get(name);
    if (more > 0) values?.set(label, (values.get(label) ?? 0) + more);
  };
  return {
    batchDecided(tenantId, { items, candidates, dropped, blocked, reserved }) {
      const sums = sumsOf(tenantId);
      add(sums, 'svc_decision_items_total', '', items);
      add(sums, 'svc_candidates_evaluated_total', '', candidates);
      for (const [reason, n] of dropped) add(sums, 'svc_candidates_dropped_total', reason, n);
      for (const [ruleType, n] of blocked) add(sums, 'svc_policy_blocks_total', ruleType, n);
      add(sums, 'svc_reservations_total', 'made', reserved);
    },
    recommended(tenantId, status, channel, seconds) {
      const sums = sumsOf(tenantId);
      add(sums, 'svc_recommend_requests_total', status, 1);
      let times = sums.times.get(channel);
      if (times === undefined) {
        times = { buckets: new Array(latencyBuckets.length + 1).fill(0), sum: 0, count: 0 };
        sums.times.set(channel, times);
      }
      let place = latencyBuckets.findIndex((bound) => seconds <= bound);
      if (place < 0) place = latencyBuckets.length;
      times.buckets[place] = (times.buckets[place] ?? 0) + 1;
      times.sum += seconds;
      times.count += 1;
    },
    responded: (tenantId, { classification }) => add(sumsOf(tenantId), 'svc_respond_requests_total', classification, 1),
    read: () => [
      ...counters.map(({ name, help, label }): TenantMetric => {
        const values = [...tenants].flatMap(([tenant, sums]) =>
          [...(sums.counts.get(name) ?? [])].map(([text, value]) => ({
            labels: label === null ? { tenant } : { tenant, [label]: text },
            value,
          })),
        );
        return { name, help, type: 'counter', values };
      }),
      {
        ...latency,
        type: 'histogram',
        values: [...tenants].flatMap(([tenant, { times }]) =>
          [...times].flatMap(([channel, each]) => valuesOf({ tenant, channel }, each)),
        ),
      },
    ],
  };
}

/** Prometheus histograms are cumulative: each bucket includes those before it. */
function valuesOf(labels: Readonly<Record<string, string>>, { buckets, sum, count }: Times): TenantValue[] {
  let upTo = 0;
  const bounded = buckets.map((number, place) => {
    upTo += number;
    const le = place < latencyBuckets.length ? String(latencyBuckets[place]) : '+Inf';
    return { labels: { ...labels, le }, value: upTo, metricName: `${latency.name}_bucket` };
  });
  return [
    ...bounded,
    { labels, value: sum, metricName: `${latency.name}_sum` },
    { labels, value: count, metricName: `${latency.name}_count` },
  ];
}
