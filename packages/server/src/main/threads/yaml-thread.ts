// The program of a thread that reads large policy files (yaml-threads.ts).
import { isMainThread, parentPort } from 'node:worker_threads';
import { type ReadYaml, readYaml } from '../../platform/read-yaml.ts';

/** To the thread: a file's text. */
export interface ToYamlThread {
  readonly id: number;
  readonly text: string;
}

export interface FromYamlThread {
  readonly id: number;
  readonly read: ReadYaml;
}

if (!isMainThread) {
  parentPort?.on('message', ({ id, text }: ToYamlThread) => {
    const answer: FromYamlThread = { id, read: readYaml(text) };
    parentPort?.postMessage(answer);
  });
}
