import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

function paced(hasCalls: () => boolean) {
  const rests: number[] = [];
  let now = 0;
  const sleep = (ms: number): void => {
    rests.push(ms);
    now += ms;
  };
  const pauseIfBusy = createPace({ isRecent: hasCalls }, sleep, () => now);
  return {
    rests,
    work(ms: number): void {
      now += ms;
      pauseIfBusy();
    },
  };
}

test('rests three times as long as it worked while calls are decided', () => {
  const { rests, work } = paced(() => true);
  for (const ms of [10, 10, 40]) work(ms);
  assert.deepEqual(rests, [30, 30, 120]);
});

test('rests at most a second', () => {
  const { rests, work } = paced(() => true);
  work(2_000);
  assert.deepEqual(rests, [1_000]);
});

test("doesn't rest without calls, or for work done before them", () => {
  let hasCalls = false;
  const { rests, work } = paced(() => hasCalls);
  work(100);
  hasCalls = true;
  work(20);
  assert.deepEqual(rests, [60]);
});
