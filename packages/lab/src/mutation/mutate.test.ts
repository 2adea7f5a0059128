import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, type Snapshot } from '@arbiter/engine';
import type { DecisionTest, TestExpectations, TestGiven } from '../decision-tests/decision-test.ts';
import { openBench } from '../decision-tests/run-test.ts';
import { bank, clocks, now, offer, others, policy, rule } from '../decision-tests/test-bank.ts';
import { type MutantResult, mutate, mutationScore } from './mutate.ts';

const adult = { customer: { age: 18 }, attributes: { tier: 'gold' } };

let number = 0;
const test1 = (given: Partial<TestGiven>, expect: TestExpectations): DecisionTest => ({
  name: `test ${++number}`,
  given: { now, ...adult, ...given },
  expect,
});

function mutants(tests: readonly DecisionTest[], snapshot: Snapshot = bank): MutantResult[] {
  const plan = compile(snapshot);
  const bench = openBench(snapshot, plan, others, clocks);
  const prepared = tests.map((each) => bench.prepare(each));
  for (const each of prepared) assert.equal(bench.run(each).status, 'passed', JSON.stringify(bench.run(each)));
  return [...mutate({ snapshot, plan, now: Date.parse(now), clockAt: clocks.clockAt }, bench, prepared)];
}

const named = (results: readonly MutantResult[], outcome: MutantResult['outcome']): string[] =>
  results
    .filter((each) => each.outcome === outcome)
    .map(({ place, text }) => `${place.name}${place.path} ${text}`)
    .toSorted();

const shown = { request: { limit: 5 } };
const contact = (offerName: string, at: string) => ({ offer: offerName, channel: 'Web', at });

/** Tests on both sides of each boundary, and without each gate. */
const thorough = [
  test1(shown, { order: ['Card', 'Loan', 'Fund'], count: 3 }),
  test1({ customer: { age: 17 } }, { excludes: [{ offer: 'Loan', by: 'Adults' }] }),
  test1({ segments: ['Club'] }, { includes: ['Club'], count: 4 }),
  test1({ attributes: { tier: 'closed' } }, { emptyReason: 'filter' }),
  test1({ contacts: [contact('Card', '2026-12-01T00:00:00Z')] }, { excludes: [{ offer: 'Card' }] }),
  test1({ contacts: [contact('Fund', '2026-11-30T12:00:00Z')] }, { includes: ['Fund'] }),
  test1({ contacts: [contact('Fund', '2026-11-30T12:00:01Z')] }, { excludes: [{ offer: 'Fund' }] }),
];

test('catches every change with tests on both sides of each boundary', () => {
  const results = mutants(thorough);
  assert.deepEqual(named(results, 'survived'), ['rank/nodes/6/config/topN 5 → 6']);
  assert.deepEqual(named(results, 'caught'), [
    'Adults left out',
    'Adults/config/value 18 → 19',
    'Members left out',
    'Once a day left out',
    'Once a day/config/maxPerDay 1 → 2',
    'Pause left out',
    'Pause/config/cooldownHours 24 → 25',
    'open/nodes/3 left out',
  ]);
  assert.equal(mutationScore(results), 8 / 9);
});

test('names the changes that a missing test lets through', () => {
  for (const [left, survivors] of [
    [0, ['Adults/config/value 18 → 19']],
    [1, ['Adults left out']],
    [2, []],
    [3, ['open/nodes/3 left out']],
    [4, ['Once a day left out', 'Once a day/config/maxPerDay 1 → 2']],
    [5, ['Pause/config/cooldownHours 24 → 25']],
    [6, ['Pause left out']],
  ] as const) {
    const rest = thorough.filter((_, at) => at !== left);
    // Without counts and unrelated offers, each test catches its own change alone.
    const narrow = rest.map(({ name, given, expect: { count: _count, ...expect } }) => ({ name, given, expect }));
    const survived = named(mutants(narrow), 'survived');
    for (const survivor of survivors) assert.ok(survived.includes(survivor), `${left}: ${survived}`);
  }
});

test('recognizes changes that alter no decision', () => {
  const whole = rule('Whole years', 'Loan', { attribute: 'customer.age', operator: 'gt', value: 17.5 });
  const twice = {
    ...rule('Adults', 'Loan', bank.rules[0]!.config),
    id: 'rule-twice',
    name: 'Adults again',
    priority: 40,
  };
  const unused = { ...policy('Nowhere', 'cooldown', 'Card', { cooldownHours: 2 }), scopes: [] };
  const snapshot = { ...bank, rules: [...bank.rules, whole, twice], policies: [...bank.policies, unused] };
  // By whom the offer is dropped would tell one of two equal rules from the other.
  const whoever = { ...thorough[1]!, expect: { excludes: [{ offer: 'Loan' }] } };
  const results = mutants(
    thorough.map((each, at) => (at === 1 ? whoever : each)),
    snapshot,
  );
  const equivalent = results.filter(({ outcome }) => outcome === 'equivalent');
  assert.deepEqual(equivalent.map(({ place, equivalence }) => `${place.name}${place.path} ${equivalence}`).toSorted(), [
    'Adults again rule_duplicate',
    'Adults rule_duplicate',
    'Whole years condition_shadowed',
    'Whole years/config/value same_condition',
  ]);
});

test('leaves out conditions of a group, weights, dates and eligibility, one at a time', () => {
  const nodes = bank.flow.config.nodes.map((node) => {
    if (node.id === 'open') {
      const both = [
        { field: 'attributes.tier', operator: 'neq', value: 'closed' },
        { field: 'customer.age', operator: 'lt', value: 99 },
      ];
      return { ...node, config: { conditions: both } };
    }
    const formula = { propensityWeight: 0, relevanceWeight: 0, impactWeight: 1, emphasisWeight: 0 };
    return node.id === 'score' ? { ...node, config: { method: 'formula', formula } } : node;
  });
  const dated = offer('Loan', 60, {
    schedule: { startDate: '2026-11-01', endDate: '2026-12-31' },
    eligibility: { requiredSegments: ['Club'] },
  });
  const snapshot: Snapshot = {
    ...bank,
    offers: bank.offers.map((each) => (each.name === 'Loan' ? dated : each)),
    flow: { ...bank.flow, config: { version: 2, nodes } },
  };
  const results = mutants([test1({}, { includes: ['Card'] })], snapshot);
  const kinds = results.map(({ kind, place, text }) => `${kind} ${place.name}${place.path} ${text}`);
  for (const wanted of [
    'gate open/nodes/3/config/conditions/0 left out',
    'gate open/nodes/3/config/conditions/1 left out',
    'boundary open/nodes/3/config/conditions/1/value 99 → 100',
    'weight score/nodes/5/config/formula/impactWeight 1 → 0',
    'weight score/nodes/5/config/formula/propensityWeight 0 → 1',
    'gate Loan/schedule left out',
    'boundary Loan/schedule/endDate 2026-12-31 → 2027-01-01',
    'gate Loan/eligibility left out',
  ]) {
    assert.ok(kinds.includes(wanted), `${wanted} is missing in ${kinds.join(', ')}`);
  }
  assert.equal(new Set(kinds).size, kinds.length, 'each change once');
});
