import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContactCounts, DecisionInput, Evidence } from '@arbiter/engine';
import type { PlanRefs } from '../plans/plan-refs.ts';
import { inputText, type PackedInput, unpackInput } from './packed-input.ts';

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

function again(made: DecisionInput, neverStore: readonly string[] = []): DecisionInput {
  const { text } = inputText(made, new Set(neverStore), refs);
  const packed = JSON.parse(text) as PackedInput;
  assert.equal(JSON.stringify(packed), text, 'the hash of the inputs can be made from the parsed record');
  return unpackInput(packed, { requestId: 'r1', seed: 'seed', evidence, windows: made.contacts.counts.length, refs });
}

test('what a decision read comes back from its record as it was', () => {
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
    input({ enriched: { n1: [{ score: 0.5 }, null] }, known: false, profile: {} }),
  ];
  for (const made of cases) assert.deepEqual(again(made), made);
});

test('what is never stored is left out and named', () => {
  const made = input({ enriched: { n1: [{ secret: 1, score: 2 }] } });
  const { text, withheld } = inputText(made, new Set(['secret', 'other']), refs);
  assert.deepEqual(withheld, ['secret']);
  assert.ok(!/"secret":/.test(text));
  assert.deepEqual((JSON.parse(text) as PackedInput).w, ['secret']);
});
