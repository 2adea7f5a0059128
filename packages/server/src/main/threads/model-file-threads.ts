import type { ReadModelFile } from '../../features/catalogue/models/index.ts';
import { AppError } from '../../platform/app-error.ts';
import type { FromModelFileThread, ToModelFileThread } from './model-file-thread.ts';
import { createThreadQueue } from './thread-queue.ts';

/** Files of up to 50 MB that may wait in one process. */
const maxWaiting = 4;
/** A file of 50 MB takes seconds, so a thread that takes longer than this hangs. */
const hangsAfterMs = 120_000;
/** Idle time after which the thread ends and frees its memory. */
const idleMs = 10_000;
/** A file of many tiny objects takes 30 times its size. With this limit, it ends the thread and not the server. */
const maxMemoryMb = 1_024;

export interface ModelFileThread {
  readonly read: ReadModelFile;
  /** Rejects waiting files and ends the thread. */
  close(): Promise<void>;
}

/** Creates a thread that reads model files one by one. On the event loop, each would block all requests for seconds. */
export function createModelFileThread(onError: (error: unknown) => void): ModelFileThread {
  const queue = createThreadQueue<Omit<ToModelFileThread, 'id'>, FromModelFileThread, FromModelFileThread['prepared']>({
    program: new URL('./model-file-thread.ts', import.meta.url),
    ...{ maxWaiting, hangsAfterMs, idleMs, maxMemoryMb },
    resultOf: ({ prepared }) => prepared,
    lossOf: (failure) => (failure === null ? new AppError('unavailable', { retryAfterSeconds: 1 }) : failure.cause),
    onError: (error) => {
      if (!isOutOfMemory(error)) onError(error);
    },
  });
  return {
    async read(sent, place) {
      try {
        return await queue.run({ sent, place });
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        return { problems: [{ path: `/${place}`, message: 'takes too much memory to read' }] };
      }
    },
    close: queue.close,
  };
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
