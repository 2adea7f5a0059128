import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { orAborted } from './deadline.ts';

test('the promise settles first', async () => {
  const { signal } = new AbortController();
  assert.equal(await orAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(orAborted(Promise.reject(new Error('no')), signal), /^Error: no$/);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('the signal aborts first', async () => {
  const controller = new AbortController();
  const never = new Promise<never>(() => undefined);
  const waits = orAborted(never, controller.signal);
  controller.abort(new Error('left'));
  await assert.rejects(waits, /^Error: left$/);
  await assert.rejects(orAborted(never, controller.signal), /^Error: left$/);
});

test('releases results while the signal lasts', async () => {
  const { signal } = new AbortController();
  const results: WeakRef<object>[] = [];
  for (let round = 0; round < 100; round += 1) {
    const result = { round };
    results.push(new WeakRef(result));
    await orAborted(Promise.resolve(result), signal);
  }
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // A weak reference holds its object until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const held = results.filter((each) => each.deref() !== undefined).length;
  assert.ok(held <= 1, `${held} of 100 results are still in memory`);
  assert.equal(signal.aborted, false);
});
