import { Worker } from 'node:worker_threads';
import type { DecisionMetrics } from '../../features/deciding/decisions/index.ts';
import type { ChunkDesk, ChunkNeighbors, ChunkOrder } from '../../features/outreach/campaigns/index.ts';
import { AppError } from '../../platform/app-error.ts';
import {
  addObservation,
  type ChunkEnd,
  type ChunkThreadSetting,
  type FromChunkThread,
  receivedError,
  sentError,
  type ToChunkThread,
} from './chunk-messages.ts';

/**
 * Threads of a server that decide for campaigns. Two keep PostgreSQL busy; runs whose chunks are decided one after the other use
 * them in turn.
 */
export const chunkThreads = 2;
/** A thread ends after this idle time and frees its memory. */
const idleMs = 30_000;
/** A chunk takes seconds at most. A thread that is silent for this long hangs and is replaced. */
const hangsAfterMs = 120_000;
/** Time for a thread to write its last figures and close its connections. */
const closesWithinMs = 5_000;
/** Chunks of a thread: one decides while another one reads or writes. */
const chunksPerThread = 2;
/**
 * A large young generation. In a small one, garbage collections copy what a chunk holds again and again until it commits.
 */
const memory = { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 1_024 };

export interface ChunkThreadsOptions {
  readonly count: number;
  readonly setting: ChunkThreadSetting;
  readonly metrics: DecisionMetrics;
}

export interface ChunkThreads extends ChunkDesk {
  close(): Promise<void>;
}

interface OpenChunk {
  readonly allowNext: ChunkNeighbors['allowNext'];
  resolve(end: ChunkEnd): void;
  reject(error: unknown): void;
}

interface ChunkThread {
  readonly worker: Worker;
  readonly open: Map<number, OpenChunk>;
  readonly ended: Promise<void>;
  /** Ends it when it hangs or idles. */
  timer: NodeJS.Timeout | null;
}

interface ChunkThreadsState extends ChunkThreadsOptions {
  readonly threads: Set<ChunkThread>;
  readonly onError: (error: unknown) => void;
  nextId: number;
  isClosed: boolean;
}

const lost = (cause?: unknown): AppError =>
  new AppError('unavailable', { retryAfterSeconds: 1, ...(cause === undefined ? {} : { cause }) });

/**
 * Creates threads that decide the chunks of campaigns, so that calls don't wait for the event loop (docs/adr/0131). They
 * start with the first chunk.
 */
export function createChunkThreads(options: ChunkThreadsOptions, onError: (error: unknown) => void): ChunkThreads {
  const state: ChunkThreadsState = { ...options, onError, threads: new Set(), nextId: 1, isClosed: false };
  return {
    maxOpen: options.count * chunksPerThread,
    runChunk: (order, neighbors) => runChunk(state, order, neighbors),
    async close() {
      state.isClosed = true;
      await Promise.all([...state.threads].map((thread) => end(state, thread)));
    },
  };
}

async function runChunk(
  state: ChunkThreadsState,
  order: ChunkOrder,
  { allowNext, afterBefore }: ChunkNeighbors,
): Promise<ChunkEnd> {
  if (state.isClosed) throw lost();
  const thread = freest(state);
  const id = state.nextId++;
  const { promise, resolve, reject } = Promise.withResolvers<ChunkEnd>();
  thread.open.set(id, { allowNext, resolve, reject });
  thread.worker.ref();
  endAfter(state, thread, hangsAfterMs);
  const say = (message: ToChunkThread): void => thread.worker.postMessage(message);
  say({ kind: 'chunk', id, order });
  afterBefore().then(
    (counts) => say({ kind: 'before', id, counts }),
    (error: unknown) => say({ kind: 'before-failed', id, error: sentError(error) }),
  );
  return promise;
}

/** The thread with the fewest chunks; a new one if all have some. */
function freest(state: ChunkThreadsState): ChunkThread {
  const [first] = [...state.threads].sort((a, b) => a.open.size - b.open.size);
  if (first !== undefined && (first.open.size === 0 || state.threads.size >= state.count)) return first;
  return startThread(state);
}

function startThread(state: ChunkThreadsState): ChunkThread {
  const worker = new Worker(new URL('./chunk-thread.ts', import.meta.url), {
    workerData: state.setting,
    resourceLimits: memory,
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const thread: ChunkThread = { worker, open: new Map(), ended, timer: null };
  state.threads.add(thread);
  worker.on('error', (error) => {
    state.onError(error);
    lose(state, thread, error);
  });
  worker.on('exit', () => {
    lose(state, thread);
    resolve();
  });
  worker.on('message', (message: FromChunkThread) => receive(state, thread, message));
  return thread;
}

function receive(state: ChunkThreadsState, thread: ChunkThread, message: FromChunkThread): void {
  const { kind } = message;
  if (kind === 'next') thread.open.get(message.id)?.allowNext(message.decided);
  else if (kind === 'ended') take(state, thread, message.id)?.resolve(message.end);
  else if (kind === 'failed') take(state, thread, message.id)?.reject(receivedError(message.error));
  else if (kind === 'background-failed') state.onError(receivedError(message.error));
  else for (const observation of message.observations) addObservation(state.metrics, observation);
}

/** Takes a chunk that has ended out of the open ones. */
function take(state: ChunkThreadsState, thread: ChunkThread, id: number): OpenChunk | undefined {
  const chunk = thread.open.get(id);
  thread.open.delete(id);
  if (thread.open.size > 0) endAfter(state, thread, hangsAfterMs);
  else {
    // An idle thread must not keep the process alive.
    thread.worker.unref();
    endAfter(state, thread, idleMs);
  }
  return chunk;
}

/** Handles the end of a thread. The database tells whether its chunks have committed. */
function lose(state: ChunkThreadsState, thread: ChunkThread, cause?: unknown): void {
  state.threads.delete(thread);
  if (thread.timer !== null) clearTimeout(thread.timer);
  for (const { reject } of thread.open.values()) reject(lost(cause));
  thread.open.clear();
}

/** Ends the thread after `ms` without a call. A later call replaces the timer. */
function endAfter(state: ChunkThreadsState, thread: ChunkThread, ms: number): void {
  if (thread.timer !== null) clearTimeout(thread.timer);
  thread.timer = setTimeout(() => {
    // New chunks get another thread.
    state.threads.delete(thread);
    const ending = thread.open.size === 0 ? end(state, thread) : thread.worker.terminate();
    ending.catch(state.onError);
  }, ms).unref();
}

/** Ends a thread after it has written its figures and closed its connections. */
async function end(state: ChunkThreadsState, thread: ChunkThread): Promise<void> {
  thread.worker.ref();
  thread.worker.postMessage({ kind: 'close' } satisfies ToChunkThread);
  const late = setTimeout(() => void thread.worker.terminate().catch(state.onError), closesWithinMs);
  await thread.ended;
  clearTimeout(late);
}
