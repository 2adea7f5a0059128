import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList } from 'graphile-worker';
import { createQueuePool, queueSchema } from '../db/index.ts';

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

/** How often the queue is looked at without having been told (LISTEN tells at once). */
const pollIntervalMs = 5_000;
const neverMs = 2 ** 31 - 1;

/** Starts a worker (graphile-worker: LISTEN and SKIP LOCKED). */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  // One connection listens, the others take and finish jobs.
  const pool = createQueuePool(options.url, Math.max(3, Math.ceil(options.concurrency / 2) + 1), options.onError);
  const started = new Map<string, number>();
  let running = true;
  const outOfTime = new AbortController();
  let runner: Runner;
  try {
    runner = await run({
      pgPool: pool,
      schema: queueSchema,
      taskList: taskListOf(options.tasks, outOfTime.signal),
      concurrency: options.concurrency,
      pollInterval: pollIntervalMs,
      noHandleSignals: true,
      // Failures reach `onError`; the library's own lines may hold payloads.
      logger: new Logger(() => () => undefined),
      // The library's own limit would leave jobs locked; `stop` below keeps ours.
      preset: { worker: { gracefulShutdownAbortTimeout: neverMs } },
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  runner.events.on('job:start', ({ job }) => started.set(job.id, performance.now()));
  runner.events.on('job:complete', ({ job, error }) => {
    const seconds = (performance.now() - (started.get(job.id) ?? performance.now())) / 1000;
    started.delete(job.id);
    options.onJob?.(job.task_identifier, error === null ? 'ok' : 'failed', seconds);
    if (error !== null) options.onError(error);
  });
  runner.events.on('worker:fatalError', ({ error }) => options.onError(error));
  const ended = runner.promise.then(
    () => undefined,
    (error: unknown) => options.onError(error),
  );
  void ended.then(() => {
    running = false;
  });
  return {
    running: () => running,
    async stop() {
      const inTime = new AbortController();
      void sleep(options.graceMs, undefined, { signal: inTime.signal, ref: false }).then(
        () => outOfTime.abort(),
        () => undefined,
      );
      if (running) await runner.stop('the process stops').catch(options.onError);
      await ended;
      inTime.abort();
      await untilQuiet(pool);
      await pool.end();
    },
  };
}

/**
 * The library writes the end of a job without waiting for it, also when it stops; a pool that is closed before that
 * leaves the job locked. So: some turns of the loop for the write to begin, then until every connection is back.
 */
async function untilQuiet(pool: { totalCount: number; idleCount: number; waitingCount: number }): Promise<void> {
  const until = performance.now() + 5_000;
  await sleep(20);
  while ((pool.waitingCount > 0 || pool.idleCount < pool.totalCount) && performance.now() < until) await sleep(5);
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
