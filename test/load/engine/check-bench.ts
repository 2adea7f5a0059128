// What the policy compiler takes for a large catalogue: 1,000 offers, 200 rules and 100 policies. Run alone with
// `node test/load/engine/check-bench.ts`.
import { compile, type SnapshotPolicy, type SnapshotRule } from '@arbiter/engine';
import { checkCatalogue } from '@arbiter/lab';
import { chanceOf, randomTest, randomWorld, utcClock } from '../../../packages/engine/src/why-not/test-world.ts';
import { median } from '../bench/bench-load.ts';
import { n0, type Row } from '../bench/bench-report.ts';

const barMs = 2000;
const now = Date.UTC(2026, 2, 10, 12);

/** Checks the catalogue this many times. Returns the median of processor time. */
export function benchChecks(rounds: number): readonly Row[] {
  const chance = chanceOf(11);
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
  const snapshot = { ...world, rules, policies };
  const plan = compile(snapshot);
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    const { coverage } = checkCatalogue({ snapshot, plan, now, clockAt: utcClock });
    if (coverage.offers !== snapshot.offers.length) throw new Error('not every offer was checked');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const middleMs = median(times);
  return [
    {
      measure: 'policy check of 1,000 offers, 200 rules and 100 policies (processor time)',
      bar: `at most ${n0(barMs)} ms`,
      measured: `${n0(middleMs)} ms`,
      met: middleMs <= barMs,
    },
  ];
}

if (import.meta.main) console.table(benchChecks(5));
