import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, decide, type ZoneClock } from '../src/index.ts';
import { chanceOf } from './corpus/chance.ts';
import { randomExternal, withBranches } from './corpus/random-branches.ts';
import { randomInput } from './corpus/random-input.ts';
import { randomModelInput, withModels } from './corpus/random-models.ts';
import { randomSnapshot } from './corpus/random-plan.ts';
import { unpackInput } from './corpus/record.ts';

/** A survey of flows that branch, call each other and ask webhooks lets in whom their decisions let in. */

const dayMs = 86_400_000;
const zoneClock = (_zone: string, now: number): ZoneClock => {
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const week = { weekStart: dayStart - 3 * dayMs, weekEnd: dayStart + 4 * dayMs };
  const month = { monthStart: dayStart - 9 * dayMs, monthEnd: dayStart + 20 * dayMs };
  const day = { dayStart, dayEnd: dayStart + dayMs, days30Start: dayStart - 29 * dayMs };
  return {
    ...day,
    ...week,
    ...month,
    date: '2026-03-10',
    hour: 12,
    minute: 0,
    second: 0,
    weekday: 2,
    offsets: [[0, 0]],
  };
};

test('a survey adds, blocks and rescores the same offers as called flows', () => {
  const stages = new Map<string, number>();
  let came = 0;
  for (let at = 0; at < 150; at++) {
    const chance = chanceOf('0'.repeat(32), `survey ${at}`);
    const branching = withBranches(
      chance,
      randomSnapshot(chance, () => []),
    );
    const snapshot = at % 3 === 0 ? withModels(chance, branching) : branching;
    const plan = compile(snapshot);
    for (let number = 0; number < 4; number++) {
      const external = randomExternal(chance, snapshot, plan);
      const asked = unpackInput(randomInput(chance, snapshot, plan, number, zoneClock));
      const request = { ...asked.request, placements: null };
      const input = {
        ...asked,
        request,
        ...(external === undefined ? {} : { external }),
        ...randomModelInput(chance, snapshot, plan, () => ''),
      };
      const decided = decide(plan, input, { trace: true });
      const { trace: survey, items } = decide(plan, input, { survey: true });
      assert.ok(decided.trace && survey);
      assert.deepEqual(items, []);
      const label = `catalogue ${at}, decision ${number}`;
      assert.deepEqual(survey.scoringResults, decided.trace.scoringResults, label);
      // An offer in the answer was not refused by any gate that counts.
      const refused = new Set(survey.dropped.map(({ offerId }) => offerId));
      for (const { offerId, mandatory } of decided.items) {
        if (mandatory) continue;
        assert.ok(!refused.has(offerId), `${label}: ${offerId}`);
        if (decided.trace.dropped.some((row) => row.offerId === offerId)) came += 1;
      }
      for (const { stage } of survey.pipeline) stages.set(stage, (stages.get(stage) ?? 0) + 1);
    }
  }
  for (const wanted of ['call_flow', 'call_flow:inner/score', 'call_flow:outer/rank', 'extension_point']) {
    assert.ok((stages.get(wanted) ?? 0) >= 5, `${wanted}: ${stages.get(wanted) ?? 0}`);
  }
  assert.ok(came >= 5, `${came} offers were refused by the caller and came by a called flow`);
});
