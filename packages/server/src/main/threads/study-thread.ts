// The program of a thread that works on studies (study-threads.ts), over a connection of its own.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createDatabase } from '../../db/index.ts';
import { createCustomerKeys } from '../../features/deciding/customer-states/index.ts';
import { type CallSignalMemory, createCallSignal } from '../../features/deciding/decisions/index.ts';
import { createSteps, type StudyStep, type StudyStepResult } from '../../features/deciding/studies/index.ts';
import { lowerPriority } from './low-priority.ts';
import { createPace } from './pace.ts';
import { threadClock } from './thread-clock.ts';

export interface StudyThreadData {
  readonly url: string;
  readonly pooled: boolean;
  readonly isCluster: boolean;
  readonly masterKeys: readonly Uint8Array[];
  readonly callMemory: CallSignalMemory;
}

export interface ToStudyThread {
  readonly id: number;
  readonly step: StudyStep;
  /** Two flags: 1 to pause, 1 to stop. */
  readonly flags: Int32Array<SharedArrayBuffer>;
}

export type FromStudyThread =
  | { readonly id: number; readonly kind: 'done'; readonly result: StudyStepResult }
  | { readonly id: number; readonly kind: 'failed'; readonly code: string | null; readonly message: string };

/** Indexes of the flags. */
export const pauseFlag = 0;
export const stopFlag = 1;

/** A pause ends after this time, so that a study makes progress in a process that is always busy. */
const longestPauseMs = 2_000;
const checkEveryMs = 50;
/** How long a thread works before it looks whether requests need the processor. */
const sliceMs = 50;

/** Returns the `pauseIfBusy` of a step. */
function createPause(flags: ToStudyThread['flags'], callMemory: CallSignalMemory): () => Promise<void> {
  const rest = (ms: number): void => void Atomics.wait(flags, stopFlag, 0, ms);
  let pausedMs = 0;
  // The pace is that of the work, so pauses don't count.
  const workClock = (): number => performance.now() - pausedMs;
  const pace = createPace(createCallSignal(callMemory, threadClock), rest, workClock);
  let since = performance.now();
  return async () => {
    if (performance.now() - since >= sliceMs) {
      pausedMs += pauseWhilePressed(flags);
      pace();
      since = performance.now();
    }
    if (Atomics.load(flags, stopFlag) === 1) throw new Error('the study was stopped');
  };
}

/** Waits while the flag says so. Returns the time in ms. */
function pauseWhilePressed(flags: ToStudyThread['flags']): number {
  const from = performance.now();
  const isPaused = (): boolean => Atomics.load(flags, pauseFlag) === 1 && Atomics.load(flags, stopFlag) === 0;
  while (isPaused() && performance.now() - from < longestPauseMs) Atomics.wait(flags, pauseFlag, 1, checkEveryMs);
  return performance.now() - from;
}

function run({ url, pooled, isCluster, masterKeys, callMemory }: StudyThreadData): void {
  lowerPriority();
  const database = createDatabase({
    url,
    pooled,
    isCluster,
    poolMax: 1,
    acquireTimeoutMs: 10_000,
    statementTimeoutMs: 60_000,
  });
  const keys = createCustomerKeys(masterKeys.map((key) => Buffer.from(key)));
  const doStep = createSteps({ database, keys });
  parentPort?.on('message', async ({ id, step, flags }: ToStudyThread) => {
    const reply = (message: FromStudyThread): void => parentPort?.postMessage(message);
    try {
      reply({ id, kind: 'done', result: await doStep(step, createPause(flags, callMemory)) });
    } catch (error) {
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
      reply({
        id,
        kind: 'failed',
        code,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  });
}

if (!isMainThread && parentPort !== null) run(workerData as StudyThreadData);
