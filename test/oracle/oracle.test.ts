import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '@arbiter/engine';
import { sized } from '../form.ts';
import { differences } from './compare.ts';
import { expected } from './oracle.ts';
import { randomWorld } from './random/random-world.ts';
import { reached } from './reached.ts';

const worlds = sized('ORACLE_WORLDS', { short: 300, long: 10_000 });
const plain = Math.ceil(worlds / 2);
/** Index of the first world, to run many of them in pieces. */
const first = Number(process.env.ORACLE_FIRST ?? 0);

function hold(features: boolean, worlds: number) {
  const counts: Record<string, number> = {};
  let [close, items] = [0, 0];
  for (let number = first; number < first + worlds; number++) {
    const world = randomWorld(String(number), features);
    const decision = decide(world.plan, world.input, { trace: true });
    const wanted = expected(world);
    const found = wanted.isClose ? [] : differences(decision, wanted);
    // The choice among allocations of equal value may depend on the last bits of their sums.
    if (wanted.isClose || (wanted.isTied && found.length > 0)) close += 1;
    else assert.deepEqual(found, [], `world ${number}`);
    items += decision.items.length;
    for (const name of reached(world.snapshot, decision, wanted)) counts[name] = (counts[name] ?? 0) + 1;
  }
  assert.ok(close <= 1 + worlds / 100, `${close} worlds stood too close to tell`);
  return { counts, items };
}

test(`the engine decides like an oracle written from the design pages, over ${plain} random catalogues`, () => {
  const { items } = hold(false, plain);
  assert.ok(items > plain, `only ${items} items in ${plain} answers`);
});

test(`the same with every node, called flows, models, objectives and groups, over ${worlds} catalogues`, (t) => {
  const { counts, items } = hold(true, worlds);
  t.diagnostic(JSON.stringify(Object.fromEntries(Object.entries(counts).sort())));
  assert.ok(items > 0.9 * worlds, `only ${items} items in ${worlds} answers`);
  for (const name of worlds < 2_000 ? wantedNames : [...wantedNames, ...rareNames])
    assert.ok((counts[name] ?? 0) * 500 >= worlds, `${name} was reached in ${counts[name] ?? 0} of ${worlds} worlds`);
});

const wantedNames = [
  ...['skipped', 'stage conditional', 'stage call_flow', 'stage called inventory', 'stage called qualify'],
  ...['stage called score', 'stage called contact_policy'],
  ...['called inner', 'called outer', 'called ring', 'called link5', 'left: sub_flow_unavailable'],
  ...['stage extension_point', 'left: extension_point'],
  ...['formula pre_score', 'formula score_override', 'formula post_rank'],
  ...['group greedy', 'group optimal', 'empty placement of a group', 'optimize blend', 'optimize replace'],
  ...['rank topN', 'rank diversity', 'rank round_robin', 'rank explore_exploit', 'explored', 'equal scores'],
  ...['P by request', 'P by model', 'P by offer', 'P by offer_blend', 'P by category', 'P by global', 'P by default'],
  ...['model scorecard', 'model thompson_bandit', 'model epsilon_greedy', 'chance estimated'],
  ...['champion or challenger', 'control group', 'mandatory'],
  ...['left: budget', 'left: contact_policy', 'left: suppressed', 'left: qualification', 'left: filter', 'left: stock'],
  ...['left: min_propensity', 'left: min_score', 'left: coupling', 'left: cut'],
  ...['compute errors', 'properties', 'empty answer'],
];

/** Too rare for a short run. */
const rareNames = [
  ...['model bayesian', 'model logistic_regression', 'model online_learner'],
  ...['model gradient_boosted', 'model external_endpoint'],
  ...['stage called optimize', 'stage called rank', 'challenger falls back', 'degraded', 'left: call_flow'],
  ...['left: conditional', 'left: enrich', 'left: quota', 'left: mandatory_cap'],
];
