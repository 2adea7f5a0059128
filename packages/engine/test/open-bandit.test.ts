import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTurn, sized } from '../../../test/form.ts';
import { compile, decide, type Json, wilson } from '../src/index.ts';
import { readCase } from './conformance/case.ts';

// The Open Bandit Dataset (small version, campaign "men", CC BY 4.0) has the clicks of a shop that showed its 34 items
// uniformly at random. A bandit of ours, which shows what it takes for best, meets the same clicks. What it stored of its
// picks must bring the click-through of the uniform shop back.

const file = fileURLToPath(new URL('../../../../shared/data/open-bandit/random.csv', import.meta.url));
const skip = existsSync(file) ? false : 'the Open Bandit Dataset is not on this machine (../shared/data/open-bandit)';

interface Log {
  /** Clicks by item, in the order in which they were logged. */
  readonly clicks: ReadonlyMap<string, readonly number[]>;
  readonly hits: number;
  readonly total: number;
}

function readLog(): Log {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = header.split(',');
  const clicks = new Map<string, number[]>();
  let hits = 0;
  for (const line of lines) {
    const row = line.split(',');
    const click = Number(row[names.indexOf('click')]);
    const item = `item-${row[names.indexOf('item_id')]}`;
    const known = clicks.get(item) ?? [];
    known.push(click);
    clicks.set(item, known);
    hits += click;
  }
  return { clicks, hits, total: lines.length };
}

const rounds = sized('OPEN_BANDIT_ROUNDS', { short: 60_000, long: 300_000 });
/** Rounds between two published states, as decisions see them. */
const published = 500;

test(
  "a bandit's stored probabilities recover the click-through of uniform random logging",
  skip === false ? inTurn('random logging', 3) : { skip },
  (t) => {
    const { clicks, hits, total } = readLog();
    const items = [...clicks.keys()].sort();
    assert.deepEqual([items.length, total], [34, 10_000]);
    const read = readCase(
      JSON.parse(
        JSON.stringify({
          ...{ name: 'shop', expect: {}, offers: items.map((id) => ({ id })), request: { limit: 1 } },
          models: [{ key: 'm', modelType: 'epsilon_greedy' }],
          nodes: [
            { id: 'i', type: 'inventory' },
            { id: 'c', type: 'match_creatives' },
            { id: 's', type: 'score', config: { method: 'propensity', modelKey: 'm' } },
          ],
        }),
      ),
    );
    const plan = compile(read.snapshot);
    const input = read.input(plan);
    const arms: Record<string, { totalReward: number; pulls: number }> = {};
    let state: Json = { arms: {}, epsilon: 0.3, decayRate: 0, totalPulls: 0 };
    const turns = new Map<string, number>();
    /** Each click, divided by the chance of its item, times what the uniform shop would give it. */
    let weighed = 0;
    let clicked = 0;
    for (let round = 0; round < rounds; round++) {
      if (round % published === 0)
        state = { arms: structuredClone(arms), epsilon: 0.3, decayRate: 0, totalPulls: round };
      const seed = (round * 2_654_435_761).toString(16).padStart(32, '0');
      const { items: shown } = decide(plan, { ...input, seed, modelStates: { m: { hash: 'x', state } } });
      const { offerId, selection } = shown[0]!;
      assert.equal(selection.estimated, false);
      const logged = clicks.get(offerId)!;
      const turn = turns.get(offerId) ?? 0;
      turns.set(offerId, turn + 1);
      const click = logged[turn % logged.length]!;
      const arm = arms[offerId] ?? { totalReward: 0, pulls: 0 };
      arms[offerId] = { totalReward: arm.totalReward + click, pulls: arm.pulls + 1 };
      weighed += click / selection.probability / items.length;
      clicked += click;
    }
    const interval = wilson({ hits, total })!;
    const estimate = weighed / rounds;
    const told = `${estimate} estimated, ${hits / total} logged, ${interval.lower} to ${interval.upper}`;
    t.diagnostic(told);
    assert.ok(estimate > interval.lower && estimate < interval.upper, told);
    // The bandit's own click-through is another: it learned.
    assert.ok(clicked / rounds > interval.upper, `${clicked / rounds} beside ${told}`);
  },
);
