import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReasons } from '@arbiter/engine';
import { emptyCodes } from './empty-codes.ts';

test('each reason of the engine has a unique number that fits the column', () => {
  const codes = emptyReasons.map((reason) => emptyCodes[reason]);
  assert.deepEqual(Object.keys(emptyCodes).sort(), [...emptyReasons].sort());
  assert.equal(new Set(codes).size, emptyReasons.length);
  for (const code of codes) assert.ok(Number.isInteger(code) && code > 0 && code < 32_768);
});

test('numbers stored in records keep their meaning', () => {
  assert.deepEqual(
    [emptyCodes.no_channel, emptyCodes.inventory, emptyCodes.contact_policy, emptyCodes.coupling],
    [1, 4, 9, 14],
  );
});
