import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { createQueuePool, queueSchema } from '../db/index.ts';
import { describeError } from '../platform/logger.ts';
import { Postponed } from './postponed.ts';
import { unlockJobs } from './queue.store.ts';
import type { JobRegistry } from './registry.ts';

export interface WorkerOptions {
  /** URL of the application role, which may change to `arbiter_queue`. */
  readonly url: string;
  /** The jobs to take from the queue. Others stay in it. */
  readonly registry: JobRegistry;
  /** Jobs at once. */
  readonly concurrency: number;
  /** Milliseconds that jobs have to end after `stop`; then they are handed back to the queue. */
  readonly graceMs: number;
  /** Name of a worker that has ended and may have left jobs behind: they are returned before the first is taken. */
  readonly endedWorker?: string | null;
  /** Called with the worker's name at the start and after a restart. */
  readonly onId?: (id: string) => void;
  /** Receives errors of attempts, with the job's name, and the worker's own errors. */
  readonly onError: (error: unknown, job?: string) => void;
  /** Called after each try. A postponed run doesn't count as one. */
  readonly onJob?: (task: string, result: 'ok' | 'failed', seconds: number) => void;
}

/** Takes jobs from the queue until it is stopped. */
export interface Worker {
  /** True while jobs are taken. */
  running(): boolean;
  /** Returns the name that its current jobs are taken under; null while it takes none. */
  id(): string | null;
  /** Takes no more jobs, waits for those at work, hands back what does not end in time. */
  stop(): Promise<void>;
}

type QueuePool = ReturnType<typeof createQueuePool>;

/** How often to poll the queue without a notification (LISTEN notifies at once). */
const pollIntervalMs = 5_000;
const neverMs = 2 ** 31 - 1;

/** Pause before restarting a runner that ended on its own (it gives up when it can't record the end of a job). */
const restartPauseMs = 1_000;

/**
 * Returns the connections of a worker that runs this many jobs at once: one listens, the others take and finish jobs.
 */
export function queueConnections(concurrency: number): number {
  return Math.max(3, Math.ceil(concurrency / 2) + 1);
}

/** Starts a worker (graphile-worker: LISTEN and SKIP LOCKED). Throws when the queue cannot be reached now. */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const pool = createQueuePool(options.url, queueConnections(options.concurrency), (error) => options.onError(error));
  const stopping = new AbortController();
  const outOfTime = new AbortController();
  let workerId = options.endedWorker ?? null;
  const startRunner = async () => {
    // Unlock the jobs that the previous runner left locked because it couldn't record their end.
    if (workerId !== null) await unlockJobs(pool, workerId);
    return runOver(pool, options, outOfTime.signal, (id) => {
      workerId = id;
      options.onId?.(id);
    });
  };
  let runner: Runner | null;
  try {
    runner = await startRunner();
  } catch (error) {
    await pool.end();
    throw error;
  }

  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runner?.promise.catch((error: unknown) => options.onError(error));
      runner = null;
      await sleep(restartPauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      runner = await startRunner().catch((error: unknown) => {
        options.onError(error);
        return null;
      });
    }
  }
  const supervised = supervise();

  return {
    running: () => runner !== null && !stopping.signal.aborted,
    id: () => (runner === null ? null : workerId),
    async stop() {
      stopping.abort();
      const inTime = new AbortController();
      void sleep(options.graceMs, undefined, { signal: inTime.signal, ref: false }).then(
        () => outOfTime.abort(),
        () => undefined,
      );
      await runner?.stop('the process is stopping').catch((error: unknown) => options.onError(error));
      await supervised;
      inTime.abort();
      await pool.end();
    },
  };
}

async function runOver(
  pool: QueuePool,
  options: WorkerOptions,
  outOfTime: AbortSignal,
  onWorkerId: (id: string) => void,
): Promise<Runner> {
  const started = new Map<string, number>();
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => onWorkerId(workerPool.id));
  const runner = await run({
    pgPool: pool,
    schema: queueSchema,
    taskList: taskListOf(options, outOfTime),
    concurrency: options.concurrency,
    pollInterval: pollIntervalMs,
    noHandleSignals: true,
    // Failures reach `onError`; the library's own lines may hold payloads.
    logger: new Logger(() => () => undefined),
    events,
    preset: {
      worker: {
        // The library's own limit would leave jobs locked; `stop` enforces ours.
        gracefulShutdownAbortTimeout: neverMs,
        // Only in batches does the library wait for the writes that end jobs and survive a failed one.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  events.on('job:start', ({ job }) => started.set(job.id, performance.now()));
  events.on('job:complete', ({ job, error }) => {
    const seconds = (performance.now() - (started.get(job.id) ?? performance.now())) / 1000;
    started.delete(job.id);
    if (error instanceof Postponed) return;
    const failed = error !== null && error !== undefined;
    options.onJob?.(job.task_identifier, failed ? 'failed' : 'ok', seconds);
  });
  events.on('pool:fatalError', ({ error }) => options.onError(error));
  events.on('worker:fatalError', ({ error }) => options.onError(error));
  return runner;
}

/** queue.sql knows this text: an attempt that ends this way doesn't count. */
const handedBackText = 'the process stopped before the job ended';

function taskListOf({ registry, onError }: WorkerOptions, signal: AbortSignal): TaskList {
  // A handler that does not heed the signal is left behind: its job goes back to the queue all the same.
  const handedBack = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(handedBackText)), { once: true });
  });
  handedBack.catch(() => undefined);
  return Object.fromEntries(
    [...registry].map(([name, { run }]) => [
      name,
      async (stored, { job }) => {
        const { tenantId, dueAt, triesBefore: _, ...payload } = isRecord(stored) ? stored : {};
        const facts = {
          jobId: job.id,
          attempt: job.attempts,
          dueAt: typeof dueAt === 'string' ? new Date(dueAt) : null,
          signal,
        };
        try {
          await Promise.race([run(payload, facts, typeof tenantId === 'string' ? tenantId : null), handedBack]);
        } catch (error) {
          if (signal.aborted) throw new Error(handedBackText);
          // queue.sql knows this text as well.
          if (error instanceof Postponed) throw error;
          onError(error, name);
          throw new Error(shownError(error));
        }
      },
    ]),
  );
}

const longestError = 500;

/**
 * Returns what the queue and the dead letters store of an error: as in the log, nothing that may quote data
 * (docs/design/quality.md T36).
 */
function shownError(error: unknown): string {
  const { name, code, message } = describeError(error);
  const text = `${name}${code === undefined ? '' : ` (${code})`}${message === undefined ? '' : `: ${message}`}`;
  return text
    .slice(0, longestError)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
