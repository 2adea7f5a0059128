// The program of a thread that trains models (training-threads.ts). It holds the rows of one training.
import { isMainThread, parentPort } from 'node:worker_threads';
import { type TrainedModel, trainModel } from '@arbiter/engine';
import { type CallSignalMemory, createCallSignal } from '../../features/deciding/decisions/index.ts';
import { readRows, type ThreadTraining } from '../../features/deciding/model-training/index.ts';
import { lowerPriority } from './low-priority.ts';
import { createPace } from './pace.ts';
import { threadClock } from './thread-clock.ts';

/** To the thread: a training. */
export interface ToTrainingThread {
  readonly id: number;
  readonly training: ThreadTraining;
  /** One number: the finished part. */
  readonly progress: Float64Array<SharedArrayBuffer>;
  /** One flag, set to 1 to stop. */
  readonly stopped: Int32Array<SharedArrayBuffer>;
  readonly callMemory: CallSignalMemory;
}

export type FromTrainingThread =
  | { readonly id: number; readonly kind: 'ended'; readonly trained: TrainedModel }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };

function answer({ id, training, progress, stopped, callMemory }: ToTrainingThread): FromTrainingThread {
  const { modelType, config, params, seed } = training;
  const pace = createPace(createCallSignal(callMemory, threadClock), (ms) => void Atomics.wait(stopped, 0, 0, ms));
  const pauseIfBusy = (): void => {
    pace();
    if (Atomics.load(stopped, 0) === 1) throw new Error('the training was stopped');
  };
  try {
    const rows = readRows(training.rows, pauseIfBusy);
    const trained = trainModel({ model: { modelType, config }, rows, params, seed }, (share) => {
      progress[0] = share;
      pauseIfBusy();
    });
    return { id, kind: 'ended', trained };
  } catch (error) {
    return { id, kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (!isMainThread) {
  lowerPriority();
  parentPort?.on('message', (message: ToTrainingThread) => parentPort?.postMessage(answer(message)));
}
