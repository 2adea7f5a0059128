import { AppError } from '../../platform/app-error.ts';
import type { ReadLargeYaml, ReadYaml } from '../../platform/read-yaml.ts';
import { createThreadQueue } from './thread-queue.ts';
import type { FromYamlThread, ToYamlThread } from './yaml-thread.ts';

/** Calls that may wait in one process; each has one file here at a time. */
const maxWaiting = 32;
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
const maxMemoryMb = 512;

export interface YamlThread {
  readonly read: ReadLargeYaml;
  /** Refuses what waits and ends the thread. */
  close(): Promise<void>;
}

/**
 * Creates a thread that reads large policy files one after another. The library reads a text in one go, and a megabyte
 * of it would block every request of the process for a second. The first such file starts the thread, and a while
 * without any ends it.
 */
export function createYamlThread(onError: (error: unknown) => void): YamlThread {
  const queue = createThreadQueue<Omit<ToYamlThread, 'id'>, FromYamlThread, ReadYaml>({
    program: new URL('./yaml-thread.ts', import.meta.url),
    maxWaiting,
    hangsAfterMs,
    idleMs,
    maxMemoryMb,
    resultOf: ({ read }) => read,
    lossOf: (failure) => (failure === null ? new AppError('unavailable', { retryAfterSeconds: 1 }) : failure.cause),
    onError,
  });
  return { read: (text) => queue.run({ text }), close: queue.close };
}
