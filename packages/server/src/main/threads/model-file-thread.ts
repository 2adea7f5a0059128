// The program of a thread that reads model files (model-file-threads.ts).
import { isMainThread, parentPort } from 'node:worker_threads';
import type { ModelImport } from '@arbiter/contract';
import { type ModelPlace, type PreparedImport, prepareImport } from '../../features/catalogue/models/index.ts';
import { lowerPriority } from './low-priority.ts';

/** To the thread: the body of an import. */
export interface ToModelFileThread {
  readonly id: number;
  readonly sent: ModelImport;
  readonly place: ModelPlace;
}

export interface FromModelFileThread {
  readonly id: number;
  readonly prepared: PreparedImport;
}

if (!isMainThread) {
  lowerPriority();
  parentPort?.on('message', ({ id, sent, place }: ToModelFileThread) => {
    const answer: FromModelFileThread = { id, prepared: prepareImport(sent, place) };
    parentPort?.postMessage(answer);
  });
}
