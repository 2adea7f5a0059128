import type { Database } from '../../../db/index.ts';
import { tenantsWithoutConsumer } from '../../../jobs/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createOutboxDispatcher, type OutboxOptions } from './outbox.ts';

type DispatcherOf = Parameters<typeof createOutboxDispatcher>;

export interface OutboxReaperPorts extends Pick<OutboxOptions, 'onPublished' | 'zoneOf'> {
  readonly database: Database;
  readonly path: DispatcherOf[1];
  readonly logger: Logger;
}

/** The result of one call. */
export interface ReapResult {
  /** Rows of the outbox. */
  readonly published: number;
  /** Tenants whose outbox couldn't be published, or whose jobs nothing takes. */
  readonly errors: readonly { readonly tenantId: string; readonly error: string }[];
  /** False: jobs wait, possibly of the installation itself, and no process takes jobs. */
  readonly hasConsumer: boolean;
}

/** `until`: `performance.now()` after which no further slice is begun. */
export type ReapOutbox = (until: number) => Promise<ReapResult>;

/** The dispatcher runs twice a second, so what has waited this long was missed. */
const stuckSeconds = 30;

/**
 * Publishes what got stuck in the outbox, and raises the alarm, in the log and in the answer, when jobs wait that no
 * process takes (docs/design/api-access.md 14). Works in every process, even without a job worker.
 */
export function createOutboxReaper({ database, path, logger, zoneOf, onPublished }: OutboxReaperPorts): ReapOutbox {
  return async (until) => {
    const errors: { tenantId: string; error: string }[] = [];
    const dispatcher = createOutboxDispatcher(database, path, {
      zoneOf,
      ...(onPublished === undefined ? {} : { onPublished }),
      waitedSeconds: stuckSeconds,
      pause: async () => undefined,
      stopped: () => performance.now() > until,
      onFailure: (tenantId, err) => {
        logger.error({ err, tenantId }, 'the outbox of a tenant could not be published');
        errors.push({ tenantId, error: 'internal' });
      },
    });
    const published = await dispatcher.drain();
    if (published > 0) logger.warn({ rows: published }, 'stuck outbox rows found');
    const waiting = await database.withSystem('outbox-reaper', tenantsWithoutConsumer);
    if (waiting.length > 0) logger.error({ tenants: waiting.length }, 'jobs are waiting, but no process takes jobs');
    errors.push(
      ...waiting.flatMap((tenantId) => (tenantId === null ? [] : { tenantId, error: 'queue_without_consumer' })),
    );
    return { published, errors, hasConsumer: waiting.length === 0 };
  };
}
