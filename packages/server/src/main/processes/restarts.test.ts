import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEnd, noLives } from './restarts.ts';

test('restarts after early ends with growing pauses, and gives up after the sixth in a row', () => {
  const pauses: (number | null)[] = [];
  let lives = noLives;
  for (let n = 0; n < 6; n++) {
    const next = afterEnd(lives, n % 2 === 0 ? null : 59_999);
    pauses.push(next.pauseMs);
    lives = next.lives;
  }
  assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, null]);
});

test('a process that lived for a minute regains all attempts', () => {
  const afterFive = { earlyEnds: 5 };
  assert.equal(afterEnd(afterFive, 59_999).pauseMs, null);
  assert.deepEqual(afterEnd(afterFive, 60_000), { lives: noLives, pauseMs: 100 });
});
