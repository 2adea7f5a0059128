import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { selectTenantIds } from '../features/identity/tenants/index.ts';
import { createOutboxDispatcher } from '../features/operations/stream/index.ts';
import { createQueueKeeper, createScheduler, type Scheduler, type Worker } from '../jobs/index.ts';
import type { Server } from './compose.ts';
import type { ProcessMetrics } from './metrics/metrics.ts';

/** Work that runs alongside this process's requests. Only `main` starts timers (docs/architecture.md). */
export interface Background {
  /** The scheduler's state for /ready. */
  scheduler(): 'ok' | 'failed' | 'off';
  /** Ends every loop; resolves when the last piece of work has ended. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  readonly server: Server;
  /** Null: this process takes no jobs. */
  readonly worker: Worker | null;
  /** Whether this process puts the scheduled jobs of tenants into the queue (SCHEDULER). */
  readonly scheduler: boolean;
  /** Name under which leases know who runs the schedules. Unique across machines and containers. */
  readonly holder: string;
  readonly metrics: ProcessMetrics;
}

/** Including the work itself, summaries lag by less than a second (docs/design/decisioning.md 6). */
const outboxEveryMs = 500;
const keyUsesEveryMs = 10_000;
const schedulerEveryMs = 1_000;
/** A fraction of a lease's life, so that a worker isn't considered dead because it was late once. */
const queueEveryMs = 2_000;
/** Where jobs are only enqueued, nothing else would notice that no process takes them. */
const alarmEveryMs = 120_000;

/**
 * Starts the loops: last use of keys in every process; outbox, summaries, queue maintenance and upkeep schedules where
 * jobs run; the other schedules where SCHEDULER allows.
 */
export function startBackground(options: BackgroundOptions): Background {
  const { server, worker, metrics } = options;
  const stop = new AbortController();
  const { database, logger } = server;
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  };
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

  const schedulerOf = (part: 'upkeep' | 'others'): Scheduler =>
    createScheduler({
      database,
      registry: server.jobs,
      holder: options.holder,
      part,
      tenantIds: selectTenantIds,
      onRun: metrics.runClaimed,
      onError: (err, job) => {
        metrics.runFailed(job);
        logger.error({ err, job }, 'schedule disabled');
      },
    });
  const upkeep = worker === null ? null : schedulerOf('upkeep');
  const others = options.scheduler ? schedulerOf('others') : null;
  const loops = [loop('key-uses', keyUsesEveryMs, () => server.authenticator.flushUses())];
  for (const scheduler of [upkeep, others]) {
    if (scheduler !== null) loops.push(loop('scheduler', schedulerEveryMs, () => scheduler.tick()));
  }
  if (others !== null && worker === null) {
    // When a whole installation starts, the processes that take jobs may come later.
    let hasStarted = false;
    loops.push(
      loop('outbox-reaper', alarmEveryMs, async () => {
        if (hasStarted) await server.reapOutbox(Infinity);
        hasStarted = true;
      }),
    );
  }
  if (worker !== null) {
    const dispatcher = dispatcherOf(server, pause, stop.signal);
    const keeper = createQueueKeeper(database, {
      registry: server.jobs,
      workerId: () => worker.id(),
      onDead: (topic, tenantId) => logger.error({ topic, tenantId }, 'job used up its attempts'),
    });
    loops.push(loop('outbox', outboxEveryMs, () => dispatcher.drain()));
    loops.push(loop('queue', queueEveryMs, () => keeper.look()));
  }
  return {
    scheduler: () => (others === null ? 'off' : others.works() ? 'ok' : 'failed'),
    async stop() {
      stop.abort();
      await Promise.all(loops);
      for (const scheduler of [upkeep, others]) {
        await scheduler?.stop().catch((err: unknown) => logger.warn({ err }, 'lease could not be released'));
      }
    },
  };
}

function dispatcherOf(
  server: Server,
  pause: (ms: number) => Promise<void>,
  stopped: AbortSignal,
): ReturnType<typeof createOutboxDispatcher> {
  const dispatcher = createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: (tenantId) => server.decisions.timezoneOf(tenantId),
    pause,
    stopped: () => stopped.aborted,
    onPublished: server.onPublished,
  });
  new Gauge({
    name: 'svc_outbox_lag_seconds',
    help: 'Age of the oldest unpublished outbox row when this process last checked.',
    aggregator: 'max',
    registers: [server.registry],
    collect() {
      this.set(dispatcher.lagSeconds());
    },
  });
  return dispatcher;
}
