// What the policy compiler takes for a large catalogue: 1,000 offers, 200 rules and 100 policies; and 1,000 decision
// tests on it. Run alone with `node test/load/engine/check-bench.ts`.
import { compile, type Snapshot, type SnapshotPolicy, type SnapshotRule } from '@arbiter/engine';
import { checkCatalogue, type DecisionTest, openBench, type TestBench } from '@arbiter/lab';
import {
  type Chance,
  chanceOf,
  randomTest,
  randomWorld,
  utcClock,
} from '../../../packages/engine/src/why-not/test-world.ts';
import { median } from '../bench/bench-load.ts';
import { n0, type Row } from '../bench/bench-report.ts';

const checkBarMs = 2000;
const testBarMs = 1000;
const testCount = 1000;
const now = Date.UTC(2026, 2, 10, 12);

/** Checks and tests the catalogue this many times. Returns the medians of processor time. */
export function benchChecks(rounds: number): readonly Row[] {
  const chance = chanceOf(11);
  const snapshot = largeCatalogue(chance);
  const plan = compile(snapshot);
  const checkMs = medianMs(rounds, () => {
    const { coverage } = checkCatalogue({ snapshot, plan, now, clockAt: utcClock });
    if (coverage.offers !== snapshot.offers.length) throw new Error('not every offer was checked');
  });
  const open = () => openBench(snapshot, plan, {}, { clockAt: utcClock, isZone: (name) => name === 'UTC' });
  const opened = open();
  const tests = Array.from({ length: testCount }, (_, at) => randomDecisionTest(chance, opened, snapshot, at));
  const testMs = medianMs(rounds, () => {
    const bench = open();
    const results = tests.map((test) => bench.run(bench.prepare(test)));
    const count = (status: string): number => results.filter((result) => result.status === status).length;
    // Both sides are judged, so that the slower one is measured too.
    if (count('error') > 0 || count('passed') === 0 || count('failed') === 0) throw new Error('not every test was run');
  });
  return [
    row('policy check of 1,000 offers, 200 rules and 100 policies', checkBarMs, checkMs),
    row(`${n0(testCount)} decision tests with 1,000 offers`, testBarMs, testMs),
  ];
}

const row = (measure: string, barMs: number, ms: number): Row => ({
  measure: `${measure} (processor time)`,
  bar: `at most ${n0(barMs)} ms`,
  measured: `${n0(ms)} ms`,
  met: ms <= barMs,
});

function medianMs(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times);
}

function largeCatalogue(chance: Chance): Snapshot {
  const { snapshot: world } = randomWorld(chance, 1000);
  const scopeOf = (at: number) =>
    at % 10 === 0 ? { scope: 'category', scopeId: 'cards' } : { scope: 'offer', scopeId: chance.pick(world.offers).id };
  const shared = { priority: 50, createdAt: 0 };
  const rules = Array.from({ length: 200 }, (_, at): SnapshotRule => {
    const { field, ...compared } = randomTest(chance);
    return {
      ...shared,
      id: `rule-${at}`,
      name: `Rule ${at}`,
      ruleType: 'attribute_condition',
      config: { attribute: field, ...compared },
      scopes: [scopeOf(at)],
      stage: 'eligibility',
    };
  });
  const policies = Array.from({ length: 100 }, (_, at): SnapshotPolicy => {
    const config = chance.pick<SnapshotPolicy['config']>([{ maxPerDay: 1 }, { maxPerWeek: 3 }]);
    const scopes = [scopeOf(at)];
    return { ...shared, id: `policy-${at}`, name: `Policy ${at}`, ruleType: 'frequency_cap', config, scopes };
  });
  return { ...world, rules, policies };
}

/**
 * A customer with a few contacts. An offer of their answer is expected, and that a rule drops one of its own offers, which
 * it does for some.
 */
function randomDecisionTest(chance: Chance, bench: TestBench, { offers, rules }: Snapshot, at: number): DecisionTest {
  const offer = (): string => chance.pick(offers).name;
  const instant = (hoursAgo: number): string => new Date(now - hoursAgo * 3_600_000).toISOString();
  const given = {
    now: instant(chance.int(0, 500)),
    customer: { age: chance.int(18, 60), income: chance.int(10, 400) / 4, tier: chance.pick(['gold', 'basic']) },
    contacts: Array.from({ length: 5 }, () => ({ offer: offer(), at: instant(chance.int(501, 900)) })),
    seed: at,
  };
  const name = `Test ${at}`;
  const { items } = bench.run(bench.prepare({ name, given, expect: { count: 50 } }));
  const rule = chance.pick(rules.filter(({ scopes }) => scopes[0]!.scope === 'offer'));
  const dropped = offers.find(({ id }) => id === rule.scopes[0]!.scopeId)!;
  const present = chance.pick(items).offer;
  const excludes = present === dropped.name ? [] : [{ offer: dropped.name, by: rule.name }];
  return { name, given, expect: { includes: [present], excludes } };
}

if (import.meta.main) console.table(benchChecks(5));
