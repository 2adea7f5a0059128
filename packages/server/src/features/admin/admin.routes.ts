import type { adminCacheOperations, adminRlsOperations, deadLetterOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import type { JobRegistry } from '../../jobs/index.ts';
import { flushCaches } from './cache.service.ts';
import { actOnDeadLetters, reportDeadLetters } from './dead-letters.service.ts';
import { repairRls, reportRls } from './rls.service.ts';

/** Handlers of the flush of caches (contract part 1, 4.13). */
export function adminCacheRoutes(): Handlers<typeof adminCacheOperations> {
  return { flush: async (tx, { body }) => reply(200, await flushCaches(tx, body)) };
}

/** Handlers of the row-level security report and repair (contract part 1, 4.13). */
export function adminRlsRoutes(): Handlers<typeof adminRlsOperations> {
  return {
    report: async (tx) => reply(200, await reportRls(tx)),
    repair: async (tx) => reply(200, await repairRls(tx)),
  };
}

/** Handlers of the dead letters (contract part 1, 4.13). */
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
