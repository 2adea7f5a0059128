import type { Database, HotPath } from '../../../db/index.ts';
import { dayOffsets } from '../../../platform/day-offsets.ts';
import { publishSlice, readPendingTenants, type SliceLimits, takeOutbox } from './outbox.store.ts';

export interface OutboxDispatcher {
  /** Publishes what is pending, in slices; answers with the number of rows. A tenant that fails keeps no other waiting. */
  drain(): Promise<number>;
  /** Oldest pending row in seconds at the last look; 0 = none. */
  lagSeconds(): number;
}

export interface OutboxOptions {
  /** IANA zone that the tenant's days are counted in. */
  readonly zoneOf: (tenantId: string) => Promise<string>;
  /** Waits between slices, so that a backlog takes a part of the machine only. */
  readonly pause: (ms: number) => Promise<void>;
  readonly stopped: () => boolean;
  /** Told of a tenant in whose stream there are new reports of interactions. */
  readonly onReports?: (tenantId: string) => Promise<void>;
  /** Only tenants of which a row has waited so many seconds; default 0. */
  readonly waitedSeconds?: number;
  /** Told of each tenant that fails; default: what failed first is thrown when all others are done. */
  readonly onFailure?: (tenantId: string, error: unknown) => void;
}

/** One transaction: some ten milliseconds of the database's time. The more rows, the fewer times a figure is raised. */
const slice: SliceLimits = { rows: 128, items: 8_000 };
/** A backlog is worked off with a quarter of one connection's time while decisions are being made. */
const pausePerWork = 3;
const longestPauseMs = 250;
/** How long a backlog may keep this from looking for other tenants. */
const lookAgainMs = 250;

/**
 * Gives outbox rows their place in the tenant's stream and adds what they count to the tenant's figures, in one
 * transaction: a row is pending or done, never both, and done once (docs/design/decisioning.md 5, 6). The work is done inside the
 * database; this process only says when, and what a day is. Two nodes may run it: a tenant's outbox is taken under a
 * lock. `path` has connections of its own, since decisions wait for nothing here.
 */
export function createOutboxDispatcher(database: Database, path: HotPath, options: OutboxOptions): OutboxDispatcher {
  let lag = 0;

  /** Publishes a tenant's oldest rows; answers with their number, and whether there are more. */
  async function publish(tenantId: string): Promise<{ rows: number; more: boolean; reports: boolean }> {
    const days = await dayOffsets(await options.zoneOf(tenantId));
    return path.run(tenantId, async (tx) => {
      const [lock] = await tx.send([takeOutbox(tenantId)]);
      if (lock?.[0]?.taken !== true) return { rows: 0, more: false, reports: false };
      const [published] = await tx.send([publishSlice(tenantId, slice, days)]);
      await tx.commit([]);
      const { rows, waiting, reports } = published![0] as { rows: number; waiting: number; reports: boolean };
      return { rows, more: rows < waiting || rows === slice.rows, reports };
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
      // In turns, so that a tenant with a backlog keeps no other waiting.
      while (waiting.length > 0) {
        const unfinished: string[] = [];
        for (const tenantId of waiting) {
          if (options.stopped()) return rows;
          const started = performance.now();
          try {
            const done = await publish(tenantId);
            rows += done.rows;
            if (done.more) unfinished.push(tenantId);
            if (done.reports) await options.onReports?.(tenantId);
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
