import {
  type Contacts,
  type DecisionInput,
  foldContacts,
  type Json,
  type Plan,
  type Snapshot,
  type SnapshotOffer,
  type SnapshotPolicy,
  type SnapshotRule,
  semantics,
  type ZoneClock,
} from '../index.ts';

// Worlds for the tests of why-not: small catalogues with every kind of gate, by chance, and what a customer brings.

/** Random numbers from a seed, so that a failure can be repeated. */
export interface Chance {
  int(from: number, to: number): number;
  flip(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let mixed = state ^ (state >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d);
    mixed ^= mixed >>> 12;
    return (mixed >>> 0) / 2 ** 32;
  };
  return {
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    flip: (share) => next() < share,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The calendar of UTC. */
export function utcClock(_zone: string, at: number): ZoneClock {
  const day = new Date(Math.floor(at / dayMs) * dayMs);
  const dayStart = day.getTime();
  const weekday = day.getUTCDay();
  const weekStart = dayStart - ((weekday + 6) % 7) * dayMs;
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  const second = Math.floor((at - dayStart) / 1000);
  return {
    dayStart,
    dayEnd: dayStart + dayMs,
    weekStart,
    weekEnd: weekStart + 7 * dayMs,
    monthStart: Date.UTC(year, month),
    monthEnd: Date.UTC(year, month + 1),
    days30Start: dayStart - 29 * dayMs,
    date: day.toISOString().slice(0, 10),
    weekday,
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
  };
}

/** Columns of the only schema, with what they hold. */
export const worldColumns = {
  age: 'integer',
  income: 'number',
  tier: 'text',
  active: 'boolean',
  joined: 'date',
  visited: 'instant',
} as const;

export interface World {
  readonly snapshot: Snapshot;
  readonly now: number;
  readonly request: DecisionInput['request'];
  readonly profile: Readonly<Record<string, Json>>;
  readonly segments: readonly string[];
  readonly contacts: Contacts;
  readonly suppressions: DecisionInput['suppressions'];
  readonly soldOut: readonly string[];
  readonly volumes?: DecisionInput['volumes'];
  readonly modelStates?: DecisionInput['modelStates'];
}

const words = ['gold', 'silver', 'basic'];

export function randomTest(chance: Chance): {
  readonly field: string;
  readonly operator: string;
  readonly value?: Json;
} {
  const field = chance.pick(['age', 'income', 'tier', 'active', 'joined', 'attributes.page', 'attributes.total']);
  if (chance.flip(0.1)) return { field, operator: 'exists' };
  if (field === 'tier' || field === 'attributes.page') {
    return chance.pick([
      { field, operator: 'eq', value: chance.pick(words) },
      { field, operator: 'in', value: ['gold', 'silver'] },
      { field, operator: 'neq', value: 'basic' },
      { field, operator: 'starts_with', value: 'g' },
      { field, operator: 'contains', value: 'old' },
    ]);
  }
  if (field === 'active') return { field, operator: 'eq', value: chance.flip(0.5) };
  if (field === 'joined') {
    return chance.pick([
      { field, operator: 'gte', value: '2026-02-01' },
      { field, operator: 'lt', value: '2025-06-01' },
      { field, operator: 'within_last_days', value: chance.int(5, 90) },
      { field, operator: 'not_within_last_days', value: chance.int(5, 90) },
    ]);
  }
  const bound = field === 'age' ? chance.int(18, 60) : chance.int(10, 400) / 4;
  const operator = chance.pick(['gte', 'gt', 'lte', 'lt', 'eq', 'between']);
  return { field, operator, value: operator === 'between' ? [bound, bound + 5] : bound };
}

function randomRule(chance: Chance, at: number, offers: readonly SnapshotOffer[]): SnapshotRule {
  const scoped = chance.flip(0.75);
  const base = {
    id: `rule-${at}`,
    name: `Rule ${at}`,
    scopes: [scoped ? { scope: 'offer', scopeId: chance.pick(offers).id } : { scope: 'global', scopeId: null }],
    priority: chance.int(0, 100),
    stage: scoped && chance.flip(0.8) ? 'eligibility' : 'match',
    createdAt: at,
  } as const;
  const kind = chance.int(0, 9);
  if (kind < 7) {
    const { field, ...test } = randomTest(chance);
    return { ...base, ruleType: 'attribute_condition', config: { attribute: field, ...test } };
  }
  if (kind < 8) {
    return {
      ...base,
      ruleType: 'segment_required',
      config: { requiredSegments: ['vip', 'club'].slice(chance.int(0, 1)) },
    };
  }
  const config = chance.pick([{ maxDays: chance.int(1, 60) }, { minDays: chance.int(1, 60) }]);
  return { ...base, ruleType: 'recency_check', config: { attribute: chance.pick(['joined', 'visited']), ...config } };
}

function randomPolicy(chance: Chance, at: number, offers: readonly SnapshotOffer[]): SnapshotPolicy {
  const [ruleType, config] = chance.pick<readonly [string, { readonly [key: string]: Json }]>([
    ['frequency_cap', { maxPerDay: chance.int(1, 2) }],
    ['frequency_cap', { maxPerWeek: chance.int(1, 3) }],
    ['frequency_cap', { maxTotal: chance.int(1, 4) }],
    ['frequency_cap', { windows: [{ max: 1, hours: chance.int(1, 100) }] }],
    ['cooldown', { cooldownHours: chance.int(1, 200) }],
    ['time_window', { startHour: chance.int(0, 20), endHour: chance.int(0, 24) }],
    ['time_window', { daysOfWeek: [chance.int(0, 6), chance.int(0, 6)] }],
    ['segment_exclusion', { excludeSegments: ['vip'] }],
    ['do_not_contact', { condition: { field: 'customer.tier', operator: 'eq', value: 'basic' } }],
  ]);
  const global = chance.flip(0.3) && ruleType !== 'do_not_contact';
  return {
    id: `policy-${at}`,
    name: `Policy ${at}`,
    ruleType,
    config,
    scopes: [global ? { scope: 'global', scopeId: null } : { scope: 'offer', scopeId: chance.pick(offers).id }],
    priority: chance.int(0, 100),
    createdAt: at,
  };
}

function randomOffer(chance: Chance, at: number): SnapshotOffer {
  return {
    id: `offer-${String(at).padStart(3, '0')}`,
    name: `Offer ${at}`,
    status: 'active',
    categoryId: chance.pick(['cards', 'loans', null]),
    subCategoryId: null,
    category: 'engagement',
    priority: chance.int(0, 100),
    businessValue: chance.int(0, 100),
    mandatory: false,
    mandatoryExpiresAt: null,
    emergencyExcluded: chance.flip(0.03),
    description: '',
    shortDesc: '',
    schedule: chance.flip(0.15)
      ? chance.pick<{ readonly [key: string]: Json }>([
          { startDate: '2026-04-01' },
          { startDate: '2026-03-25T07:30:00Z' },
          { startHour: 18, endHour: 20 },
          { daysOfWeek: [0, 6] },
          { endDate: '2026-03-01' },
        ])
      : null,
    eligibility: chance.flip(0.1)
      ? { requiredSegments: ['vip'], conditions: { field: 'customer.age', operator: 'gte', value: 30 } }
      : null,
    metadata: {},
    tags: [],
    productType: null,
    margin: null,
    revenueValue: null,
    ...(chance.flip(0.1) ? { tracksStock: true } : {}),
  };
}

export function randomWorld(chance: Chance, count = chance.int(3, 14)): World {
  const now = Date.UTC(2026, 2, chance.int(1, 28), chance.int(0, 23), chance.int(0, 59), chance.int(0, 59));
  const offers = Array.from({ length: count }, (_, at) => randomOffer(chance, at));
  const filters = chance.flip(0.4)
    ? [
        {
          id: 'filter',
          type: 'filter',
          config: {
            combinator: chance.pick(['AND', 'OR']),
            conditions: Array.from({ length: chance.int(1, 2) }, () => {
              const { field, ...test } = randomTest(chance);
              const usable = ['between', 'within_last_days', 'not_within_last_days'].includes(test.operator);
              return usable
                ? { field: 'customer.age', operator: 'gte', value: 25 }
                : { field: field.includes('.') ? field : `customer.${field}`, ...test };
            }),
          },
        },
      ]
    : [];
  const method = chance.pick(['priority_weighted', 'priority_weighted', 'formula']);
  const snapshot: Snapshot = {
    format: 1,
    semantics,
    tenant: {
      timezone: 'UTC',
      locale: 'en',
      currency: 'USD',
      maxOffersPerDecision: 50,
      holdoutPercentage: 0,
      mandatoryDailyCap: 5,
      neverStore: [],
    },
    flow: {
      id: 'flow',
      key: 'flow',
      name: 'Flow',
      version: 1,
      couplingOverride: null,
      config: {
        version: 2,
        nodes: [
          { id: 'inventory', type: 'inventory' },
          { id: 'creatives', type: 'match_creatives' },
          ...filters,
          { id: 'qualify', type: 'qualify' },
          { id: 'policy', type: 'contact_policy' },
          { id: 'score', type: 'score', config: { method, ...(chance.flip(0.2) ? { minScore: 0.1 } : {}) } },
          {
            id: 'rank',
            type: 'rank',
            config: chance.pick<{ readonly [key: string]: Json }>([
              { method: 'topN' },
              { method: 'topN' },
              { method: 'diversity', lambda: 0.6 },
            ]),
          },
          { id: 'response', type: 'response' },
        ],
        flowConfig: chance.flip(0.3) ? { explore: { rate: 0.2, poolSize: 10 } } : {},
      },
    },
    channels: [{ id: 'web', name: 'Web', channelType: 'web', impressionMode: 'implicit', couplingMode: 'partial' }],
    placements: [],
    categories: [
      { id: 'cards', name: 'Cards' },
      { id: 'loans', name: 'Loans' },
    ],
    subCategories: [],
    offers,
    creatives: offers.map(({ id }) => ({
      id: `${id}-c`,
      name: id,
      offerId: id,
      channelId: 'web',
      placementId: null,
      templateType: 'email_html',
      content: {},
      personalization: [],
      constraints: chance.flip(0.05) ? { cooldownHours: 12 } : {},
      abTestVariant: null,
      weight: 100,
    })),
    rules: Array.from({ length: chance.int(2, Math.min(count, 40)) }, (_, at) => randomRule(chance, at, offers)),
    policies: Array.from({ length: chance.int(0, 5) }, (_, at) => randomPolicy(chance, at, offers)),
    schemas: [
      {
        id: 'people',
        name: 'people',
        schemaType: 'customer',
        autoEnrich: true,
        rowKey: 'customer_id',
        primaryKey: 'customer_id',
        columns: ['customer_id', ...Object.keys(worldColumns)].map((name) => ({
          name,
          dataType: 'text',
          neverStore: false,
        })),
      },
    ],
  };
  return {
    snapshot,
    now,
    request: randomRequest(chance),
    profile: randomProfile(chance, now),
    segments: chance.flip(0.3) ? [chance.pick(['vip', 'club'])] : [],
    contacts: randomContacts(chance, offers, now),
    suppressions: chance.flip(0.2)
      ? [
          {
            scope: 'offer',
            scopeId: chance.pick(offers).id,
            policyId: null,
            reason: 'manual',
            expiresAt: now + chance.int(1, 50 * dayMs),
          },
        ]
      : [],
    soldOut: chance.flip(0.3) ? [chance.pick(offers).id] : [],
  };
}

function randomRequest(chance: Chance): World['request'] {
  return {
    requestId: '00000000-0000-7000-8000-000000000001',
    customerId: `C${chance.int(1, 1000)}`,
    channel: null,
    channelId: null,
    placement: null,
    placements: null,
    deduplicate: false,
    limit: chance.int(1, 4),
    context: {},
    segments: [],
    attributes: {
      ...(chance.flip(0.5) ? { page: chance.pick(words) } : {}),
      ...(chance.flip(0.5) ? { total: chance.int(0, 400) / 4 } : {}),
    },
    locale: null,
    currency: null,
    excludeOffers: [],
    excludeCreatives: [],
    dryRun: false,
  };
}

function randomProfile(chance: Chance, now: number): World['profile'] {
  const profile: Record<string, Json> = {};
  if (chance.flip(0.8)) profile.age = chance.int(15, 70);
  if (chance.flip(0.8)) profile.income = chance.int(0, 400) / 4;
  if (chance.flip(0.8)) profile.tier = chance.pick(words);
  if (chance.flip(0.8)) profile.active = chance.flip(0.5);
  if (chance.flip(0.8)) profile.joined = new Date(now - chance.int(0, 400) * dayMs).toISOString().slice(0, 10);
  if (chance.flip(0.8)) profile.visited = new Date(now - chance.int(0, 60 * dayMs)).toISOString();
  return profile;
}

function randomContacts(chance: Chance, offers: readonly SnapshotOffer[], now: number): Contacts {
  const lanes = offers.map(({ id }) => ({ offerId: id, creativeId: `${id}-c`, channelId: 'web', campaignId: null }));
  const log = Array.from({ length: chance.int(0, 10) }, () => ({
    lane: chance.int(0, lanes.length - 1),
    at: now - chance.int(0, 8 * dayMs),
  })).sort((a, b) => a.at - b.at);
  return {
    lanes,
    totals: lanes.map((_, lane) => log.filter((entry) => entry.lane === lane).length),
    lastAt: lanes.map((_, lane) => log.findLast((entry) => entry.lane === lane)?.at ?? Number.NEGATIVE_INFINITY),
    log,
    keptFrom: 0,
    reservations: [],
  };
}

/** Returns what a decision of the world reads at an instant. */
export function inputAt(world: World, plan: Plan, now: number): DecisionInput {
  const clock = utcClock('UTC', now);
  return {
    now,
    seed: '0'.repeat(32),
    zones: { UTC: clock },
    request: world.request,
    known: true,
    profile: world.profile,
    enriched: {},
    segments: world.segments,
    contacts: foldContacts(world.contacts, plan.windows, now, clock, { longestCooldownMs: plan.longestCooldownMs }),
    suppressions: world.suppressions,
    soldOut: world.soldOut,
    ...(world.volumes === undefined ? {} : { volumes: world.volumes }),
    ...(world.modelStates === undefined ? {} : { modelStates: world.modelStates }),
    evidence: { number: 0, offer: () => [0, 0], category: () => [0, 0], global: [0, 0] },
  };
}
