import {
  type Json,
  type Snapshot,
  type SnapshotContentItem,
  type SnapshotCreative,
  type SnapshotOffer,
  type SnapshotPlacement,
  semantics,
} from '../../src/index.ts';
import type { Chance } from './chance.ts';
import { randomNodes } from './random-flow.ts';
import { randomPolicies, randomRules } from './random-gates.ts';

/** 2026-07-01T00:00:00Z */
const midYear = 1_782_864_000_000;

export const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York'];

/** A catalogue with one flow that uses whatever the engine can do, by chance; `ranks`: see `randomNodes`. */
export function randomSnapshot(
  chance: Chance,
  offsetsOf: (zone: string) => Snapshot['tenant']['offsets'],
  { ranks = true } = {},
): Snapshot {
  const channelTypes = ['email', 'web', 'phone', 'push'].slice(0, chance.int(1, 4));
  const channels = channelTypes.map((channelType) => ({
    id: `ch-${channelType}`,
    name: channelType.toUpperCase(),
    channelType,
    impressionMode: chance.pick(['implicit', 'implicit', 'explicit'] as const),
    couplingMode: chance.pick(['partial', 'atomic'] as const),
  }));
  const placements = Array.from(
    { length: chance.int(0, 4) },
    (_, at): SnapshotPlacement => ({
      id: `p${at}`,
      channelId: chance.pick(channels).id,
      name: `Place ${at}`,
      key: `place-${at % 3}`,
      slotType: chance.pick(['banner', 'card', 'list']),
      maxSlots: chance.int(1, 4),
      ...(chance.flip(0.25)
        ? { targeting: { field: 'attributes.page', operator: 'neq', value: 'checkout' } }
        : chance.flip(0.1)
          ? { targeting: { all: [{ field: 'customer.age', operator: 'gte', value: 30 }] } }
          : {}),
    }),
  );
  const categories = ['cards', 'loans', 'travel'].slice(0, chance.int(1, 3)).map((name, at) => ({
    id: `cat-${name}`,
    name,
    ...(at === 0
      ? {
          customFields: [
            { key: 'fee', type: 'number', defaultValue: 12 },
            { key: 'perk', type: 'text' },
            {
              key: 'gain',
              type: 'computed',
              formula: 'round(coalesce(customer.balance, 0) * 0.0151 - fee, 2)',
              outputType: chance.pick(['number', 'text']),
            },
          ],
        }
      : {}),
  }));
  const subCategories = categories.flatMap(({ id }) =>
    chance.flip(0.5) ? [{ id: `${id}-sub`, categoryId: id, name: `${id} sub` }] : [],
  );
  const offers = Array.from({ length: chance.int(4, 20) }, (_, at) =>
    randomOffer(chance, at, categories, subCategories),
  );
  const creatives = offers.flatMap(({ id }) => randomCreatives(chance, id, channels, placements));
  const hasItems = creatives.some(({ contentItemId }) => contentItemId !== undefined);
  const timezone = chance.pick(zones);
  const hasOthers = chance.flip(0.4);
  const inactive = chance.flip(0.15) && channels.length > 0;
  const hasJoin = chance.flip(0.4);
  return {
    format: 1,
    semantics,
    tenant: {
      timezone,
      offsets: offsetsOf(timezone) ?? [],
      locale: 'en',
      currency: chance.pick(['USD', 'EUR']),
      maxOffersPerDecision: chance.pick([50, 50, 20, 3]),
      holdoutPercentage: chance.pick([0, 0, 0, 10, 50]),
      mandatoryDailyCap: chance.int(0, 5),
      neverStore: [],
    },
    flow: {
      id: 'flow',
      key: 'flow',
      name: 'Flow',
      version: 1,
      couplingOverride: chance.pick([null, null, null, 'partial', 'atomic'] as const),
      config: {
        version: 2,
        ...randomNodes(chance, { channels, placements, categories, subCategories, offers }, ranks),
      },
    },
    channels,
    placements,
    ...(inactive
      ? {
          inactivePlacements: [
            {
              id: 'p-off',
              name: 'Off',
              channelId: channels[0]!.id,
              channelType: channels[0]!.channelType,
              couplingMode: channels[0]!.couplingMode,
            },
          ],
        }
      : {}),
    categories,
    subCategories,
    offers,
    ...(hasOthers ? { otherOffers: [{ id: 'gone', categoryId: categories[0]!.id, subCategoryId: null }] } : {}),
    creatives,
    ...(hasItems ? { contentItems } : {}),
    rules: randomRules(chance, { channels, placements, categories, offers, creatives }),
    policies: randomPolicies(chance, { channels, placements, categories, offers, creatives }),
    ...(ranks ? { rankingProfiles } : {}),
    schemas: [
      {
        id: 'people',
        name: 'people',
        schemaType: 'customer',
        autoEnrich: true,
        rowKey: 'customer_id',
        columns: ['customer_id', ...profileColumns].map((name) => ({ name, dataType: 'text', neverStore: false })),
      },
      {
        id: 'accounts',
        name: 'accounts',
        schemaType: 'account',
        autoEnrich: false,
        rowKey: 'key',
        columns: ['key', 'tier', 'limit'].map((name) => ({ name, dataType: 'text', neverStore: false })),
      },
      ...(hasJoin
        ? [
            {
              id: 'purchases',
              name: 'purchases',
              schemaType: 'event',
              autoEnrich: false,
              rowKey: 'id',
              columns: [
                { name: 'id', dataType: 'text', neverStore: false },
                { name: 'customer_id', dataType: 'text', neverStore: false },
                { name: 'amount', dataType: 'decimal', neverStore: false },
              ],
            },
          ]
        : []),
    ],
    ...(hasJoin
      ? {
          joins: [
            {
              schemaId: 'purchases',
              lookupColumn: 'customer_id',
              path: [],
              prefix: chance.pick(['', 'all_']),
              summaryColumns: ['amount'],
            },
          ],
        }
      : {}),
  };
}

const rankingProfiles = [
  { id: 'profile0', weights: { propensity: 0.4, impact: 1, margin: 0.3 } },
  { id: 'profile1', weights: { engagement: 1, fairness: 0.5, emphasis: 0.25 } },
];

const profileColumns = [
  'age',
  'job',
  'account_id',
  'preferred_channel',
  'preferred_product_type',
  'interests',
  'balance',
  'joined',
  'zone',
];

function randomOffer(
  chance: Chance,
  at: number,
  categories: readonly { readonly id: string }[],
  subCategories: readonly { readonly id: string; readonly categoryId: string }[],
): SnapshotOffer {
  const category = chance.flip(0.85) ? chance.pick(categories).id : null;
  const sub = subCategories.find(({ categoryId }) => categoryId === category);
  const mandatory = chance.flip(0.06);
  return {
    id: `o${String(at).padStart(2, '0')}`,
    name: `Offer ${at}`,
    status: chance.pick([
      'active',
      'active',
      'active',
      'active',
      'active',
      'active',
      'active',
      'active',
      'active',
      'paused',
      'draft',
    ]),
    categoryId: category,
    subCategoryId: sub !== undefined && chance.flip(0.5) ? sub.id : null,
    category: 'engagement',
    priority: chance.int(0, 20) * 5,
    businessValue: chance.int(0, 1000) / 10,
    mandatory,
    mandatoryExpiresAt: mandatory && chance.flip(0.5) ? midYear : null,
    emergencyExcluded: chance.flip(0.03),
    description: '',
    shortDesc: `Short ${at} – <ä>`,
    schedule: chance.flip(0.2) ? randomSchedule(chance) : null,
    eligibility: chance.flip(0.2) ? randomEligibility(chance) : null,
    ...(chance.flip(0.15) ? { frequencyCaps: randomCaps(chance) } : {}),
    ...(chance.flip(0.15) ? { tracksStock: true as const } : {}),
    ...(chance.flip(0.15) ? { budget: randomBudget(chance) } : {}),
    metadata: chance.flip(0.5)
      ? { campaign: `c${at % 3}`, customFields: { fee: chance.int(0, 40), perk: 'lounge' } }
      : {},
    tags: chance.some(['Travel', 'card', 'vip'], 0.3),
    productType: chance.pick(['card', 'loan', null]),
    margin: chance.flip(0.7) ? chance.int(-100, 4000) / 100 : null,
    revenueValue: chance.flip(0.7) ? chance.int(0, 50_000) / 100 : null,
  };
}

function randomSchedule(chance: Chance): { readonly [key: string]: Json } {
  return chance.pick<{ readonly [key: string]: Json }>([
    { startDate: '2026-05-01' },
    { endDate: '2026-10-25', timezone: 'Europe/Berlin' },
    { startHour: 8, endHour: 20 },
    { startHour: 22, endHour: 6, daysOfWeek: [1, 2, 3, 4, 5] },
    { startDate: '2026-03-29T02:30:00+01:00', endDate: '2026-12-01T00:00:00Z' },
    { startDate: 'soon' },
    { daysOfWeek: [0, 6], timezone: 'America/New_York' },
  ]);
}

function randomBudget(chance: Chance): { readonly [key: string]: Json } {
  return chance.pick<{ readonly [key: string]: Json }>([
    { lifetimeMaxImpressions: chance.int(0, 20) },
    { maxPerDay: chance.int(1, 20), costPerClickCents: 10 },
    { dailyCapCents: 100, costPerImpressionCents: chance.int(0, 30) },
    { lifetimeCapCents: 100, costPerImpressionCents: 7, dailyMaxImpressions: 10 },
    { lifetimeCapCents: 'much' },
  ]);
}

function randomCaps(chance: Chance): { readonly [key: string]: Json } {
  return chance.pick<{ readonly [key: string]: Json }>([
    { perCustomer: { daily: chance.int(0, 2) } },
    { perCustomer: { weekly: 2, monthly: chance.int(2, 4) } },
    { perCustomer: { total: chance.int(1, 5), daily: 1 } },
    { perCustomer: { daily: 'few' } },
    { perCustomer: null },
  ]);
}

function randomEligibility(chance: Chance): { readonly [key: string]: Json } {
  return chance.pick<{ readonly [key: string]: Json }>([
    { propensityThreshold: 0.3 },
    { requiredSegments: ['vip'] },
    { excludedSegments: ['churned', 'left'] },
    { conditions: { any: [{ field: 'customer.age', operator: 'between', value: [20, 50] }] } },
    { conditions: { field: 'attributes.page', operator: 'never heard of', value: 1 } },
    { conditions: [{ field: 'customer.joined', operator: 'within_last_days', value: 400 }] },
    { propensityThreshold: 'half' },
  ]);
}

const contents: readonly { readonly [key: string]: Json }[] = [
  { subject: 'Plain' },
  { subject: 'For {job}', body: 'Hello {name}, {offer.name} at {channel.name}', ctaUrl: 'https://x.example/?j={job}' },
  { html: '<b>{name}</b>', deepLink: 'app://{job}', nested: { list: ['{gain}', 1, null, { a: '{perk}' }] } },
  { imageUrl: 'javascript:{name}', body: '{personalization.extra} {attributes.page} {customer.balance} {missing}' },
];

const contentItems: readonly SnapshotContentItem[] = [
  {
    id: 'item-1',
    content: { subject: 'Item for {who}', headline: 'From {{attributes.page|home}}', ctaUrl: '{attributes.page}' },
    personalization: { who: { source: 'customer.job', fallback: 'Ä & <b>' } },
    html: [
      '<p>',
      { token: 'who' },
      ' <a',
      { urls: ['{attributes.page}', 'https://x.example/?j={job}'], before: ' href="', after: '"' },
      '>',
      { token: 'offer.name', fallback: 'offer' },
      '</a></p>',
    ],
    text: [{ token: 'offer.nothing', or: 'offer.shortDesc' }, '\n', { token: 'missing' }],
  },
  { id: 'item-2', content: { body: 'The same for all', deepLink: 'app://{job}/x' }, personalization: {} },
];

function randomCreatives(
  chance: Chance,
  offerId: string,
  channels: readonly { readonly id: string }[],
  placements: readonly SnapshotPlacement[],
): SnapshotCreative[] {
  return Array.from({ length: chance.pick([0, 1, 2, 2, 3, 3, 5]) }, (_, at): SnapshotCreative => {
    const channelId = chance.pick(channels).id;
    const own = placements.filter((placement) => placement.channelId === channelId);
    return {
      id: `${offerId}-c${at}`,
      name: `${offerId} ${at}`,
      offerId,
      channelId,
      placementId: own.length > 0 && chance.flip(0.5) ? chance.pick(own).id : null,
      templateType: chance.pick(['email_html', 'banner', 'webhook_json', 'html']),
      // The last of them is not published.
      ...(chance.flip(0.3) ? { contentItemId: chance.pick(['item-1', 'item-2', 'item-3']) } : {}),
      content: chance.pick(contents),
      personalization: [
        { variable: 'job', source: 'customer.job', fallback: 'you' },
        ...(chance.flip(0.5) ? [{ variable: 'name', source: 'attributes.first_name', fallback: 'Ä & <b>' }] : []),
        ...(chance.flip(0.2) ? [{ variable: 'extra', source: 'personalization.gain' }] : []),
      ],
      constraints: chance.flip(0.3)
        ? chance.pick([
            { frequencyCapPerDay: chance.int(0, 2) },
            { cooldownHours: chance.int(1, 50) },
            { priorityOverride: chance.int(0, 100) },
          ])
        : {},
      abTestVariant: chance.flip(0.2) ? 'b' : null,
      weight: chance.pick([100, 100, 50, 10, 0]),
    };
  });
}
