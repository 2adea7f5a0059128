import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFileClock } from './file-clock.ts';

test('counts the time of tests at the top of a file, and none for what came before them', () => {
  let seconds = 5;
  const clock = createFileClock(() => ({ user: seconds * 1e6, system: 0 }));
  const run = (file: string, took: number, nesting = 0) => {
    clock.onStart({ nesting, file });
    seconds += took;
    clock.onEnd({ nesting, file });
  };
  run('a.test.ts', 2);
  run('b.test.ts', 1);
  run('b.test.ts', 4, 1);
  run('b.test.ts', 1);
  // The nested test's time is that of the suite around it.
  assert.deepEqual(clock.seconds(), { 'a.test.ts': 2, 'b.test.ts': 6 });
});
