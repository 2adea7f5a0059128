import { Worker } from 'node:worker_threads';
import type { Artifact, RenderReport } from '../features/operations/report-rendering/index.ts';
import { AppError } from '../platform/app-error.ts';
import type { FromReportThread, ToReportThread } from './report-thread.ts';

/** Reports that may wait in one process. */
const mostWaiting = 16;
/** A report of 20 sections of 5,000 rows takes half a minute on a busy machine. Longer than this means it hangs. */
const hangsAfterMs = 180_000;
/** The thread ends after this idle time and frees the memory of its fonts. */
const idleMs = 60_000;
/** A limit of its own, so that a report that needs too much ends the thread and not the server. */
const mostMemoryMb = 512;

export interface ReportThread {
  readonly render: RenderReport;
  /** Refuses what waits and ends the thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly message: ToReportThread;
  resolve(artifacts: readonly Artifact[]): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** Ends it when it hangs or idles. */
  timer: NodeJS.Timeout | null;
}

/**
 * Creates a thread that renders reports one after another. A large one takes seconds of computing, which would block
 * every request of the process (docs/adr/0059). The first report starts the thread, and a minute without reports ends it.
 */
export function createReportThread(onError: (error: unknown) => void, limits = { hangsAfterMs, idleMs }): ReportThread {
  const queue: Waiting[] = [];
  let thread: Thread | null = null;
  let open: Waiting | null = null;
  let nextId = 1;
  let isClosed = false;

  /** Drops the thread and its report. The next report gets a new thread. */
  function lose(worker: Worker, error: unknown): void {
    if (thread?.worker !== worker) return;
    if (thread.timer !== null) clearTimeout(thread.timer);
    thread = null;
    const lost = open;
    open = null;
    lost?.reject(error);
    next();
  }

  function start(): Thread {
    const worker = new Worker(new URL('./report-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    worker.on('error', (error) => {
      onError(error);
      lose(worker, new Error('the thread that rendered the report failed', { cause: error }));
    });
    worker.on('exit', () => lose(worker, new Error('the thread that rendered the report exited')));
    worker.on('message', (message: FromReportThread) => hear(message));
    return { worker, timer: null };
  }

  /** After `ms` the thread ends. */
  function endAfter(ending: Thread, ms: number, isIdle: boolean): void {
    if (ending.timer !== null) clearTimeout(ending.timer);
    ending.timer = setTimeout(() => {
      // Messages that arrive while an idle thread ends aren't for it.
      if (isIdle) thread = null;
      ending.worker.terminate().catch(onError);
    }, ms).unref();
  }

  function next(): void {
    if (isClosed || open !== null) return;
    const first = queue.shift();
    if (first === undefined) return;
    thread ??= start();
    const { worker } = thread;
    open = first;
    worker.ref();
    endAfter(thread, limits.hangsAfterMs, false);
    try {
      worker.postMessage(first.message);
    } catch (error) {
      // Something in the report can't be sent to the thread. That's our bug.
      open = null;
      rest(thread);
      first.reject(error);
      next();
    }
  }

  /** Nothing to do: the thread must not keep the process alive, and ends after a while. */
  function rest(idle: Thread): void {
    idle.worker.unref();
    endAfter(idle, limits.idleMs, true);
  }

  function hear(message: FromReportThread): void {
    if (open === null || message.id !== open.message.id || thread === null) return;
    const done = open;
    open = null;
    rest(thread);
    if (message.kind === 'failed') done.reject(new Error(`report rendering failed: ${message.message}`));
    else {
      done.resolve(
        message.artifacts.map(({ content, ...artifact }) => ({
          ...artifact,
          content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
        })),
      );
    }
    next();
  }

  return {
    render(document, formats) {
      if (isClosed || queue.length >= mostWaiting) {
        return Promise.reject(new AppError('overloaded', { retryAfterSeconds: 5 }));
      }
      const { promise, resolve, reject } = Promise.withResolvers<readonly Artifact[]>();
      queue.push({ message: { id: nextId++, document, formats }, resolve, reject });
      next();
      return promise;
    },
    async close() {
      isClosed = true;
      for (const { reject } of queue.splice(0)) reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      await thread?.worker.terminate();
    },
  };
}
