import type {
  adminCacheOperations,
  adminRlsOperations,
  deadLetterOperations,
  MetricsSummary,
  metricsSummaryOperations,
  SbomAnswer,
  sbomOperations,
} from '@arbiter/contract';
import { type Handlers, rawJson, reply } from '../../../http/handler.ts';
import type { JobRegistry } from '../../../jobs/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { flushCaches } from './cache.service.ts';
import { actOnDeadLetters, reportDeadLetters } from './dead-letters.service.ts';
import { repairRls, reportRls } from './rls.service.ts';

/** Handlers of the flush of caches. */
export function adminCacheRoutes(): Handlers<typeof adminCacheOperations> {
  return { flush: async (tx, { body }) => reply(200, await flushCaches(tx, body)) };
}

/** Handlers of the row-level security report and repair. */
export function adminRlsRoutes(): Handlers<typeof adminRlsOperations> {
  return {
    report: async (tx) => reply(200, await reportRls(tx)),
    repair: async (tx) => reply(200, await repairRls(tx)),
  };
}

/** Handlers of the dead letters. */
export function deadLetterRoutes({
  registry,
}: {
  readonly registry: JobRegistry;
}): Handlers<typeof deadLetterOperations> {
  return {
    list: async (tx, { query: { limit = 50, topic = null } }) =>
      reply(200, await reportDeadLetters(tx, registry, { limit, topic })),
    act: async (tx, { body }) => reply(200, await actOnDeadLetters(tx, registry, body)),
  };
}

export interface SbomPorts {
  readonly clock: Clock;
  /** Version of Arbiter. */
  readonly version: string;
}

/** Handlers of the bill of materials. */
export function sbomRoutes({ clock, version }: SbomPorts): Handlers<typeof sbomOperations> {
  return {
    async get() {
      // Its library is large and rarely needed, so load it on demand.
      const { makeSbom } = await import('./sbom.service.ts');
      const { text, digest, components } = await makeSbom({ id: newId(), now: new Date(clock.now()), version });
      const body = rawJson<SbomAnswer>(`{"sbom":${text},"digest":"${digest}","components":${components}}`);
      return reply(200, body, { 'x-sbom-digest': digest });
    },
  };
}

export interface MetricsSummaryPorts {
  /** Counts of a tenant across all processes of the server. */
  readonly metricsSummary: (tenantId: string) => Promise<MetricsSummary>;
}

/** Handlers of the metrics of a tenant. */
export function metricsSummaryRoutes(ports: MetricsSummaryPorts): Handlers<typeof metricsSummaryOperations> {
  return { get: async ({ tenantId }) => reply(200, await ports.metricsSummary(tenantId)) };
}
