import { Worker } from 'node:worker_threads';
import { AppError } from '../../platform/app-error.ts';

/** Input and output of a thread's program: a message with an ID, and a reply with the same ID. */
interface NumberedMessage {
  readonly id: number;
}

export interface ThreadQueueOptions<Reply extends NumberedMessage, Result> {
  /** The file that the thread runs. */
  readonly program: URL;
  /** What the thread starts with, as plain data. */
  readonly data?: unknown;
  /** Messages that may wait in one process. */
  readonly maxWaiting: number;
  /** A thread that takes longer for one message hangs, and is replaced. */
  readonly hangsAfterMs: number;
  /** The thread ends after this idle time and frees its memory. */
  readonly idleMs: number;
  /** A limit of its own, so that work that needs too much ends the thread and not the server. */
  readonly maxMemoryMb: number;
  /** Returns the result, or throws the error, that the reply carries. */
  readonly resultOf: (reply: Reply) => Result;
  /** Returns the error for a message whose thread failed (with a cause) or exited (without). */
  readonly lossOf: (failure: { readonly cause: unknown } | null) => unknown;
  readonly onError: (error: unknown) => void;
}

/** One thread that works through messages, one after another. */
export interface ThreadQueue<Message extends object, Result> {
  /** Rejects with 503 `overloaded` when too many messages wait, and with `unavailable` when the queue was closed. */
  run(message: Message): Promise<Result>;
  /** Rejects pending messages and ends the thread. */
  close(): Promise<void>;
}

interface QueuedMessage<Message, Result> {
  readonly message: Message & NumberedMessage;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface QueueThread {
  readonly worker: Worker;
  /** Ends it when it hangs or idles. */
  timer: NodeJS.Timeout | null;
}

interface QueueState<Message, Result> {
  readonly waiting: QueuedMessage<Message, Result>[];
  thread: QueueThread | null;
  /** The message that the thread works on. */
  open: QueuedMessage<Message, Result> | null;
  nextId: number;
  isClosed: boolean;
}

/** The first message starts the thread, and the next one after its end starts another. */
export function createThreadQueue<Message extends object, Reply extends NumberedMessage, Result>(
  options: ThreadQueueOptions<Reply, Result>,
): ThreadQueue<Message, Result> {
  const state: QueueState<Message, Result> = { waiting: [], thread: null, open: null, nextId: 1, isClosed: false };
  return {
    run(message) {
      if (state.isClosed || state.waiting.length >= options.maxWaiting) {
        return Promise.reject(new AppError('overloaded', { retryAfterSeconds: 5 }));
      }
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      state.waiting.push({ message: { ...message, id: state.nextId++ }, resolve, reject });
      next(state, options);
      return promise;
    },
    async close() {
      state.isClosed = true;
      for (const { reject } of state.waiting.splice(0)) {
        reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      }
      await state.thread?.worker.terminate();
    },
  };
}

function start<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
): QueueThread {
  const worker = new Worker(options.program, {
    workerData: options.data,
    resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb },
  });
  worker.on('error', (error) => {
    options.onError(error);
    lose(state, options, worker, { cause: error });
  });
  worker.on('exit', () => lose(state, options, worker, null));
  worker.on('message', (reply: Reply) => settle(state, options, reply));
  return { worker, timer: null };
}

/** Drops the thread and its message. The next message gets a new thread. */
function lose<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
  worker: Worker,
  failure: { readonly cause: unknown } | null,
): void {
  if (state.thread?.worker !== worker) return;
  if (state.thread.timer !== null) clearTimeout(state.thread.timer);
  state.thread = null;
  const lost = state.open;
  state.open = null;
  lost?.reject(options.lossOf(failure));
  next(state, options);
}

function settle<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
  reply: Reply,
): void {
  const { open, thread } = state;
  if (open === null || reply.id !== open.message.id || thread === null) return;
  state.open = null;
  rest(state, options, thread);
  try {
    open.resolve(options.resultOf(reply));
  } catch (error) {
    open.reject(error);
  }
  next(state, options);
}

/** Sends the next message if the thread is free. */
function next<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
): void {
  if (state.isClosed || state.open !== null) return;
  const first = state.waiting.shift();
  if (first === undefined) return;
  state.thread ??= start(state, options);
  const { thread } = state;
  state.open = first;
  thread.worker.ref();
  endAfter(state, options, thread, options.hangsAfterMs);
  try {
    thread.worker.postMessage(first.message);
  } catch (error) {
    // Something in the message can't be sent to the thread. That's our bug.
    state.open = null;
    rest(state, options, thread);
    first.reject(error);
    next(state, options);
  }
}

/** Nothing to do: the thread must not keep the process alive, and ends after a while. */
function rest<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
  thread: QueueThread,
): void {
  thread.worker.unref();
  endAfter(state, options, thread, options.idleMs);
}

/** Ends the thread after `ms`. A later call replaces the timer. */
function endAfter<Message, Reply extends NumberedMessage, Result>(
  state: QueueState<Message, Result>,
  options: ThreadQueueOptions<Reply, Result>,
  thread: QueueThread,
  ms: number,
): void {
  if (thread.timer !== null) clearTimeout(thread.timer);
  thread.timer = setTimeout(() => {
    // Messages that arrive while an idle thread ends aren't for it.
    if (state.open === null) state.thread = null;
    thread.worker.terminate().catch(options.onError);
  }, ms).unref();
}
