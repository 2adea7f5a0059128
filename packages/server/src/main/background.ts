import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { systemActor } from '../db/index.ts';
import { ensureInteractionPartitions, expireReservations } from '../features/interactions/index.ts';
import { ensureRecordPartitions } from '../features/sealed-records/index.ts';
import { createOutboxDispatcher } from '../features/stream/index.ts';
import { selectTenantIds } from '../features/tenants/index.ts';
import { enqueueJob } from '../jobs/index.ts';
import { zoneClock } from '../platform/zones.ts';
import type { Server } from './compose.ts';
import { hourlyTasks } from './tasks.ts';

/** Work that runs beside the requests of this process. Only `main` starts timers (architecture.md 2). */
export interface Background {
  /** Ends every loop; resolves when the last piece of work has ended. */
  stop(): Promise<void>;
}

/** With the work itself, summaries are less than a second behind (decisioning.md 6). */
const outboxEveryMs = 500;
const keyUsesEveryMs = 10_000;
const sweepEveryMs = 60_000;
const hourMs = 3_600_000;
const partitionsEveryMs = 6 * 3_600_000;
/** Reservations live a day at most (api-access.md 6, reservationTtlSeconds). */
const oldestReservationMs = 2 * 86_400_000;

/** Starts the loops: outbox and summaries, last use of keys, expired reservations, partitions of the months ahead. */
export function startBackground(server: Server): Background {
  const stop = new AbortController();
  const { database, decisions, logger } = server;
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  };
  const dispatcher = createOutboxDispatcher(database, server.aside, {
    zoneOf: (tenantId) => decisions.timezoneOf(tenantId),
    zoneClock,
    now: () => server.clock.now(),
    pause,
    stopped: () => stop.signal.aborted,
  });
  new Gauge({
    name: 'svc_outbox_lag_seconds',
    help: 'Age of the oldest row of the outbox that was not published when this process looked last.',
    registers: [server.registry],
    collect() {
      this.set(dispatcher.lagSeconds());
    },
  });

  const loop = async (name: string, everyMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await work();
      } catch (err) {
        logger.warn({ err, loop: name }, 'background work failed');
      }
      await pause(everyMs);
    }
  };

  const loops = [
    loop('outbox', outboxEveryMs, () => dispatcher.drain()),
    loop('key-uses', keyUsesEveryMs, () => server.authenticator.flushUses()),
    loop('reservations', sweepEveryMs, async () => {
      for (const tenantId of await database.withSystem('reservations-expire', selectTenantIds)) {
        if (stop.signal.aborted) return;
        let more = true;
        while (more && !stop.signal.aborted) {
          more = await database.withTenant(tenantId, systemActor('reservations-expire'), (tx) =>
            expireReservations(tx, oldestReservationMs),
          );
        }
      }
    }),
    loop('hourly', hourMs, async () => {
      for (const tenantId of await database.withSystem('hourly', selectTenantIds)) {
        if (stop.signal.aborted) return;
        // One waiting job per tenant and task, whichever node asks for it.
        await database.withTenant(tenantId, systemActor('hourly'), async (tx) => {
          for (const task of hourlyTasks) await enqueueJob(tx, task, {}, { key: task });
        });
      }
    }),
    loop('partitions', partitionsEveryMs, () =>
      database.withSystem('partitions', async (tx) => {
        await ensureRecordPartitions(tx);
        await ensureInteractionPartitions(tx);
      }),
    ),
  ];
  return {
    async stop() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}
