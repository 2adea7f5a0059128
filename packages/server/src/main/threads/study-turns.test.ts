import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busySeconds } from '../../features/deciding/studies/index.ts';
import { createTurns } from './study-turns.ts';

test('tenants take turns, whoever asks first when a study ends', () => {
  const { claim } = createTurns(() => 0);
  const first = claim('a')!;
  assert.equal(claim('b'), null);
  first();
  // The next study of the same tenant is there at once, the other tenant asks again seconds later.
  assert.equal(claim('a'), null);
  const second = claim('b')!;
  assert.equal(claim('c'), null);
  second();
  assert.equal(claim('b'), null);
  assert.equal(claim('a'), null);
  const third = claim('c')!;
  third();
  assert.equal(claim('b'), null);
  claim('a')!();
  assert.notEqual(claim('b'), null);
});

test('a tenant that stops asking delays nobody', () => {
  let now = 0;
  const { claim } = createTurns(() => now);
  const first = claim('a')!;
  assert.equal(claim('b'), null);
  first();
  assert.equal(claim('a'), null);
  now = 3 * busySeconds * 1_000 + 1;
  const again = claim('a');
  assert.notEqual(again, null);
  again!();
  assert.notEqual(claim('a'), null);
});
