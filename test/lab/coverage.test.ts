import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, sized } from '../form.ts';
import { coverageOf, hasSupport, trueValue, worlds } from './worlds.ts';

// A small share of `npm run lab:proof`, which measures coverage itself: here no verdict may be wrong in kind.

/** Logs of each world. */
const logs = sized('LAB_LOGS', { short: 3, long: 50 });

const shares = 3;

let ran = 0;
let covered = 0;
let ok = 0;
for (const world of worlds) {
  const name = `${world.name}: ${hasSupport(world) ? 'the interval contains the true value' : 'never ok'}`;
  test(name, inTurn(world.name, shares), () => {
    const found = coverageOf(world, logs, 'test');
    if (!hasSupport(world)) {
      assert.equal(found.ok, 0);
      return;
    }
    ran += 1;
    ok += found.ok;
    covered += found.covered;
    assert.ok(found.refused < logs || logs < 10, `${found.refused} of ${logs} were refused`);
    assert.ok(Math.abs(found.mean - trueValue(world)) < 0.35 * trueValue(world), `${found.mean}`);
  });
}

test('over the worlds, nearly all intervals contain the true value', () => {
  assert.ok(ok >= ran, `${ok} verdicts were ok`);
  // Of 30 intervals at 95 %, fewer than 24 cover once in 10,000 times.
  assert.ok(covered / ok >= 0.8, `${covered} of ${ok}`);
});
