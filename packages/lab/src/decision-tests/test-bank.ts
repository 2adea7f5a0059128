import {
  compile,
  type Json,
  type Snapshot,
  type SnapshotOffer,
  type SnapshotPolicy,
  type SnapshotRule,
} from '@arbiter/engine';
import { chanceOf, randomWorld, utcClock } from '../../../engine/src/why-not/test-world.ts';
import type { DecisionTest, TestExpectations, TestGiven, TestResult } from './decision-test.ts';
import type { OtherRecords } from './names.ts';
import { openBench } from './run-test.ts';

/** Seven offers on two channels, with rules and policies of which each test needs one. */

const base = randomWorld(chanceOf(1), 1).snapshot;

export const offer = (name: string, priority: number, more: Partial<SnapshotOffer> = {}): SnapshotOffer => ({
  ...base.offers[0]!,
  ...{ id: `id-${name}`, name, priority, businessValue: 50, categoryId: null, schedule: null, eligibility: null },
  emergencyExcluded: false,
  ...more,
});

const creative = (name: string, offerName: string, channelId: string, weight = 100) => ({
  ...{ id: `${offerName}-${name}`, name, offerId: `id-${offerName}`, channelId, placementId: null, weight },
  ...{ templateType: 'banner', content: {}, personalization: [], constraints: {}, abTestVariant: null },
});

export const rule = (name: string, offerName: string, config: { readonly [key: string]: Json }): SnapshotRule => ({
  ...{ id: `rule-${name}`, name, ruleType: 'attribute_condition', config, priority: 50, stage: 'eligibility' },
  ...{ scopes: [{ scope: 'offer', scopeId: `id-${offerName}` }], createdAt: 0 },
});

export const policy = (
  name: string,
  ruleType: string,
  offerName: string,
  config: { readonly [key: string]: Json },
): SnapshotPolicy => ({
  ...{ id: `policy-${name}`, name, ruleType, config, priority: 50, createdAt: 0 },
  scopes: [{ scope: 'offer', scopeId: `id-${offerName}` }],
});

const nodes = [
  { id: 'all', type: 'inventory' },
  { id: 'match', type: 'match_creatives', config: { requireCreative: true } },
  { id: 'fit', type: 'qualify' },
  {
    id: 'open',
    type: 'filter',
    config: { conditions: [{ field: 'attributes.tier', operator: 'neq', value: 'closed' }] },
  },
  { id: 'limits', type: 'contact_policy' },
  { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'rank', type: 'rank', config: { topN: 5 } },
];

export const bank: Snapshot = {
  ...base,
  flow: { ...base.flow, key: 'main', name: 'Main', config: { version: 2, nodes, flowConfig: {} } },
  channels: [
    { id: 'channel-web', name: 'Web', channelType: 'web', impressionMode: 'implicit', couplingMode: 'partial' },
    { id: 'channel-mail', name: 'Mail', channelType: 'email', impressionMode: 'implicit', couplingMode: 'partial' },
  ],
  placements: [
    { id: 'placement-top', channelId: 'channel-web', name: 'Top', key: 'top', slotType: 'banner', maxSlots: 2 },
  ],
  categories: [{ id: 'cards', name: 'Cards' }],
  subCategories: [],
  offers: [offer('Card', 80, { categoryId: 'cards' }), offer('Loan', 60), offer('Fund', 40), offer('Club', 20)],
  creatives: ['Card', 'Loan', 'Fund', 'Club'].flatMap((name) => [
    creative('web', name, 'channel-web'),
    creative('mail', name, 'channel-mail'),
  ]),
  rules: [
    rule('Adults', 'Loan', { attribute: 'customer.age', operator: 'gte', value: 18 }),
    { ...rule('Members', 'Club', {}), ruleType: 'segment_required', config: { requiredSegments: ['Club'] } },
  ],
  policies: [
    policy('Once a day', 'frequency_cap', 'Card', { maxPerDay: 1 }),
    policy('Pause', 'cooldown', 'Fund', { cooldownHours: 24 }),
  ],
  schemas: [
    {
      ...{ id: 'people', name: 'people', schemaType: 'customer', autoEnrich: true, rowKey: 'customer_id' },
      columns: [
        { name: 'customer_id', dataType: 'varchar', neverStore: false },
        { name: 'age', dataType: 'integer', neverStore: false },
        { name: 'city', dataType: 'varchar', neverStore: false },
      ],
    },
  ],
  joins: [],
};

export const others: OtherRecords = {
  offers: [{ id: 'id-Old', name: 'Old' }],
  segments: [{ id: 'segment-club', name: 'Club' }],
  channels: [{ id: 'channel-web', name: 'web' }],
};

export const clocks = { clockAt: utcClock, isZone: (name: string) => name === 'UTC' };

export const now = '2026-12-01T12:00:00Z';

export const testOf = (given: Partial<TestGiven>, expect: TestExpectations): DecisionTest => ({
  name: 'a test',
  given: { now, ...given },
  expect,
});

export function runOne(given: Partial<TestGiven>, expect: TestExpectations, snapshot = bank): TestResult {
  const bench = openBench(snapshot, compile(snapshot), others, clocks);
  return bench.run(bench.prepare(testOf(given, expect)));
}
