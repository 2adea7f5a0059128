import type { LoadClass } from '@arbiter/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CutReason } from './connections.ts';

/** Metrics of the HTTP layer. Features register theirs in the same registry (docs/design/api-access.md 19). */
export interface HttpMetrics {
  readonly registry: Registry;
  /** Returns counters for a route's answers and their times in seconds. Called once per route. */
  routeCounter(method: string, route: string): (status: number, seconds: number) => void;
  /** Returns the counter of a class's refusals. Called once per route. */
  shedCounter(loadClass: LoadClass): () => void;
  rateLimited(route: string): void;
  authFailed(kind: AuthFailure): void;
  connectionCut(reason: CutReason): void;
}

export type AuthFailure = 'missing' | 'wrong' | 'conflicting' | 'tenant_mismatch' | 'shared_secret' | 'signature';

/** Returns a registry with the process's own metrics and `svc_build_info`. */
export function createRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const info = new Gauge({
    name: 'svc_build_info',
    help: 'Version of Arbiter; the value is always 1.',
    aggregator: 'first',
    labelNames: ['version'],
    registers: [registry],
  });
  info.set({ version }, 1);
  return registry;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first line of a request to its response.',
    labelNames: ['method', 'route'] as const,
    buckets,
    registers,
  });
  const sheds = new Counter({
    name: 'svc_http_shed_total',
    help: 'Requests rejected because of overload.',
    labelNames: ['class'] as const,
    registers,
  });
  const limits = new Counter({
    name: 'svc_rate_limited_total',
    help: 'Requests rejected by a rate limit.',
    labelNames: ['route'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'svc_auth_failures_total',
    help: 'Requests rejected because of their credential.',
    labelNames: ['kind'] as const,
    registers,
  });
  const cuts = new Counter({
    name: 'svc_http_connections_cut_total',
    help: 'Connections closed because the client did not read the responses.',
    labelNames: ['reason'] as const,
    registers,
  });
  return {
    registry,
    routeCounter(method, route) {
      const observe = durations.labels(method, route).observe;
      const ofStatus = new Map<number, { inc(): void }>();
      return (status, seconds) => {
        let answers = ofStatus.get(status);
        if (answers === undefined) {
          answers = requests.labels(method, route, String(status));
          ofStatus.set(status, answers);
        }
        answers.inc();
        observe(seconds);
      };
    },
    shedCounter(loadClass) {
      let refusals: { inc(): void } | undefined;
      return () => {
        // A class appears with its first refusal.
        refusals ??= sheds.labels(loadClass);
        refusals.inc();
      };
    },
    rateLimited: (route) => limits.inc({ route }),
    authFailed: (kind) => failures.inc({ kind }),
    connectionCut: (reason) => cuts.inc({ reason }),
  };
}
