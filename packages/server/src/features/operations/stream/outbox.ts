import type { Database, HotPath } from '../../../db/index.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { type PublishedSlice, publishSlice, readPendingTenants, type SliceLimits, takeOutbox } from './outbox.store.ts';

export interface OutboxDispatcher {
  /** Publishes what's pending, in slices. Returns the number of rows. A failing tenant doesn't block the others. */
  drain(): Promise<number>;
  /** Age of the oldest pending row in seconds at the last check; 0 means none. */
  lagSeconds(): number;
}

/** Reacts to new events of a tenant's stream. */
export type OnPublished = (tenantId: string, slice: PublishedSlice) => Promise<void>;

export interface OutboxOptions {
  /** IANA zone that the tenant's days are counted in. */
  readonly zoneOf: (tenantId: string) => Promise<string>;
  /** Waits between slices, so that a backlog takes only part of the machine. */
  readonly pause: (ms: number) => Promise<void>;
  readonly stopped: () => boolean;
  /** Called with a tenant whose stream has new events, once they are committed. */
  readonly onPublished?: OnPublished;
  /** Only tenants with a row that has waited this many seconds; default 0. */
  readonly waitedSeconds?: number;
  /** Called for each failing tenant. Default: throws the first error once all others are done. */
  readonly onFailure?: (tenantId: string, error: unknown) => void;
}

/** Rows per transaction: about ten milliseconds of the database's time. More rows mean fewer updates per figure. */
export const slice: SliceLimits = { rows: 128, items: 8_000 };
/** While decisions are being made, a backlog gets a quarter of one connection's time. */
const pausePerWork = 3;
const longestPauseMs = 250;
/** How long a backlog may delay checking for other tenants. */
const lookAgainMs = 250;

/**
 * Gives outbox rows their place in the tenant's stream and adds their counts to the tenant's figures, in one
 * transaction: a row is pending or done, never both, and done once (docs/design/decisioning.md 5, 6). The work happens
 * inside the database; this process only decides when, and defines the days. Two nodes may run it, because a tenant's
 * outbox is taken under a lock. `path` has its own connections, so decisions never wait here.
 */
export function createOutboxDispatcher(database: Database, path: HotPath, options: OutboxOptions): OutboxDispatcher {
  let lag = 0;

  /** Publishes a tenant's oldest rows; answers with their number, and whether there are more. */
  async function publish(tenantId: string): Promise<PublishedSlice & { readonly more: boolean }> {
    const days = await dayOffsets(await options.zoneOf(tenantId));
    return path.run(tenantId, async (tx) => {
      const [lock] = await tx.send([takeOutbox(tenantId)]);
      if (lock?.[0]?.taken !== true) return { rows: 0, waiting: 0, head: null, more: false, reports: false };
      const [published] = await tx.send([publishSlice(tenantId, slice, days)]);
      await tx.commit([]);
      const done = published![0] as unknown as PublishedSlice;
      return { ...done, more: done.rows < done.waiting || done.rows === slice.rows };
    });
  }

  async function lookForTenants(): Promise<string[]> {
    const pending = await readPendingTenants(database);
    lag = pending.reduce((oldest, p) => Math.max(oldest, p.ageSeconds), 0);
    return pending.filter((p) => p.ageSeconds >= (options.waitedSeconds ?? 0)).map((p) => p.tenantId);
  }

  return {
    async drain() {
      let rows = 0;
      const failures = new Map<string, unknown>();
      let waiting = await lookForTenants();
      let lookedAt = performance.now();
      // In turns, so that a tenant with a backlog doesn't block others.
      while (waiting.length > 0) {
        const unfinished: string[] = [];
        for (const tenantId of waiting) {
          if (options.stopped()) return rows;
          const started = performance.now();
          try {
            const done = await publish(tenantId);
            rows += done.rows;
            if (done.more) unfinished.push(tenantId);
            if (done.rows > 0) await options.onPublished?.(tenantId, done);
          } catch (error) {
            failures.set(tenantId, error);
            options.onFailure?.(tenantId, error);
          }
          await options.pause(Math.min(longestPauseMs, (performance.now() - started) * pausePerWork));
        }
        waiting = unfinished;
        if (waiting.length > 0 && performance.now() - lookedAt >= lookAgainMs) {
          waiting = (await lookForTenants()).filter((tenantId) => !failures.has(tenantId));
          lookedAt = performance.now();
        }
      }
      if (options.onFailure === undefined) for (const error of failures.values()) throw error;
      return rows;
    },
    lagSeconds: () => lag,
  };
}
