import type { StudyLane, StudyStep, StudyStepResult, StudyThreads } from '../../features/deciding/studies/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { type FromStudyThread, pauseFlag, type StudyThreadData, stopFlag, type ToStudyThread } from './study-thread.ts';
import { createTurns } from './study-turns.ts';
import { createThreadQueue, type ThreadQueue } from './thread-queue.ts';

/** A chunk takes seconds. A thread that takes this long hangs. */
const hangsAfterMs = 600_000;
/** A thread ends after this idle time, frees its memory and closes its connection. */
const idleMs = 60_000;
/** A limit per thread, so that a study that needs too much memory ends the thread and not the server. */
const maxMemoryMb = 1_024;
/** Threads for checks, so that one doesn't wait for a chunk of another study. */
export const checkThreads = 1;
/** Maximum steps that wait for a thread. */
const maxWaiting = 64;
const checkEveryMs = 100;

export interface StudyThreadsOptions extends StudyThreadData {
  /** Threads for studies of records. Checks have another `checkThreads`. */
  readonly count: number;
  /** Whether requests need the processor or the database. */
  readonly isPressed: () => boolean;
  readonly onError: (error: unknown) => void;
}

type StudyQueue = ThreadQueue<Omit<ToStudyThread, 'id'>, StudyStepResult>;

interface Slot {
  readonly queue: StudyQueue;
  steps: number;
}

/** Creates threads that work on studies. Each starts at first use, and pauses while requests need the process. */
export function createStudyThreads(options: StudyThreadsOptions): StudyThreads & { close(): Promise<void> } {
  const slotsOf = (count: number): Slot[] =>
    Array.from({ length: count }, () => ({ queue: queueOf(options), steps: 0 }));
  const slots = { records: slotsOf(options.count), check: slotsOf(checkThreads) } satisfies Record<StudyLane, Slot[]>;
  const turns = { records: createTurns(), check: createTurns() } satisfies Record<StudyLane, unknown>;
  const running = new Set<ToStudyThread['flags']>();
  let watch: NodeJS.Timeout | null = null;
  const updateFlags = (): void => {
    const isPressed = options.isPressed() ? 1 : 0;
    for (const flags of running) {
      Atomics.store(flags, pauseFlag, isPressed);
      if (isPressed === 0) Atomics.notify(flags, pauseFlag);
    }
  };
  const run = async (step: StudyStep, flags: ToStudyThread['flags']): Promise<StudyStepResult> => {
    const slot = slots[step.lane].reduce((least, each) => (each.steps < least.steps ? each : least));
    slot.steps += 1;
    running.add(flags);
    watch ??= setInterval(updateFlags, checkEveryMs).unref();
    try {
      return await slot.queue.run({ step, flags });
    } finally {
      slot.steps -= 1;
      running.delete(flags);
      if (running.size === 0 && watch !== null) {
        clearInterval(watch);
        watch = null;
      }
    }
  };
  return {
    count: options.count,
    claim: (tenantId, lane) => turns[lane].claim(tenantId),
    start(step) {
      const flags = new Int32Array(new SharedArrayBuffer(8));
      return {
        result: run(step, flags),
        stop() {
          Atomics.store(flags, stopFlag, 1);
          Atomics.notify(flags, stopFlag);
          Atomics.notify(flags, pauseFlag);
        },
      };
    },
    async close() {
      if (watch !== null) clearInterval(watch);
      await Promise.all([...slots.records, ...slots.check].map(({ queue }) => queue.close()));
    },
  };
}

function queueOf({ url, pooled, isCluster, masterKeys, callMemory, onError }: StudyThreadsOptions): StudyQueue {
  const data: StudyThreadData = { url, pooled, isCluster, masterKeys, callMemory };
  return createThreadQueue<Omit<ToStudyThread, 'id'>, FromStudyThread, StudyStepResult>({
    program: new URL('./study-thread.ts', import.meta.url),
    ...{ data, maxWaiting, hangsAfterMs, idleMs, maxMemoryMb },
    resultOf(reply) {
      if (reply.kind === 'done') return reply.result;
      if (reply.code === 'record_corrupt')
        throw new AppError('record_corrupt', { detail: "The study's plan is missing." });
      throw new Error(`the study failed: ${reply.message}`);
    },
    lossOf: (failure) => new Error('the thread that worked on the study ended', failure ?? {}),
    onError,
  });
}
