// The catalogue and the customer that engine benches decide for.
import {
  type DecisionInput,
  foldContacts,
  type Plan,
  type Snapshot,
  type SnapshotPolicy,
  type SnapshotRule,
  semantics,
  type ZoneClock,
} from '@arbiter/engine';

const dayMs = 86_400_000;
const now = Date.parse('2026-11-20T12:00:00Z');
const day = Math.floor(now / dayMs) * dayMs;

const clock: ZoneClock = {
  dayStart: day - 3_600_000,
  dayEnd: day + dayMs - 3_600_000,
  weekStart: day - 4 * dayMs,
  weekEnd: day + 3 * dayMs,
  monthStart: day - 19 * dayMs,
  monthEnd: day + 11 * dayMs,
  days30Start: day - 29 * dayMs,
  date: '2026-11-20',
  hour: 13,
  minute: 0,
  second: 0,
  weekday: 5,
};

export interface Exponents {
  readonly propensityWeight: number;
  readonly relevanceWeight: number;
  readonly impactWeight: number;
  readonly emphasisWeight: number;
}

/** `offerCount` active offers with two creatives each, 20 policies, 10 rules, score by formula. */
export function snapshot(offerCount: number, formula: Exponents): Snapshot {
  const numbers = Array.from({ length: offerCount }, (_, at) => at);
  const offerId = (at: number) => `0190a1b2-0000-7000-8000-${String(at).padStart(12, '0')}`;
  return {
    format: 1,
    semantics,
    tenant: {
      timezone: 'Europe/Berlin',
      locale: 'en',
      currency: 'EUR',
      maxOffersPerDecision: 50,
      holdoutPercentage: 0,
      mandatoryDailyCap: 5,
      neverStore: [],
    },
    flow: {
      id: 'flow',
      key: 'bench',
      name: 'Bench',
      version: 1,
      couplingOverride: null,
      config: {
        version: 2,
        nodes: [
          { id: 'inventory', type: 'inventory', config: {} },
          { id: 'creatives', type: 'match_creatives', config: {} },
          { id: 'qualify', type: 'qualify', config: {} },
          { id: 'policy', type: 'contact_policy', config: {} },
          { id: 'score', type: 'score', config: { method: 'formula', formula: { ...formula } } },
          { id: 'rank', type: 'rank', config: { method: 'topN', topN: 10 } },
          { id: 'response', type: 'response', config: {} },
        ],
      },
    },
    channels: [
      { id: 'email', name: 'Email', channelType: 'email', impressionMode: 'implicit', couplingMode: 'partial' },
      { id: 'phone', name: 'Phone', channelType: 'phone', impressionMode: 'explicit', couplingMode: 'partial' },
    ],
    placements: [],
    categories: Array.from({ length: 10 }, (_, at) => ({ id: `category-${at}`, name: `Category ${at}` })),
    subCategories: [],
    offers: numbers.map((at) => ({
      id: offerId(at),
      name: `Offer ${at}`,
      status: 'active',
      categoryId: `category-${at % 10}`,
      subCategoryId: null,
      category: 'engagement',
      priority: (at * 37) % 101,
      businessValue: (at * 17) % 101,
      mandatory: false,
      mandatoryExpiresAt: null,
      emergencyExcluded: false,
      description: '',
      shortDesc: `Offer ${at}`,
      schedule: at % 10 === 0 ? { startDate: '2026-01-01', endDate: '2026-12-31' } : null,
      eligibility: null,
      metadata: {},
      tags: at % 3 === 0 ? ['travel'] : [],
      productType: at % 2 === 0 ? 'card' : 'loan',
      margin: at % 50,
      revenueValue: at % 200,
    })),
    creatives: numbers.flatMap((at) =>
      ['email', 'phone'].map((channelId) => ({
        id: `${offerId(at)}-${channelId}`,
        name: `Creative ${at} ${channelId}`,
        offerId: offerId(at),
        channelId,
        placementId: null,
        templateType: 'email_html',
        content: { subject: 'An offer for {job}', headline: `Offer ${at}` },
        personalization: [{ variable: 'job', source: 'customer.job', fallback: 'you' }],
        constraints: {},
        abTestVariant: null,
        weight: 100,
      })),
    ),
    rules: Array.from({ length: 10 }, (_, at): SnapshotRule => {
      const scope = at < 5 ? { scope: 'category', scopeId: `category-${at}` } : { scope: 'global', scopeId: null };
      const config =
        at === 9
          ? { attribute: 'margin', operator: 'gte', value: 0 }
          : { attribute: 'age', operator: 'gte', value: at < 2 ? 70 : 18 };
      return {
        id: `rule-${at}`,
        name: `Rule ${at}`,
        ruleType: at === 9 ? 'offer_attribute' : 'attribute_condition',
        config,
        scopes: [scope],
        priority: 50,
        stage: at === 8 ? 'match' : 'eligibility',
        createdAt: at,
      };
    }),
    policies: Array.from({ length: 20 }, (_, at): SnapshotPolicy => {
      const global = { scope: 'global', scopeId: null };
      const category = { scope: 'category', scopeId: `category-${at % 10}` };
      const kinds: readonly Pick<SnapshotPolicy, 'ruleType' | 'config' | 'scopes'>[] = [
        { ruleType: 'frequency_cap', config: { maxPerDay: 50, maxPerMonth: 200 }, scopes: [global] },
        { ruleType: 'frequency_cap', config: { maxPerWeek: 2, per: 'offer' }, scopes: [global] },
        {
          ruleType: 'frequency_cap',
          config: { maxPerMonth: 5000, windows: [{ max: 2000, days: 7 }] },
          scopes: [category],
        },
        { ruleType: 'cooldown', config: { cooldownHours: 24, per: 'offer' }, scopes: [global] },
        { ruleType: 'do_not_contact', config: { segments: [`blocked-${at}`] }, scopes: [category] },
      ];
      return { id: `policy-${at}`, name: `Policy ${at}`, priority: at, createdAt: at, ...kinds[at % kinds.length]! };
    }),
    schemas: [],
  };
}

// Created once, so that only the engine's own work is measured.
const ofOffer = [7, 13] as const;
const ofCategory = [30, 90] as const;

/** A customer with one contact in each of `contactLanes` lanes, two days apart. */
export function input(plan: Plan, contactLanes: number): DecisionInput {
  const offers = plan.program.offers;
  const lanes = Array.from({ length: contactLanes }, (_, at) => {
    const { id } = offers[(at * 7) % offers.length]!.row;
    return { offerId: id, creativeId: `${id}-email`, channelId: 'email', campaignId: null };
  });
  return {
    now,
    seed: '0'.repeat(32),
    zones: { 'Europe/Berlin': clock },
    request: {
      requestId: '0190a1b2-0000-7000-8000-000000000001',
      customerId: 'C-1',
      channel: 'email',
      channelId: null,
      placement: null,
      placements: null,
      deduplicate: false,
      limit: 3,
      context: {},
      segments: [],
      attributes: {},
      locale: null,
      currency: null,
      excludeOffers: [],
      excludeCreatives: [],
      dryRun: false,
    },
    known: true,
    profile: { age: 40, job: 'cook', interests: ['card'] },
    enriched: {},
    segments: ['loyal'],
    // One contact a lane, two days apart, as in the state row.
    contacts: foldContacts(
      {
        lanes,
        totals: lanes.map(() => 1),
        lastAt: lanes.map((_, at) => now - at * 2 * dayMs),
        log: lanes.map((_, lane) => ({ lane, at: now - lane * 2 * dayMs })).reverse(),
        keptFrom: 0,
        reservations: [],
      },
      plan.windows,
      now,
      clock,
    ),
    suppressions: [],
    evidence: {
      number: 1,
      offer: () => ofOffer,
      category: () => ofCategory,
      global: [400, 1600],
      pairsOf: ofOffer,
    },
  };
}
