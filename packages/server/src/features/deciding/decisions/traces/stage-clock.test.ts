import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStageWatch } from './stage-clock.ts';

/** Creates a stage watch with a manual clock, and collects its reports. */
function made() {
  let now = 1000;
  const reports: [string, number][] = [];
  const watch = createStageWatch(
    (stage, seconds) => void reports.push([stage, seconds]),
    () => now,
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { watch, reports, pass };
}

test('a stage gets the time since the last one; repeated stages are added up', () => {
  const { watch, reports, pass } = made();
  const clock = watch.begin(true)!;
  for (const [ms, stage, nodeId] of [
    [2, 'filter', 'a'],
    [3, 'filter', 'b'],
    [0.5, 'rank', null],
    [0.25, 'admission', null],
    [0.0004, 'rank', null],
  ] as const) {
    pass(ms);
    clock.observe(stage, nodeId);
  }
  const shown = [clock.msOf('filter', 'a'), clock.msOf('filter', 'b'), clock.msOf('rank', null), clock.msOf('x', null)];
  assert.deepEqual(shown, [2, 3, 0.5, null]);
  watch.end(clock);
  assert.deepEqual(
    reports.map(([stage, seconds]) => [stage, Math.round(seconds * 1e6)]),
    [
      ['filter', 2000],
      ['filter', 3000],
      ['rank', 500],
      ['admission', 250],
    ],
  );
});

test('times every decision whose stages are shown, and one in 32 of the others', () => {
  const { watch } = made();
  const others = Array.from({ length: 96 }, () => watch.begin(false));
  assert.equal(others.filter((clock) => clock !== null).length, 3);
  for (let i = 0; i < 40; i++) assert.notEqual(watch.begin(true), null);
  watch.end(null);
});
