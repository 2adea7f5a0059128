import { Worker } from 'node:worker_threads';
import type { WhyNotAnswer } from '@arbiter/engine';
import type { RunSearch, SearchTask } from '../features/deciding/why-not/index.ts';
import { AppError } from '../platform/app-error.ts';
import { overdue } from '../platform/deadline.ts';
import type { FromThread, ToThread } from './why-not-thread.ts';

/** Searches that may wait in one process, and those of one tenant. */
const mostWaiting = 32;
const mostOfTenant = 8;
/** A search ends itself after a second. A thread silent for this long beyond that hangs, and is replaced. */
const hangsAfterMs = 30_000;

export interface SearchThreads {
  readonly run: RunSearch;
  /** Refuses what waits and ends the threads. */
  close(): Promise<void>;
}

interface Waiting {
  readonly task: SearchTask;
  readonly cancelled: ToThread['cancelled'];
  resolve(answer: WhyNotAnswer): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** Null while it has nothing to do. */
  search: Waiting | null;
  watch: NodeJS.Timeout | null;
}

/**
 * Creates threads for searches that take up to a second of pure computing, which would block every request of the
 * process (docs/adr/0040). The first search starts them, and they keep the plans they received. Tenants take turns.
 */
export function createSearchThreads(most: number, onError: (error: unknown) => void): SearchThreads {
  const threads: Thread[] = [];
  const queue: Waiting[] = [];
  /** Tenants by their last search, most recent last. */
  const served: string[] = [];
  let nextId = 1;
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(new URL('./why-not-thread.ts', import.meta.url));
    const thread: Thread = { worker, search: null, watch: null };
    worker.unref();
    worker.on('error', (error) => {
      onError(error);
      lose(thread, error);
    });
    worker.on('exit', () => lose(thread, new Error('the thread exited')));
    threads.push(thread);
    return thread;
  }

  /** The thread has ended: its search fails, and the next waiting one gets a new thread. */
  function lose(thread: Thread, error: unknown): void {
    const at = threads.indexOf(thread);
    if (at >= 0) threads.splice(at, 1);
    end(thread)?.reject(new AppError('unavailable', { retryAfterSeconds: 1, cause: error }));
    if (at >= 0) next();
  }

  function end(thread: Thread): Waiting | null {
    const { search } = thread;
    if (thread.watch !== null) clearTimeout(thread.watch);
    thread.watch = null;
    thread.search = null;
    thread.worker.unref();
    return search;
  }

  /** Gives the free threads something to do: the tenant that was served longest ago comes first. */
  function next(): void {
    while (!isClosed && queue.length > 0) {
      const free = threads.find(({ search }) => search === null) ?? (threads.length < most ? start() : null);
      if (free === null) return;
      const turn = ({ task }: Waiting): number => served.indexOf(task.tenantId);
      let first = queue[0]!;
      for (const waiting of queue) if (turn(waiting) < turn(first)) first = waiting;
      queue.splice(queue.indexOf(first), 1);
      const { tenantId } = first.task;
      if (served.includes(tenantId)) served.splice(served.indexOf(tenantId), 1);
      if (queue.some(({ task }) => task.tenantId !== tenantId)) served.push(tenantId);
      else served.length = 0;
      give(free, first);
    }
  }

  function give(thread: Thread, waiting: Waiting): void {
    const { task, cancelled } = waiting;
    const id = nextId++;
    const { worker } = thread;
    thread.search = waiting;
    worker.ref();
    thread.watch = setTimeout(() => {
      worker.terminate().catch(onError);
    }, hangsAfterMs).unref();
    const say = (plan: ToThread['plan']): void => {
      const message: ToThread = { id, job: task.job, plan, cancelled };
      worker.postMessage(message);
    };
    const done = (): void => {
      worker.off('message', hear);
      end(thread);
      next();
    };
    function hear(message: FromThread): void {
      if (message.id !== id) return;
      if (message.kind === 'needs-plan') {
        task.loadPlan().then(say, (error: unknown) => {
          waiting.reject(error);
          done();
        });
        return;
      }
      if (message.kind === 'found') waiting.resolve(message.answer);
      else waiting.reject(new Error(`search failed: ${message.message}`));
      done();
    }
    worker.on('message', hear);
    try {
      say(null);
    } catch (error) {
      // Something in the job can't be sent to the thread. That's our bug.
      waiting.reject(error);
      done();
    }
  }

  return {
    async run(task) {
      const own = queue.filter(({ task: { tenantId } }) => tenantId === task.tenantId).length;
      if (isClosed || queue.length >= mostWaiting || own >= mostOfTenant) {
        throw new AppError('overloaded', { retryAfterSeconds: 1 });
      }
      const { promise, resolve, reject } = Promise.withResolvers<WhyNotAnswer>();
      const cancelled = new Int32Array(new SharedArrayBuffer(4));
      const waiting: Waiting = { task, cancelled, resolve, reject };
      const giveUp = (): void => {
        Atomics.store(cancelled, 0, 1);
        const at = queue.indexOf(waiting);
        if (at >= 0) queue.splice(at, 1);
        reject(overdue());
      };
      const late = setTimeout(giveUp, Math.max(0, task.until - performance.now()));
      task.signal.addEventListener('abort', giveUp);
      if (task.signal.aborted) giveUp();
      else queue.push(waiting);
      next();
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        task.signal.removeEventListener('abort', giveUp);
      }
    },
    async close() {
      isClosed = true;
      for (const { reject } of queue.splice(0)) reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}
