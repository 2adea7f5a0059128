import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ContactCounts,
  type DecisionInput,
  type Evidence,
  type PackedInput,
  type PlanRefs,
  reduceRequest,
  unpackInput,
} from '@arbiter/engine';
import { type InputRules, inputText, newZoneWriter } from './packed-input.ts';

const refs = {
  offers: new Map([
    ['o1', 0],
    ['o2', 1],
  ]),
  creatives: new Map([['c1', 0]]),
  channels: new Map([['ch', 0]]),
  placements: new Map(),
  snapshot: {
    offers: [{ id: 'o1' }, { id: 'o2' }],
    creatives: [{ id: 'c1' }],
    channels: [{ id: 'ch' }],
    placements: [],
  },
} as unknown as PlanRefs;

const now = Date.UTC(2026, 10, 20, 9);
const day = 86_400_000;
const zone = {
  dayStart: now - 9 * 3_600_000,
  dayEnd: now + 15 * 3_600_000,
  weekStart: now - 9 * 3_600_000 - 4 * day,
  weekEnd: now + 15 * 3_600_000 + 2 * day,
  monthStart: now - 9 * 3_600_000 - 19 * day,
  monthEnd: now + 15 * 3_600_000 + 10 * day,
  days30Start: now - 9 * 3_600_000 - 29 * day,
  date: '2026-11-20',
  hour: 9,
  minute: 0,
  second: 0,
  weekday: 5,
};
const evidence = { number: 4 } as unknown as Evidence;
const lane = (offerId: string, campaignId: string | null = null) => ({
  offerId,
  creativeId: 'c1',
  channelId: null,
  campaignId,
});

const input = (over: Partial<DecisionInput>): DecisionInput => ({
  now,
  seed: 'seed',
  zones: { UTC: zone },
  request: {
    requestId: 'r1',
    customerId: 'A "b"\n',
    channel: 'email',
    channelId: null,
    placement: null,
    placements: null,
    deduplicate: false,
    limit: 3,
    context: { device: 'phone' },
    segments: [],
    attributes: { income: 10, secret: 'x' },
    locale: null,
    currency: null,
    excludeOffers: ['o2'],
    excludeCreatives: [],
    dryRun: false,
  },
  known: true,
  profile: { age: 30, secret: 'y', '10': 1, '9': null },
  enriched: {},
  segments: [],
  contacts: { lanes: [], lastAt: [], counts: [[], []] },
  suppressions: [],
  evidence,
  ...over,
});

/** A plan that reads `income`, `secret` and `context.device`; another flow of the tenant reads `age` as well. */
const rulesWith = (neverStore: readonly string[]): InputRules => ({
  neverStore: new Set(neverStore),
  refs,
  plan: {
    zones: ['UTC'],
    reads: {
      attributes: ['income', 'secret'],
      context: ['device'],
      segments: [],
      interests: [],
      evidenceRanks: false,
      objectiveCounts: false,
    },
  },
  readSet: { attributes: ['age', 'income', 'secret'], context: ['device', 'page'] },
});

/** The record of a decision with this request and these inputs. */
function record(request: Partial<DecisionInput['request']>, neverStore: readonly string[] = []) {
  const rules = rulesWith(neverStore);
  const asked = { ...input({}).request, ...request };
  const read = reduceRequest(asked, rules.plan);
  const { text, withheld } = inputText(input({ request: read }), asked, rules, newZoneWriter());
  const packed = JSON.parse(text) as PackedInput;
  assert.equal(JSON.stringify(packed), text, 'the hash of the inputs can be made from the parsed record');
  const facts = { requestId: 'r1', seed: 'seed', evidence, modelStates: new Map(), windows: 2, refs };
  const replayed = reduceRequest(unpackInput(packed, facts).request, rules.plan);
  return { packed, withheld, read, replayed };
}

function again(made: DecisionInput): DecisionInput {
  const { text } = inputText(made, made.request, rulesWith([]), newZoneWriter());
  const packed = JSON.parse(text) as PackedInput;
  assert.equal(JSON.stringify(packed), text, 'the hash of the inputs can be made from the parsed record');
  return unpackInput(packed, {
    requestId: 'r1',
    seed: 'seed',
    evidence,
    modelStates: new Map(Object.values(made.modelStates ?? {}).map(({ hash, state }) => [hash, state])),
    ...(made.objectiveCounts === undefined ? {} : { objectiveCounts: made.objectiveCounts }),
    windows: made.contacts.counts.length,
    refs,
  });
}

test('stores experiments as one, or as a list if called flows run others', () => {
  const uses = [
    { id: 'e1', key: 'one', variant: '__champion__', share: 0.8 },
    { id: 'e2', key: 'two "2"', variant: 'challenger', share: 0.1 },
  ];
  for (const [some, packed] of [
    [null, undefined],
    [uses.slice(0, 1), { key: 'one', variant: '__champion__', share: 0.8 }],
    [uses, uses.map(({ key, variant, share }) => ({ key, variant, share }))],
  ] as const) {
    const made = input({ experiments: { other: { variant: 'unused', share: 1 } } });
    const { text } = inputText(made, made.request, rulesWith([]), newZoneWriter(), [], some);
    const read = JSON.parse(text) as PackedInput;
    assert.deepEqual(read.t, packed);
    const facts = { requestId: 'r1', seed: 'seed', evidence, modelStates: new Map(), windows: 0, refs };
    const { experiments } = unpackInput(read, facts);
    const expected = some === null ? undefined : some.map(({ key, variant, share }) => [key, { variant, share }]);
    assert.deepEqual(experiments, expected === undefined ? undefined : Object.fromEntries(expected));
  }
});

test('reads back unchanged what a decision read', () => {
  const contacts: ContactCounts = {
    lanes: [lane('o1'), lane('gone', 'campaign "7"'), lane('o2')],
    lastAt: [now - 5, now - day, Number.NEGATIVE_INFINITY],
    counts: [
      [1, 2, 0],
      [1, 2, 0],
      [0, 2, 0],
      [1, 2, 0],
      [1, 2, 0],
    ],
  };
  const cases: DecisionInput[] = [
    input({}),
    input({ contacts, segments: ['vip'], quotaLeft: 3 }),
    input({
      outcomes: [
        { key: 'dismiss', lane: lane('gone', 'campaign "7"'), at: now - 1 },
        { key: 'click', lane: lane('o2'), at: now + 5 },
      ],
    }),
    input({
      contacts: {
        lanes: ['a', 'a', null, 'a', 'b', 'b', 'a'].map((campaignId) => lane('o1', campaignId)),
        lastAt: Array.from({ length: 7 }, () => now - 5),
        counts: Array.from({ length: 5 }, () => [1, 1, 1, 1, 1, 1, 1]),
      },
    }),
    input({ outcomes: [] }),
    input({ soldOut: ['o2', 'gone'] }),
    input({ external: {} }),
    input({
      volumes: [
        { scope: 'offer', scopeId: 'o2', impressions: 1, spentCents: 2, dayImpressions: 3, daySpentCents: 4 },
        { scope: 'category', scopeId: 'k "1"', impressions: 5, spentCents: 6, dayImpressions: 7, daySpentCents: 8 },
        { scope: 'global', scopeId: null, impressions: 9, spentCents: 0, dayImpressions: 0, daySpentCents: 0 },
      ],
    }),
    input({ modelStates: { card: { hash: 'ab', state: { arms: {} } } }, openBreakers: ['a', 'b'] }),
    input({ objectiveCounts: { number: 7 } as unknown as NonNullable<DecisionInput['objectiveCounts']> }),
    input({ joinTruncated: true }),
    input({ request: { ...input({}).request, campaignId: 'campaign "7"' } }),
    input({ zones: { UTC: { ...zone, offsets: [[0, 3_600_000]] } } }),
    input({
      external: {
        'call/hook': {
          candidates: [
            { offerId: 'o2', score: 0.1, drop: false },
            { offerId: 'gone', score: null, drop: true },
          ],
        },
        hook: { error: 'timeout' },
      },
    }),
    input({ enriched: { n1: [{ score: 0.5 }, null] }, known: false, profile: {} }),
  ];
  for (const made of cases) assert.deepEqual(again(made), made);
});

test('leaves out and names what is never stored', () => {
  const made = input({ enriched: { n1: [{ secret: 1, score: 2 }] } });
  const rules = rulesWith(['secret', 'other']);
  const { text, withheld } = inputText(made, made.request, rules, newZoneWriter());
  assert.deepEqual(withheld, ['secret']);
  assert.ok(!/"secret":/.test(text));
  assert.deepEqual((JSON.parse(text) as PackedInput).w, ['secret']);
});

test('leaves out the zone that a customer named if anything is withheld, as it may be the value', () => {
  const zones = { UTC: zone, 'Asia/Tokyo': zone };
  const made = input({ profile: { secret: 'Asia/Tokyo' }, zones });
  const kept = (neverStore: readonly string[]) => {
    const { text } = inputText(made, made.request, rulesWith(neverStore), newZoneWriter());
    return Object.keys((JSON.parse(text) as PackedInput).z);
  };
  assert.deepEqual(kept(['secret']), ['UTC']);
  assert.deepEqual(kept([]), ['UTC', 'Asia/Tokyo']);
});

test('keeps the request as it was sent, up to 4 KB in total, although the plan decided on what it reads', () => {
  const attributes = { income: 10, age: 30, hobby: 'chess', nested: { deep: [1, null] } };
  const context = { device: 'phone', page: '/a', note: 'b' };
  const { packed, read, replayed } = record({ attributes, context });
  assert.deepEqual([packed.q.attributes, packed.q.context, packed.x], [attributes, context, undefined]);
  assert.deepEqual(read.attributes, { income: 10 });
  assert.deepEqual(replayed, read);

  // `{"long":"` and `"}` take 11 bytes, `{"a":1}` takes 7: 4096 together.
  const most = { attributes: { long: 'x'.repeat(4078) }, context: { a: 1 } };
  assert.deepEqual(record(most).packed.x, undefined);
  assert.deepEqual(record({ ...most, context: { a: 10 } }).packed.x, ['attributes.long', 'context.a']);
  const umlauts = record({ attributes: { long: 'ü'.repeat(2_100) }, context: {} });
  assert.deepEqual(umlauts.packed.x, ['attributes.long'], 'bytes are counted, not characters');
});

test('beyond 4 KB, keeps only what some plan of the tenant reads, and names what was cut', () => {
  const long = 'x'.repeat(5_000);
  const { packed, read, replayed } = record({
    attributes: { income: 10, age: 30, long },
    context: { device: 'phone', page: '/a', note: 'b' },
  });
  assert.deepEqual(packed.q.attributes, { age: 30, income: 10 });
  assert.deepEqual(packed.q.context, { device: 'phone', page: '/a' });
  assert.deepEqual(packed.x, ['attributes.long', 'context.note']);
  assert.deepEqual(replayed, read);
  const needed = record({ attributes: { income: long } });
  assert.deepEqual(needed.packed.q.attributes, { income: long }, 'what the plan reads is kept however long it is');
});

test('neverStore applies to the whole request, but only what the plan reads prevents a replay', () => {
  const { packed, withheld } = record(
    { attributes: { income: 1, secret: 'x', diagnosis: 'y' }, context: { device: 'phone', diagnosis: 'z' } },
    ['secret', 'diagnosis'],
  );
  assert.deepEqual(packed.q.attributes, { income: 1 });
  assert.deepEqual(packed.q.context, { device: 'phone' });
  assert.deepEqual([packed.w, packed.u, withheld], [['secret'], ['diagnosis'], ['secret']]);
  const unread = record({ attributes: { income: 1, diagnosis: 'y' }, context: {} }, ['diagnosis']);
  assert.deepEqual([unread.packed.w, unread.packed.u], [undefined, ['diagnosis']]);
  assert.deepEqual(unread.replayed, unread.read);
});

test('keeps a name that objects already have like any other', () => {
  const attributes = JSON.parse('{"__proto__":{"a":1},"constructor":2,"income":3}');
  const { packed } = record({ attributes, context: {} }, ['other']);
  assert.equal(JSON.stringify(packed.q.attributes), '{"__proto__":{"a":1},"constructor":2,"income":3}');
});
