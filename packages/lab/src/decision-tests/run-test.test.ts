import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, type Snapshot } from '@arbiter/engine';
import type { TestExpectations, TestGiven } from './decision-test.ts';
import { openBench } from './run-test.ts';
import { bank, clocks, now, others, rule, runOne, testOf } from './test-bank.ts';

const adult = { customer: { age: 30 }, attributes: { tier: 'gold' } };
const child = { ...adult, customer: { age: 17 } };

function passes(given: Partial<TestGiven>, expect: TestExpectations, snapshot = bank): void {
  const result = runOne(given, expect, snapshot);
  assert.deepEqual([result.status, result.differences], ['passed', []], JSON.stringify(result));
}

function fails(
  given: Partial<TestGiven>,
  expect: TestExpectations,
  path: string,
  message: RegExp,
  snapshot = bank,
): void {
  const { status, differences } = runOne(given, expect, snapshot);
  assert.equal(status, 'failed', JSON.stringify(expect));
  assert.equal(differences[0]?.path, path);
  assert.match(differences[0]?.message ?? '', message);
}

function errs(given: Partial<TestGiven>, expect: TestExpectations, path: string, message: RegExp): void {
  const { status, differences, items } = runOne(given, expect);
  assert.deepEqual([status, items], ['error', []]);
  assert.equal(differences[0]?.path, path);
  assert.match(differences[0]?.message ?? '', message);
}

test('judges the offers in the answer', () => {
  passes(adult, { includes: ['Card', 'Loan', 'Fund'] });
  fails(
    child,
    { includes: ['Card', 'Loan'] },
    '/expect/includes/1',
    /^expected “Loan” in the answer; dropped by “Adults” \(qualification\)$/,
  );
});

test('judges the offers outside, and what dropped them', () => {
  passes(child, { excludes: [{ offer: 'Loan' }, { offer: 'Loan', by: 'Adults' }, { offer: 'Loan', by: 'fit' }] });
  passes(child, {
    excludes: [
      { offer: 'Loan', by: 'qualification' },
      { offer: 'Old', by: 'not_a_candidate' },
    ],
  });
  fails(adult, { excludes: [{ offer: 'Loan' }] }, '/expect/excludes/0', /not to be in the answer; it has rank 2$/);
  fails(
    child,
    { excludes: [{ offer: 'Loan', by: 'Members' }] },
    '/expect/excludes/0',
    /by “Members”; dropped by “Adults”/,
  );
});

test('judges order, first and count', () => {
  passes(adult, { order: ['Card', 'Loan', 'Fund'], first: 'Card', count: 3 });
  fails(
    adult,
    { order: ['Loan', 'Card'] },
    '/expect/order/1',
    /“Card” after “Loan”; the answer is “Card”, “Loan”, “Fund”$/,
  );
  fails(child, { order: ['Card', 'Loan'] }, '/expect/order/1', /expected “Loan” in the answer/);
  fails(adult, { first: 'Loan' }, '/expect/first', /expected “Loan” first; the answer is “Card”/);
  fails(adult, { count: 4 }, '/expect/count', /expected 4 items, but got 3/);
});

test('judges why an answer is empty', () => {
  const closed = { ...adult, attributes: { tier: 'closed' } };
  passes(closed, { emptyReason: 'filter', count: 0 });
  fails(closed, { emptyReason: 'qualify' }, '/expect/emptyReason', /expected the empty reason qualify; it’s filter/);
  fails(adult, { emptyReason: 'filter' }, '/expect/emptyReason', /the answer is “Card”/);
});

test('judges the recorded selection probabilities, which the seed alone may change', () => {
  const flowConfig = { explore: { rate: 0.5, poolSize: 3 } };
  const one = { topN: 1 };
  const nodes = bank.flow.config.nodes.map((node) => (node.id === 'rank' ? { ...node, config: one } : node));
  const exploring: Snapshot = { ...bank, flow: { ...bank.flow, config: { version: 2, nodes, flowConfig } } };
  const seeds = Array.from({ length: 40 }, (_, seed) => ({
    seed,
    result: runOne({ ...adult, seed }, { count: 1 }, exploring),
  }));
  const shown = new Set(seeds.map(({ result }) => result.items[0]!.offer));
  assert.ok(shown.size > 1, 'the seeds explore');
  const { seed, result } = seeds.find((each) => each.result.items[0]!.offer === 'Card')!;
  const { probability } = result.items[0]!;
  assert.ok(probability > 0.5 && probability < 1);
  passes({ ...adult, seed }, { probability: { Card: [probability, probability] } }, exploring);
  const path = '/expect/probability/Card';
  fails({ ...adult, seed }, { probability: { Card: [0, 0.5] } }, path, /from 0 to 0\.5; it’s 0\.\d+$/, exploring);
  const other = seeds.find((each) => each.result.items[0]!.offer !== 'Card')!;
  fails(
    { ...adult, seed: other.seed },
    { probability: { Card: [0, 1] } },
    path,
    /dropped by “rank” \(cut\)/,
    exploring,
  );
});

test('reads segments, contacts, evidence, channels and placements by their names', () => {
  fails(adult, { includes: ['Club'] }, '/expect/includes/0', /“Members”/);
  passes({ ...adult, segments: ['Club'] }, { includes: ['Club'] });
  const contact = { offer: 'Card', channel: 'web', at: '2026-12-01T08:00:00Z' };
  passes({ ...adult, contacts: [contact] }, { excludes: [{ offer: 'Card', by: 'Once a day' }] });
  passes({ ...adult, contacts: [{ ...contact, at: '2026-11-30T23:59:00Z' }] }, { includes: ['Card'] });
  const rested = { offer: 'Fund', creative: 'mail', at: '2026-11-30T12:00:00Z' };
  passes({ ...adult, contacts: [rested] }, { includes: ['Fund'] });
  passes(
    { ...adult, contacts: [{ ...rested, at: '2026-11-30T12:00:01Z' }] },
    { excludes: [{ offer: 'Fund', by: 'Pause' }] },
  );
  passes({ ...adult, request: { placements: [{ placement: 'top', limit: 1 }] } }, { first: 'Card', count: 1 });
  for (const channel of ['Web', 'web', 'email']) passes({ ...adult, request: { channel, limit: 1 } }, { count: 1 });
});

test("reports names that the catalogue doesn't know, with the nearest word", () => {
  const expect = { count: 1 };
  errs(
    adult,
    { includes: ['Laon'] },
    '/expect/includes/0',
    /the offer “Laon”, which doesn’t exist; did you mean Loan\?/,
  );
  errs(adult, { excludes: [{ offer: 'Loan', by: 'Adulds' }] }, '/expect/excludes/0/by', /did you mean Adults\?/);
  errs(adult, { emptyReason: 'filtre' }, '/expect/emptyReason', /did you mean filter\?/);
  errs(adult, { probability: { Crad: [0, 1] } }, '/expect/probability/Crad', /did you mean Card\?/);
  errs(adult, { order: ['Crad'] }, '/expect/order/0', /did you mean Card\?/);
  errs(adult, { first: 'Crad' }, '/expect/first', /did you mean Card\?/);
  errs({ customer: { aeg: 3 } }, expect, '/given/customer/aeg', /isn’t provided by any schema; did you mean age\?/);
  errs({ attributes: { tire: 'x' } }, expect, '/given/attributes/tire', /isn’t read by this flow; did you mean tier\?/);
  errs({ segments: ['Culb'] }, expect, '/given/segments/0', /did you mean Club\?/);
  errs({ contacts: [{ offer: 'Fnud', at: now }] }, expect, '/given/contacts/0/offer', /did you mean Fund\?/);
  errs(
    { contacts: [{ offer: 'Fund', channel: 'Wbe', at: now }] },
    expect,
    '/given/contacts/0/channel',
    /did you mean Web\?/,
  );
  errs(
    { contacts: [{ offer: 'Fund', creative: 'mial', at: now }] },
    expect,
    '/given/contacts/0/creative',
    /did you mean mail\?/,
  );
  errs({ contacts: [{ offer: 'Fund', outcome: 'x', at: now }] }, expect, '/given/contacts/0/outcome', /outcome type/);
  errs({ evidence: { offers: { Laon: [1, 2] } } }, expect, '/given/evidence/offers/Laon', /did you mean Loan\?/);
  errs(
    { evidence: { categories: { Cadrs: [1, 2] } } },
    expect,
    '/given/evidence/categories/Cadrs',
    /did you mean Cards\?/,
  );
  errs({ request: { channel: 'Wbe' } }, expect, '/given/request/channel', /did you mean Web\?/);
  errs({ request: { placement: 'topp' } }, expect, '/given/request/placement', /did you mean top\?/i);
  errs(
    { request: { placements: [{ placement: 'topp' }] } },
    expect,
    '/given/request/placements/0/placement',
    /did you mean top\?/i,
  );
  errs({ request: { excludeOffers: ['Crad'] } }, expect, '/given/request/excludeOffers/0', /did you mean Card\?/);
});

test('reports tests that can never pass or never fail', () => {
  errs(adult, {}, '/expect', /at least one expectation/);
  errs({ now: 'soon' }, { count: 1 }, '/given/now', /date and time/);
  errs(
    { contacts: [{ offer: 'Card', at: '2026-12-01T12:00:01Z' }] },
    { count: 1 },
    '/given/contacts/0/at',
    /not be after/,
  );
  errs(adult, { includes: ['Card'], excludes: [{ offer: 'Card' }] }, '/expect/excludes/0/offer', /also expected/);
  errs(adult, { includes: ['Card'], emptyReason: 'filter' }, '/expect/emptyReason', /contradicts/);
  errs(adult, { includes: ['Card', 'Loan'], count: 1 }, '/expect/count', /at least 2/);
  errs(adult, { order: ['Card', 'Loan'], first: 'Loan' }, '/expect/first', /not the first/);
  errs(adult, { probability: { Card: [0.6, 0.5] } }, '/expect/probability/Card', /must not fall/);
});

test('tells an unknown customer from one without values', () => {
  const snapshot = { ...bank, rules: [rule('Known', 'Loan', { attribute: 'customer.age', operator: 'exists' })] };
  fails({ attributes: adult.attributes }, { includes: ['Loan'] }, '/expect/includes/0', /“Known”/, snapshot);
  passes({ ...adult, customer: { age: 1 } }, { includes: ['Loan'] }, snapshot);
});

test('skips the control group, and gives the same result every time', () => {
  const half = { ...bank, tenant: { ...bank.tenant, holdoutPercentage: 90 } };
  const bench = openBench(half, compile(half), others, clocks);
  const prepared = bench.prepare(testOf(adult, { includes: ['Card', 'Loan'] }));
  const results = Array.from({ length: 5 }, () => JSON.stringify(bench.run(prepared)));
  assert.equal(new Set(results).size, 1);
  assert.equal(JSON.parse(results[0]!).status, 'passed');
});
