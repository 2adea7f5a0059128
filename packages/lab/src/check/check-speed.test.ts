import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, type SnapshotPolicy, type SnapshotRule } from '@arbiter/engine';
import { chanceOf, randomTest, randomWorld, utcClock } from '../../../engine/src/why-not/test-world.ts';
import { checkCatalogue } from './check.ts';

const now = Date.UTC(2026, 2, 10, 12);

test('checks 1,000 offers, 200 rules and 100 policies within 2 seconds of processor time', () => {
  const chance = chanceOf(11);
  const { snapshot: world } = randomWorld(chance, 1000);
  const scopeOf = (at: number) =>
    at % 10 === 0 ? { scope: 'category', scopeId: 'cards' } : { scope: 'offer', scopeId: chance.pick(world.offers).id };
  const rules = Array.from({ length: 200 }, (_, at): SnapshotRule => {
    const { field, ...compared } = randomTest(chance);
    return {
      id: `rule-${at}`,
      name: `Rule ${at}`,
      ruleType: 'attribute_condition',
      config: { attribute: field, ...compared },
      scopes: [scopeOf(at)],
      priority: 50,
      stage: 'eligibility',
      createdAt: at,
    };
  });
  const policies = Array.from({ length: 100 }, (_, at): SnapshotPolicy => {
    const config = chance.pick<SnapshotPolicy['config']>([{ maxPerDay: 1 }, { maxPerWeek: 3 }]);
    return {
      id: `policy-${at}`,
      name: `Policy ${at}`,
      ruleType: 'frequency_cap',
      config,
      scopes: [scopeOf(at)],
      priority: 50,
      createdAt: at,
    };
  });
  const snapshot = { ...world, rules, policies };
  const plan = compile(snapshot);
  // On a busy machine the first attempt may take longer, which shows nothing.
  const times: number[] = [];
  while (times.length < 3 && !times.some((ms) => ms <= 2000)) {
    const before = process.cpuUsage();
    const { coverage } = checkCatalogue({ snapshot, plan, now, clockAt: utcClock });
    assert.equal(coverage.offers, 1000);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  assert.ok(Math.min(...times) <= 2000, `${times.map(Math.round).join(', ')} ms`);
});
