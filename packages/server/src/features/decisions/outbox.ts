import type { Database } from '../../db/index.ts';
import { systemActor } from '../../db/index.ts';
import { claimPending, publish, readPendingTenants } from './outbox.store.ts';
import { upsertSummaries } from './summaries.store.ts';
import { rollUp, type SummaryDelta } from './summaries.ts';

/** What the dispatcher needs to know of a tenant: the zone its periods are counted in. */
export type ZoneOf = (tenantId: string) => Promise<string>;

export interface OutboxDispatcher {
  /** Publishes what is pending, in slices; answers with the number of events. A tenant that fails keeps no other waiting. */
  drain(): Promise<number>;
  /** Oldest pending row in seconds at the last look; 0 = none. */
  lagSeconds(): number;
}

/** Rows of one transaction: short, so that the hot path is never kept waiting for the disk. */
const rowsPerSlice = 16;

/**
 * Gives outbox rows their place in the tenant's stream and rolls their interactions up into summaries, in one
 * transaction: a row is pending or done, never both, and done once (decisioning.md 5, 6). Two nodes may run it: a
 * tenant's rows are taken under a lock.
 */
export function createOutboxDispatcher(
  database: Database,
  options: {
    readonly zoneOf: ZoneOf;
    readonly dateIn: (zone: string, epochMs: number) => string;
    /** Waits between slices, so that a backlog takes a part of the machine only. */
    readonly pause: (ms: number) => Promise<void>;
    readonly stopped: () => boolean;
  },
): OutboxDispatcher {
  let lag = 0;

  async function slice(tenantId: string): Promise<{ events: number; more: boolean }> {
    const zone = await options.zoneOf(tenantId);
    return database.withTenant(tenantId, systemActor('outbox'), async (tx) => {
      const rows = await claimPending(tx, rowsPerSlice);
      if (rows === null || rows.length === 0) return { events: 0, more: false };
      const deltas: SummaryDelta[] = rows.flatMap((row) => rollUp(row.events, (at) => options.dateIn(zone, at)));
      await upsertSummaries(tx, deltas);
      await publish(tx, rows);
      return { events: rows.reduce((n, row) => n + row.events.length, 0), more: rows.length === rowsPerSlice };
    });
  }

  return {
    async drain() {
      let events = 0;
      const pending = await readPendingTenants(database);
      lag = pending.reduce((oldest, p) => Math.max(oldest, p.ageSeconds), 0);
      const failures: unknown[] = [];
      for (const { tenantId } of pending) {
        try {
          for (;;) {
            if (options.stopped()) return events;
            const started = performance.now();
            const done = await slice(tenantId);
            events += done.events;
            if (!done.more) break;
            // A backlog is worked off with a quarter of one connection's time while decisions are being made.
            await options.pause(Math.min(250, (performance.now() - started) * 3));
          }
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return events;
    },
    lagSeconds: () => lag,
  };
}
