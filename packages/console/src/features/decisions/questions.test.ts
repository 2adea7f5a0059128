import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WhyNotGate } from '@arbiter/contract/deciding/why-not-gates';
import { whereOf } from './compare/where.ts';
import { asksTraces, chipsOf, decisionQuery, isDecisionId, traceQuery } from './list/filters.ts';
import { againstOf, bodyOf, hasEdits, otherBodyOf, versionOf, withoutEdits } from './simulate/question.ts';
import { readNamedValue, valuesOf, withValue, writeNamedValue } from './simulate/values.ts';
import { finalGate, tryFlip } from './why-not/flips.ts';

test('reads back any edit from the address', () => {
  for (const value of ['gold', '21', 'true', '', 'a:b', 21, 0.5, true, null, ['x', 1], { a: 1 }]) {
    const text = writeNamedValue({ name: 'tier', value });
    assert.deepEqual(readNamedValue(text), { name: 'tier', value }, text);
  }
  assert.equal(writeNamedValue({ name: 'tier', value: 'gold' }), 'tier:gold', 'and is readable there');
  assert.equal(readNamedValue('nothing'), null);
  assert.equal(readNamedValue(':x'), null);
});

test('sets and removes edits by name', () => {
  const texts = withValue(['a:1', 'b:2'], 'a', 3);
  assert.deepEqual(valuesOf(texts), { a: 3, b: 2 });
  assert.deepEqual(withValue(texts, 'b', undefined), ['a:3']);
  assert.deepEqual(valuesOf(undefined), {});
});

test('reads a whole question from an address', () => {
  const search = {
    customer: 'CM-000001',
    flow: 'nbo',
    version: 'draft',
    now: '2026-12-09T08:00:00Z',
    channel: 'email',
    placement: 'hero',
    limit: 3,
    profile: ['days_since_visit:21'],
    attributes: ['campaign:spring'],
    segments: ['vip'],
    propensityWeight: 0.4,
    seed: 'abc',
  };
  assert.deepEqual(bodyOf(search), {
    customerId: 'CM-000001',
    decisionFlowKey: 'nbo',
    version: 'draft',
    now: '2026-12-09T08:00:00Z',
    channel: 'email',
    placement: 'hero',
    limit: 3,
    profile: { days_since_visit: 21 },
    attributes: { campaign: 'spring' },
    segments: ['vip'],
    formulaOverride: { propensityWeight: 0.4 },
    seed: 'abc',
  });
  assert.ok(hasEdits(search));
  assert.deepEqual(otherBodyOf(search), {
    customerId: 'CM-000001',
    decisionFlowKey: 'nbo',
    version: 'draft',
    now: '2026-12-09T08:00:00Z',
    channel: 'email',
    placement: 'hero',
    limit: 3,
    seed: 'abc',
  });
  assert.equal(bodyOf({}), null);
  assert.equal(bodyOf({ customer: '' }), null);
});

test('asks about a recorded decision with its edits alone', () => {
  const search = { customer: 'C', decision: 'D', channel: 'email', flow: 'nbo', profile: ['tier:gold'] };
  assert.deepEqual(bodyOf(search), { customerId: 'C', decisionId: 'D', profile: { tier: 'gold' } });
  assert.deepEqual(otherBodyOf(search), { customerId: 'C', decisionId: 'D' });
  assert.equal(otherBodyOf({ customer: 'C', decision: 'D' }), null);
});

test('compares as the address says, else with a suitable default', () => {
  assert.equal(againstOf({ customer: 'C' }), 'nothing');
  assert.equal(againstOf({ version: 'draft' }), 'published');
  assert.equal(againstOf({ version: 'draft', profile: ['a:1'] }), 'unedited');
  assert.equal(againstOf({ against: 'draft' }), 'draft');
  assert.equal(againstOf({ against: '2' }), 2);
  assert.equal(againstOf({ against: 'nothing', version: 'draft' }), 'nothing');
  assert.equal(againstOf({ against: 'draft', version: 'draft' }), 'nothing', 'not beside itself');
  const body = otherBodyOf({ customer: 'C', version: 'draft', against: 'published', profile: ['a:1'] });
  assert.deepEqual(
    body,
    { customerId: 'C', seed: '0', profile: { a: 1 } },
    'the other version has the same edits, and the same chance',
  );
  assert.equal(otherBodyOf({ customer: 'C', against: '2' })?.version, 2);
  assert.equal(versionOf('0'), 'published');
  assert.equal(versionOf('3'), 3);
});

test('includes an unsaved config, and waits for it', () => {
  assert.equal(bodyOf({ customer: 'C', version: 'unsaved' }), null);
  const body = bodyOf({ customer: 'C', version: 'unsaved' }, { nodes: [] });
  assert.deepEqual([body?.draftConfig, body?.version], [{ nodes: [] }, undefined]);
});

test('removes only the edits', () => {
  const search = { customer: 'C', channel: 'web', profile: ['a:1'], emphasisWeight: 2 };
  assert.deepEqual(withoutEdits(search), { customer: 'C', channel: 'web' });
  assert.ok(!hasEdits(withoutEdits(search)));
});

const question = {
  customerId: 'C',
  offerId: 'O',
  decisionId: 'D',
  channel: 'email',
  placement: null,
  flowKey: 'nbo',
  limit: null,
} as const;

test('tries a flip with exactly its edits, on the record where it was found', () => {
  const flip = {
    kind: 'attribute',
    changes: [
      { path: 'customer.days_since_visit', from: 4, to: 21 },
      { path: 'attributes.basket.total', from: null, to: '30' },
      { path: 'segments', from: null, to: 'vip' },
    ],
    at: null,
  } as const;
  const search = tryFlip({ ...flip, changes: [...flip.changes] }, question);
  assert.deepEqual(search, {
    customer: 'C',
    offer: 'O',
    decision: 'D',
    profile: ['days_since_visit:21'],
    attributes: ['basket.total:"30"'],
    segments: ['vip'],
  });
  assert.deepEqual(bodyOf(search!)?.attributes, { 'basket.total': '30' });
});

test('tries waiting at its instant, and nothing for a priority or score', () => {
  const now = { ...question, decisionId: null };
  assert.deepEqual(tryFlip({ kind: 'time', changes: [], at: '2026-12-09T08:00:00Z' }, now), {
    customer: 'C',
    offer: 'O',
    channel: 'email',
    flow: 'nbo',
    now: '2026-12-09T08:00:00Z',
  });
  assert.equal(
    tryFlip({ kind: 'priority', changes: [{ path: 'offer.priority', from: 1, to: 2 }], at: null }, now),
    null,
  );
  assert.equal(tryFlip({ kind: 'score', changes: [], at: null }, now), null);
});

test('finds a gate without suggestions', () => {
  // Only `final` matters here, so the detail has nothing else.
  const gate = (detail: object | null) =>
    ({
      ...{ stage: 'contact_policy', nodeId: null, status: 'blocked', id: 'p', name: 'DNC' },
      ...{ ruleType: 'do_not_contact', reason: null, detail },
    }) as WhyNotGate;
  assert.equal(finalGate({ gates: [gate(null), gate({ final: true })] })?.name, 'DNC');
  assert.equal(finalGate({ gates: [gate({ max: 1 })] }), null);
});

test('filters and addresses say the same; those of single offers ask the traces', () => {
  const search = { customerId: 'C', version: 2, explored: true, from: '2026-11-01', peek: 'x', cursor: 'y' };
  assert.deepEqual(
    chipsOf(search).map(({ name, value }) => `${name}=${value}`),
    ['customerId=C', 'version=2', 'explored=true', 'from=2026-11-01'],
  );
  assert.deepEqual(decisionQuery(search), { customerId: 'C', version: 2, explored: true, from: '2026-11-01' });
  assert.ok(!asksTraces(search));
  const fate = { ...search, fate: 'contact_policy', policyId: 'p' } as const;
  assert.ok(asksTraces(fate));
  assert.deepEqual(decisionQuery(fate), decisionQuery(search), 'the other list is not asked what it does not know');
  const { offset, limit, ...filter } = traceQuery(fate, 25);
  assert.deepEqual([offset, limit], [25, 25]);
  assert.deepEqual(filter, { ...decisionQuery(search), fate: 'contact_policy', policyId: 'p' });
});

test('tells IDs from names', () => {
  assert.ok(isDecisionId(' 01a20575-d516-77fc-9bb6-d308f76e3c00 '));
  assert.ok(!isDecisionId('CM-000001'));
});

test('repeats a decision where it was made, however its channel was named', () => {
  assert.deepEqual(whereOf({ channel: 'web', channelId: null, placement: 'hero' }), {
    channel: 'web',
    placement: 'hero',
  });
  assert.deepEqual(whereOf({ channel: null, channelId: '01a2', placement: null }), { channelId: '01a2' });
  assert.deepEqual(whereOf({ channel: null, channelId: null, placement: null }), {}, 'any channel');
  assert.deepEqual(whereOf(null), {});
});
