import type { Json, ScopeAssignment, Snapshot, SnapshotPolicy, SnapshotRule } from '../../src/index.ts';
import type { Chance } from './chance.ts';

type Config = { readonly [key: string]: Json };
type Rows = Pick<Snapshot, 'channels' | 'placements' | 'categories' | 'offers' | 'creatives'>;

const ruleConfigs: readonly (readonly [ruleType: string, config: Config])[] = [
  ['attribute_condition', { attribute: 'age', operator: 'gte', value: 30 }],
  ['attribute_condition', { attribute: 'customer.job', operator: 'in', value: ['cook', 'nurse'], onMissing: 'pass' }],
  ['attribute_condition', { attribute: 'attributes.page', operator: 'not_contains', value: 'check' }],
  ['attribute_condition', { attribute: 'request.locale', operator: 'starts_with', value: 'de', onMissing: 'pass' }],
  ['attribute_condition', { attribute: 'channel.channelType', operator: 'neq', value: 'phone', penalty: 0.9 }],
  ['attribute_condition', { attribute: 'customer.joined', operator: 'within_last_days', value: 700, penalty: 0.25 }],
  ['attribute_condition', { attribute: 'customer.balance', operator: 'between', value: [10, 4000], onMissing: 'pass' }],
  ['attribute_condition', { attribute: 'offer.metadata.campaign', operator: 'neq', value: 'c1' }],
  ['attribute_condition', { operator: 'gte' }],
  ['offer_attribute', { attribute: 'margin', operator: 'gte', value: 3, onMissing: 'pass', penalty: 0.6 }],
  ['offer_attribute', { attribute: 'productType', operator: 'eq', valueFrom: 'customer.preferred_product_type' }],
  ['offer_attribute', { attribute: 'tags', operator: 'contains', value: 'vip', penalty: 0.1 }],
  ['offer_attribute', { attribute: 'offer.businessValue', operator: 'lt', valueFrom: 'attributes.most' }],
  ['segment_required', { requiredSegments: ['loyal'], penalty: 0.4 }],
  ['segment_required', { segments: ['vip'] }],
  ['recency_check', { attribute: 'customer.joined', maxDays: 900 }],
  ['recency_check', { attribute: 'joined', minDays: 30, onMissing: 'pass', penalty: 0.3 }],
  ['attribute_condition', { attribute: 'customer.purchases_count', operator: 'gte', value: 2, penalty: 0.7 }],
];

const policyConfigs: readonly (readonly [ruleType: string, config: Config])[] = [
  ['frequency_cap', { maxPerDay: 4 }],
  ['frequency_cap', { maxPerWeek: 2, per: 'offer' }],
  ['frequency_cap', { maxPerMonth: 6, maxTotal: 9, per: 'channel' }],
  [
    'frequency_cap',
    {
      windows: [
        { max: 3, days: 2 },
        { max: 1, hours: 5 },
      ],
      per: 'creative',
    },
  ],
  ['frequency_cap', { maxPerDay: 1, per: 'category', bypassable: false }],
  ['frequency_cap', { maxPerWeek: 1, withinCampaignId: 'k1' }],
  ['frequency_cap', { maxPerWeek: 3, excludeCampaignIds: ['k1'] }],
  ['budget_exhausted', { budgetField: 'impressions', threshold: 12 }],
  ['budget_exhausted', { budgetField: 'spend', threshold: 1.1, bypassable: false }],
  ['frequency_cap', { maxPerDay: 'many' }],
  ['cooldown', { cooldownHours: 24, per: 'offer' }],
  ['cooldown', { cooldownHours: 1.5, per: 'channel' }],
  ['cooldown', { cooldownHours: 30 }],
  ['do_not_contact', { segments: ['left'], reason: 'asked' }],
  ['do_not_contact', { condition: { field: 'offer.productType', operator: 'eq', value: 'loan' } }],
  ['do_not_contact', { condition: { field: 'customer.age', operator: 'lt', value: 19 } }],
  ['segment_exclusion', { excludeSegments: ['churned', 'left'] }],
  ['allow_override', { reason: 'vip' }],
  ['outcome_based', {}],
  ['outcome_based', { afterOutcome: 'dismiss', suppressForDays: 7 }],
  ['outcome_based', { afterOutcome: ['click', 'convert'], suppressForDays: 30, per: 'offer' }],
  ['outcome_based', { afterOutcome: 'click', suppressForDays: 2, per: 'channel' }],
  ['category_suppression', { suppressionDays: 3 }],
  ['category_suppression', { categoryId: 'cat-cards', afterOutcome: 'dismiss', suppressionDays: 20 }],
  ['category_suppression', { categoryId: 'cat-cards', triggerCategoryId: 'cat-loans', suppressionDays: 10 }],
  ['time_window', { startHour: 8, endHour: 20, days: [1, 2, 3, 4, 5] }],
  ['time_window', { startHour: 22, endHour: 7, zonePath: 'customer.zone' }],
  ['mutual_exclusion', { excludeOfferIds: ['o00', 'o01', 'o02', 'o03'], lookbackDays: 5 }],
  ['mutual_exclusion', { excludeOfferIds: ['o02', 'o03'], lookbackDays: 0 }],
  ['cross_channel_cap', { maxTotal: 3, periodType: 'weekly', appliesAcross: ['ch-email', 'ch-web'] }],
  ['cross_channel_cap', { maxTotal: 2, windows: [{ max: 4, days: 30 }] }],
  ['customer_total_cap', { maxTotal: 12 }],
  ['customer_total_cap', { maxTotal: 3, periodType: 'daily' }],
  ['offer_category_cap', { targetCategory: 'cards', maxTotal: 2, periodType: 'monthly', filterByCategory: true }],
  ['offer_category_cap', { targetCategory: 'cat-loans', maxTotal: 5, periodType: 'weekly' }],
];

export function randomRules(chance: Chance, rows: Rows): SnapshotRule[] {
  return Array.from({ length: chance.int(0, 4) }, (_, at): SnapshotRule => {
    const [ruleType, config] = chance.flip(0.7) ? chance.pick(ruleConfigs.slice(0, 14)) : chance.pick(ruleConfigs);
    return {
      id: `rule${at}`,
      name: `Rule ${at}`,
      ruleType,
      config,
      scopes: scopesOf(chance, rows, ['segment', 'placement']),
      priority: chance.int(0, 4) * 25,
      stage: chance.pick(['eligibility', 'fit', 'match', 'match', 'match', 'ranking']),
      createdAt: at,
    };
  });
}

export function randomPolicies(chance: Chance, rows: Rows): SnapshotPolicy[] {
  return Array.from({ length: chance.int(0, 5) }, (_, at): SnapshotPolicy => {
    const [ruleType, config] = chance.pick(policyConfigs);
    return {
      id: `policy${at}`,
      name: `Policy ${at}`,
      ruleType,
      config,
      scopes: scopesOf(chance, rows, []),
      priority: chance.int(0, 4) * 25,
      createdAt: at,
    };
  });
}

function scopesOf(chance: Chance, rows: Rows, more: readonly ('segment' | 'placement')[]): ScopeAssignment[] {
  const word = chance.pick([
    'global',
    'offer',
    'offer',
    'category',
    'subcategory',
    'channel',
    'creative',
    'creative',
    ...more,
  ]);
  const some = (ids: readonly { readonly id: string }[]): ScopeAssignment[] =>
    chance.some(ids, 0.3).map(({ id }) => ({ scope: word, scopeId: id }));
  switch (word) {
    case 'global':
      return [{ scope: 'global', scopeId: null }];
    case 'offer':
      return some(rows.offers);
    case 'category':
      return some(rows.categories);
    case 'subcategory':
      return some(rows.categories.map(({ id }) => ({ id: `${id}-sub` })));
    case 'channel':
      return some(rows.channels);
    case 'creative':
      return some(rows.creatives);
    case 'placement':
      return some(rows.placements);
    default:
      return [{ scope: 'segment', scopeId: chance.pick(['vip', 'loyal']) }];
  }
}
