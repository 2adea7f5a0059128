import { Worker } from 'node:worker_threads';
import type { WhyNotAnswer } from '@arbiter/engine';
import type { RunSearch, SearchTask } from '../../features/deciding/why-not/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { overdue } from '../../platform/deadline.ts';
import type { FromThread, ToThread } from './why-not-thread.ts';

/** Searches that may wait in one process, and those of one tenant. */
const maxWaiting = 32;
const maxPerTenant = 8;
/** A search ends itself after a second. A thread silent for this long beyond that hangs, and is replaced. */
const hangsAfterMs = 30_000;

export interface SearchThreads {
  readonly run: RunSearch;
  /** Refuses what waits and ends the threads. */
  close(): Promise<void>;
}

interface WaitingSearch {
  readonly task: SearchTask;
  readonly cancelled: ToThread['cancelled'];
  resolve(answer: WhyNotAnswer): void;
  reject(error: unknown): void;
}

interface SearchThread {
  readonly worker: Worker;
  /** Null while it has nothing to do. */
  search: WaitingSearch | null;
  /** Ends it when it hangs. */
  watch: NodeJS.Timeout | null;
}

interface SearchState {
  readonly maxThreads: number;
  readonly onError: (error: unknown) => void;
  readonly threads: SearchThread[];
  readonly queue: WaitingSearch[];
  /** Tenants by their last search, most recent last. */
  readonly served: string[];
  nextId: number;
  isClosed: boolean;
}

/**
 * Creates threads for searches that take up to a second of pure computing, which would block every request of the
 * process (docs/adr/0040). The first search starts them, and they keep the plans they received. Tenants take turns.
 */
export function createSearchThreads(maxThreads: number, onError: (error: unknown) => void): SearchThreads {
  const state: SearchState = {
    maxThreads,
    onError,
    threads: [],
    queue: [],
    served: [],
    nextId: 1,
    isClosed: false,
  };
  return {
    run: (task) => run(state, task),
    async close() {
      state.isClosed = true;
      for (const { reject } of state.queue.splice(0)) reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      await Promise.all(state.threads.map(({ worker }) => worker.terminate()));
    },
  };
}

async function run(state: SearchState, task: SearchTask): Promise<WhyNotAnswer> {
  const { queue } = state;
  const own = queue.filter(({ task: { tenantId } }) => tenantId === task.tenantId).length;
  if (state.isClosed || queue.length >= maxWaiting || own >= maxPerTenant) {
    throw new AppError('overloaded', { retryAfterSeconds: 1 });
  }
  const { promise, resolve, reject } = Promise.withResolvers<WhyNotAnswer>();
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const waiting: WaitingSearch = { task, cancelled, resolve, reject };
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
  startSearches(state);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    task.signal.removeEventListener('abort', giveUp);
  }
}

function startThread(state: SearchState): SearchThread {
  const worker = new Worker(new URL('./why-not-thread.ts', import.meta.url));
  const thread: SearchThread = { worker, search: null, watch: null };
  worker.unref();
  worker.on('error', (error) => {
    state.onError(error);
    lose(state, thread, error);
  });
  worker.on('exit', () => lose(state, thread, new Error('the thread exited')));
  state.threads.push(thread);
  return thread;
}

/** The thread has ended: its search fails, and the next waiting one gets a new thread. */
function lose(state: SearchState, thread: SearchThread, error: unknown): void {
  const at = state.threads.indexOf(thread);
  if (at >= 0) state.threads.splice(at, 1);
  free(thread)?.reject(new AppError('unavailable', { retryAfterSeconds: 1, cause: error }));
  if (at >= 0) startSearches(state);
}

/** Frees the thread for the next search. Returns the search it had. */
function free(thread: SearchThread): WaitingSearch | null {
  const { search } = thread;
  if (thread.watch !== null) clearTimeout(thread.watch);
  thread.watch = null;
  thread.search = null;
  thread.worker.unref();
  return search;
}

/** Gives waiting searches to free threads: the tenant that was served longest ago comes first. */
function startSearches(state: SearchState): void {
  const { threads, queue, served } = state;
  while (!state.isClosed && queue.length > 0) {
    const thread =
      threads.find(({ search }) => search === null) ?? (threads.length < state.maxThreads ? startThread(state) : null);
    if (thread === null) return;
    const turn = ({ task }: WaitingSearch): number => served.indexOf(task.tenantId);
    let first = queue[0]!;
    for (const waiting of queue) if (turn(waiting) < turn(first)) first = waiting;
    queue.splice(queue.indexOf(first), 1);
    const { tenantId } = first.task;
    if (served.includes(tenantId)) served.splice(served.indexOf(tenantId), 1);
    if (queue.some(({ task }) => task.tenantId !== tenantId)) served.push(tenantId);
    else served.length = 0;
    search(state, thread, first);
  }
}

function search(state: SearchState, thread: SearchThread, waiting: WaitingSearch): void {
  const { task, cancelled } = waiting;
  const id = state.nextId++;
  const { worker } = thread;
  thread.search = waiting;
  worker.ref();
  thread.watch = setTimeout(() => {
    worker.terminate().catch(state.onError);
  }, hangsAfterMs).unref();
  const send = (plan: ToThread['plan']): void => {
    const message: ToThread = { id, job: task.job, plan, cancelled };
    worker.postMessage(message);
  };
  const done = (): void => {
    worker.off('message', onMessage);
    free(thread);
    startSearches(state);
  };
  function onMessage(message: FromThread): void {
    if (message.id !== id) return;
    if (message.kind === 'needs-plan') {
      task.loadPlan().then(send, (error: unknown) => {
        waiting.reject(error);
        done();
      });
      return;
    }
    if (message.kind === 'found') waiting.resolve(message.answer);
    else waiting.reject(new Error(`search failed: ${message.message}`));
    done();
  }
  worker.on('message', onMessage);
  try {
    send(null);
  } catch (error) {
    // Something in the job can't be sent to the thread. That's our bug.
    waiting.reject(error);
    done();
  }
}
