import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, decide, foldContacts } from '@arbiter/engine';
import { chanceOf, randomWorld, utcClock } from '../../../engine/src/why-not/test-world.ts';
import { testOfDecision } from './from-decision.ts';
import { openBench } from './run-test.ts';
import { clocks } from './test-bank.ts';

/** A decision of a random world, as a record holds it. */
function recordedDecision(seed: number) {
  const world = randomWorld(chanceOf(seed));
  const snapshot = { ...world.snapshot, flow: { ...world.snapshot.flow } };
  const plan = compile({
    ...snapshot,
    flow: { ...snapshot.flow, config: { ...snapshot.flow.config, flowConfig: {} } },
  });
  const clock = utcClock('UTC', world.now);
  const input = {
    now: world.now,
    seed: '0'.repeat(32),
    zones: { UTC: clock },
    request: { ...world.request, placement: null, excludeCreatives: [], segments: [] },
    known: true,
    profile: world.profile,
    enriched: {},
    segments: world.segments,
    contacts: foldContacts({ ...world.contacts, reservations: [] }, plan.windows, world.now, clock, {
      longestCooldownMs: plan.longestCooldownMs,
    }),
    suppressions: [],
    evidence: { number: 0, offer: () => [0, 0] as const, category: () => [0, 0] as const, global: [0, 0] as const },
  };
  const names = new Map(snapshot.offers.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string | null =>
    names.get(id) ?? snapshot.channels.find((each) => each.id === id)?.name ?? null;
  return { snapshot, plan, recorded: { plan, input, decision: decide(plan, input), nameOf } };
}

test('a test of a decision with all its values passes, whatever the customer saw before', () => {
  const count = { items: 0, contacts: 0, empty: 0 };
  for (let seed = 1; seed <= 200; seed++) {
    const { snapshot, plan, recorded } = recordedDecision(seed);
    const { given, expect } = testOfDecision(recorded, true);
    const bench = openBench(snapshot, plan, {}, clocks);
    const result = bench.run(bench.prepare({ name: `seed ${seed}`, given, expect }));
    assert.equal(result.status, 'passed', `seed ${seed}: ${JSON.stringify([given, result])}`);
    count.items += result.items.length;
    count.contacts += given.contacts?.length ?? 0;
    count.empty += result.emptyReason === null ? 0 : 1;
  }
  assert.ok(count.items > 150 && count.contacts > 300 && count.empty > 10, JSON.stringify(count));
});

test('copies values only when asked to, and names those that it leaves out', () => {
  const { recorded } = recordedDecision(3);
  const input = {
    ...recorded.input,
    profile: { age: 31, tier: 'gold' },
    request: { ...recorded.input.request, attributes: { page: 'secret page', other: 1 } },
  };
  const plan = {
    ...recorded.plan,
    profileFields: ['age', 'tier'],
    reads: { ...recorded.plan.reads, attributes: ['page'] },
  };
  const without = testOfDecision({ ...recorded, plan, input }, false);
  assert.deepEqual(without.leftOut, ['customer.age', 'customer.tier', 'attributes.page']);
  assert.deepEqual([without.given.customer, without.given.attributes], [{}, undefined]);
  assert.doesNotMatch(JSON.stringify(without), /secret|gold|31/);
  const copied = testOfDecision({ ...recorded, plan, input }, true);
  assert.deepEqual(
    [copied.given.customer, copied.given.attributes],
    [{ age: 31, tier: 'gold' }, { page: 'secret page' }],
  );
  assert.deepEqual(copied.leftOut, []);
});

test('names state that no test can give', () => {
  const { recorded } = recordedDecision(3);
  const input = { ...recorded.input, soldOut: ['offer-000'], modelStates: { m: { hash: 'h', state: {} } } };
  assert.deepEqual(testOfDecision({ ...recorded, input }, true).leftOut, ['stock', 'models']);
});
