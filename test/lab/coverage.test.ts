import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../form.ts';
import { coverageOf, hasSupport, trueValue, worlds } from './worlds.ts';

// A small share of `npm run lab:proof`, which measures coverage itself: here no verdict may be wrong in kind.

/** Logs of each world. */
const logs = sized('LAB_LOGS', { short: 3, long: 50 });

let covered = 0;
let ok = 0;
for (const world of worlds) {
  test(`${world.name}: ${hasSupport(world) ? 'the interval contains the true value' : 'never ok'}`, () => {
    const found = coverageOf(world, logs, 'test');
    if (!hasSupport(world)) {
      assert.equal(found.ok, 0);
      return;
    }
    ok += found.ok;
    covered += found.covered;
    assert.ok(found.refused < logs || logs < 10, `${found.refused} of ${logs} were refused`);
    assert.ok(Math.abs(found.mean - trueValue(world)) < 0.35 * trueValue(world), `${found.mean}`);
  });
}

test('over all worlds, nearly all intervals contain the true value', () => {
  assert.ok(ok >= worlds.length, `${ok} verdicts were ok`);
  // Of 30 intervals at 95 %, fewer than 24 cover once in 10,000 times.
  assert.ok(covered / ok >= 0.8, `${covered} of ${ok}`);
});
