import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns, mapInTurns, oneTurn, takeTurns } from './turns.ts';

/** A clock that only moves when told to. */
function handClock() {
  const clock = { ms: 0, now: () => clock.ms };
  return clock;
}

test('a turn ends after some milliseconds, and lets others run', async () => {
  const clock = handClock();
  const turns = takeTurns(clock.now);
  let others = 0;
  assert.equal(turns(), undefined);
  clock.ms += 3;
  assert.equal(turns(), undefined);
  clock.ms += 1;
  setImmediate(() => {
    others += 1;
  });
  await turns();
  assert.equal(others, 1);
  assert.equal(turns(), undefined, 'the next turn is a whole one');
});

test('a turn measured separately takes as long', () => {
  const clock = handClock();
  const isOver = oneTurn(clock.now);
  clock.ms += 3;
  assert.ok(!isOver());
  clock.ms += 1;
  assert.ok(isOver());
});

test('work that yields completes, in many turns', async () => {
  const clock = handClock();
  function* work(): Generator<void, string> {
    for (let i = 0; i < 10; i++) {
      clock.ms += 3;
      yield;
    }
    return 'done';
  }
  let turns = 0;
  let going = true;
  const count = (): void => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  assert.equal(await inTurns(work(), takeTurns(clock.now)), 'done');
  going = false;
  assert.equal(turns, 5);
});

test('an error of the work is thrown as it is', async () => {
  function* broken(): Generator<void, never> {
    yield;
    throw new Error('broken');
  }
  await assert.rejects(inTurns(broken()), /broken/);
});

test('maps in order', async () => {
  assert.deepEqual(await mapInTurns([1, 2, 3], (n) => n * 2), [2, 4, 6]);
});
