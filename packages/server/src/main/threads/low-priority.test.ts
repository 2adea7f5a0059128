import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('lowers only the priority of its own thread', { skip: process.platform !== 'linux' }, async () => {
  const before = getPriority();
  const module = new URL('./low-priority.ts', import.meta.url).href;
  const worker = new Worker(
    `const { getPriority } = require('node:os');
     import('${module}').then(({ lowerPriority }) => {
       lowerPriority();
       require('node:worker_threads').parentPort.postMessage(getPriority());
     });`,
    { eval: true },
  );
  const lowered = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.equal(lowered, 10);
  assert.equal(getPriority(), before);
});
