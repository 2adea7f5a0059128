import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { createQueuePool, queueSchema } from '../db/index.ts';
import { unlockJobs } from './queue.store.ts';

/** What a handler is told besides the payload. */
export interface JobFacts {
  readonly jobId: string;
  /** The job's tenant; null for work across tenants. Open transactions with it, so that row-level security holds. */
  readonly tenantId: string | null;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborts when the process stops: end soon, the job will be tried again. */
  readonly signal: AbortSignal;
}

/** Does one job. What it throws is tried again later, so it must be repeatable. */
export type TaskHandler = (payload: Readonly<Record<string, unknown>>, facts: JobFacts) => Promise<void>;

/** Handlers by task name; a task without one stays in the queue. */
export type Tasks = Readonly<Record<string, TaskHandler>>;

export interface WorkerOptions {
  /** URL of the application role, which may change to `arbiter_queue`. */
  readonly url: string;
  readonly tasks: Tasks;
  /** Jobs at once. */
  readonly concurrency: number;
  /** Milliseconds that jobs have to end after `stop`; then they are handed back to the queue. */
  readonly graceMs: number;
  readonly onError: (error: unknown) => void;
  /** Told after each try. */
  readonly onJob?: (task: string, result: 'ok' | 'failed', seconds: number) => void;
}

/** Takes jobs from the queue until it is stopped. */
export interface Worker {
  /** True while jobs are taken. */
  running(): boolean;
  /** Takes no more jobs, waits for those at work, hands back what does not end in time. */
  stop(): Promise<void>;
}

type QueuePool = ReturnType<typeof createQueuePool>;

/** How often the queue is looked at without having been told (LISTEN tells at once). */
const pollIntervalMs = 5_000;
const neverMs = 2 ** 31 - 1;

/** After a runner ended by itself (it gives up when it cannot write the end of a job), another one starts. */
const restartPauseMs = 1_000;

/** Starts a worker (graphile-worker: LISTEN and SKIP LOCKED). Throws when the queue cannot be reached now. */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  // One connection listens, the others take and finish jobs.
  const pool = createQueuePool(options.url, Math.max(3, Math.ceil(options.concurrency / 2) + 1), options.onError);
  const stopping = new AbortController();
  const outOfTime = new AbortController();
  let workerId: string | null = null;
  const startRunner = async () => {
    // What the one before left locked, since it could not write that it had ended.
    if (workerId !== null) await unlockJobs(pool, workerId);
    return runOver(pool, options, outOfTime.signal, (id) => {
      workerId = id;
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
      await runner?.promise.catch(options.onError);
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
    async stop() {
      stopping.abort();
      const inTime = new AbortController();
      void sleep(options.graceMs, undefined, { signal: inTime.signal, ref: false }).then(
        () => outOfTime.abort(),
        () => undefined,
      );
      await runner?.stop('the process stops').catch(options.onError);
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
    taskList: taskListOf(options.tasks, outOfTime),
    concurrency: options.concurrency,
    pollInterval: pollIntervalMs,
    noHandleSignals: true,
    // Failures reach `onError`; the library's own lines may hold payloads.
    logger: new Logger(() => () => undefined),
    events,
    preset: {
      worker: {
        // The library's own limit would leave jobs locked; `stop` keeps ours.
        gracefulShutdownAbortTimeout: neverMs,
        // Only in batches does the library wait for the writes that end jobs, and survive that one fails.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  events.on('job:start', ({ job }) => started.set(job.id, performance.now()));
  events.on('job:complete', ({ job, error }) => {
    const seconds = (performance.now() - (started.get(job.id) ?? performance.now())) / 1000;
    started.delete(job.id);
    const failed = error !== null && error !== undefined;
    options.onJob?.(job.task_identifier, failed ? 'failed' : 'ok', seconds);
    if (failed) options.onError(error);
  });
  events.on('pool:fatalError', ({ error }) => options.onError(error));
  events.on('worker:fatalError', ({ error }) => options.onError(error));
  return runner;
}

function taskListOf(tasks: Tasks, signal: AbortSignal): TaskList {
  // A handler that does not heed the signal is left behind: its job goes back to the queue all the same.
  const handedBack = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the process stopped before the job ended')), {
      once: true,
    });
  });
  handedBack.catch(() => undefined);
  return Object.fromEntries(
    Object.entries(tasks).map(([name, handler]) => [
      name,
      async (payload, { job }) => {
        const values = isRecord(payload) ? payload : {};
        const { tenantId } = values;
        const facts = {
          jobId: job.id,
          tenantId: typeof tenantId === 'string' ? tenantId : null,
          attempt: job.attempts,
        };
        await Promise.race([handler(values, { ...facts, signal }), handedBack]);
      },
    ]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
