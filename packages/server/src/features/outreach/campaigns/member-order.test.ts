import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareText, h32 } from '@arbiter/engine';
import { inOrder } from './freeze-run.service.ts';

test('orders members by a hash with the run, each once, however many there are', async () => {
  for (const count of [0, 1, 999, 5_003]) {
    const ids = Array.from({ length: count }, (_, at) => `C-${at}`);
    const wanted = ids
      .map((id) => ({ id, hash: h32(`run:${id}`) }))
      .sort((a, b) => a.hash - b.hash || compareText(a.id, b.id))
      .map(({ id }) => id);
    assert.deepEqual(await inOrder('run', [...ids, ...ids.slice(0, 7)]), wanted);
  }
});

test('orders them differently for each run', async () => {
  const ids = Array.from({ length: 50 }, (_, at) => `C-${at}`);
  assert.notDeepEqual(await inOrder('one', ids), await inOrder('two', ids));
});
