import { Worker } from 'node:worker_threads';
import { AppError } from '../platform/app-error.ts';
import type { ReadLargeYaml, ReadYaml } from '../platform/read-yaml.ts';
import type { FromYamlThread, ToYamlThread } from './yaml-thread.ts';

/** Calls that may wait in one process; each has one file here at a time. */
const mostWaiting = 32;
/**
 * A file of one megabyte takes two seconds on a busy machine. Longer than this, even for the largest allowed body,
 * means it hangs.
 */
const hangsAfterMs = 120_000;
/** The thread ends when nothing was read for so long. */
const idleMs = 30_000;
/**
 * Memory of its own, more than any file that the reader accepts needs: a thread that runs out may take the process
 * down.
 */
const mostMemoryMb = 512;

export interface YamlThread {
  readonly read: ReadLargeYaml;
  /** Refuses what waits and ends the thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly message: ToYamlThread;
  resolve(read: ReadYaml): void;
  reject(error: unknown): void;
}

/**
 * A thread that reads large policy files, one after the other: the library reads a text in one go, and a megabyte of it would
 * keep every request of the process waiting for a second. It is started by the first such file and ends when none came
 * for a while.
 */
export function createYamlThread(onError: (error: unknown) => void): YamlThread {
  const queue: Waiting[] = [];
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let open: Waiting | null = null;
  let nextId = 1;
  let isClosed = false;

  function start(): Worker {
    const made = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    made.on('error', (error) => {
      onError(error);
      lose(made, (lost) => lost.reject(error));
    });
    made.on('exit', () => lose(made, (lost) => lost.reject(new AppError('unavailable', { retryAfterSeconds: 1 }))));
    made.on('message', ({ id, read }: FromYamlThread) => {
      if (open?.message.id !== id) return;
      const done = open;
      open = null;
      done.resolve(read);
      next();
    });
    return made;
  }

  /** Drops the thread and its file. The next file gets a new thread. */
  function lose(gone: Worker, settle: (lost: Waiting) => void): void {
    if (worker !== gone) return;
    worker = null;
    const lost = open;
    open = null;
    if (lost !== null) settle(lost);
    next();
  }

  /** Ends the thread after `ms`, unless it gets work before that. */
  function endAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const ending = worker;
      // Messages that arrive while an idle thread ends aren't for it.
      if (open === null) worker = null;
      ending?.terminate().catch(onError);
    }, ms).unref();
  }

  function next(): void {
    if (isClosed || open !== null) return;
    const first = queue.shift();
    if (first === undefined) {
      worker?.unref();
      endAfter(idleMs);
      return;
    }
    worker ??= start();
    open = first;
    worker.ref();
    endAfter(hangsAfterMs);
    worker.postMessage(first.message);
  }

  return {
    read(text) {
      if (isClosed || queue.length >= mostWaiting) {
        return Promise.reject(new AppError('overloaded', { retryAfterSeconds: 5 }));
      }
      const { promise, resolve, reject } = Promise.withResolvers<ReadYaml>();
      queue.push({ message: { id: nextId++, text }, resolve, reject });
      next();
      return promise;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { reject } of queue.splice(0)) reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      await worker?.terminate();
    },
  };
}
