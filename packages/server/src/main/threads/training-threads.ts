import type { TrainedModel } from '@arbiter/engine';
import type { CallSignalMemory } from '../../features/deciding/decisions/index.ts';
import type { TrainInThread } from '../../features/deciding/model-training/index.ts';
import { createThreadQueue } from './thread-queue.ts';
import type { FromTrainingThread, ToTrainingThread } from './training-thread.ts';

/** Trainings that may wait in one process. Workers run few jobs at a time. */
const maxWaiting = 16;
/** 500 trees on 200,000 rows take minutes on a busy machine. Longer than this means it hangs. */
const hangsAfterMs = 1_800_000;
/** The thread ends after this idle time and frees its memory. */
const idleMs = 10_000;
/** A limit of its own, so that a training that needs too much ends the thread and not the server. */
const maxMemoryMb = 2_048;

export interface TrainingThread {
  readonly train: TrainInThread;
  /** Refuses what waits and ends the thread. */
  close(): Promise<void>;
}

/** Creates a thread that trains models one after another: seconds of computing, which would block every request. */
export function createTrainingThread(onError: (error: unknown) => void, callMemory: CallSignalMemory): TrainingThread {
  const queue = createThreadQueue<Omit<ToTrainingThread, 'id'>, FromTrainingThread, TrainedModel>({
    program: new URL('./training-thread.ts', import.meta.url),
    ...{ maxWaiting, hangsAfterMs, idleMs, maxMemoryMb },
    resultOf(reply) {
      if (reply.kind === 'failed') throw new Error(`training failed: ${reply.message}`);
      return reply.trained;
    },
    lossOf: (failure) => new Error('the thread that trained the model ended', failure ?? {}),
    onError,
  });
  return {
    train(training) {
      const progress = new Float64Array(new SharedArrayBuffer(8));
      const stopped = new Int32Array(new SharedArrayBuffer(4));
      return {
        result: queue.run({ training, progress, stopped, callMemory }),
        progress: () => Math.min(1, Math.max(0, progress[0] ?? 0)),
        stop() {
          Atomics.store(stopped, 0, 1);
          Atomics.notify(stopped, 0);
        },
      };
    },
    close: queue.close,
  };
}
