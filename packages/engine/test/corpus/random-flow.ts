import type { FlowConfig, FlowNode, Json, Snapshot } from '../../src/index.ts';
import type { Chance } from './chance.ts';

type Rows = Pick<Snapshot, 'channels' | 'placements' | 'categories' | 'subCategories' | 'offers'>;
type Config = { readonly [key: string]: Json };

/** `ranks`: with optimize and group nodes, and scores by ranking profiles. */
export function randomNodes(chance: Chance, rows: Rows, ranks: boolean): Pick<FlowConfig, 'nodes' | 'flowConfig'> {
  const nodes: { type: string; config?: Config; enabled?: boolean }[] = [
    { type: 'inventory', config: inventory(chance, rows) },
  ];
  const method = { ...scoreConfig(chance, rows), ...(ranks ? strategies(chance, rows) : {}) };
  const withNode = chance.flip(0.8);
  if (chance.flip(0.3)) nodes.push({ type: 'enrich', config: enrich(chance) });
  if (chance.flip(0.7)) nodes.push({ type: 'match_creatives', config: match(chance, rows) });
  for (let count = chance.pick([0, 1, 1, 1, 2]); count > 0; count--)
    nodes.push({
      type: 'qualify',
      config: chance.pick<Config>([
        {},
        {},
        { stages: ['eligibility', 'match'] },
        { mode: 'selected', ruleIds: ['rule0', 'rule2'] },
      ]),
    });
  if (chance.flip(0.35)) nodes.push({ type: 'filter', config: filter(chance) });
  if (chance.flip(0.6))
    nodes.push({
      type: 'contact_policy',
      config: chance.pick<Config>([{}, {}, { mode: 'selected', policyIds: ['policy0', 'policy1'] }]),
    });
  if (withNode) nodes.push({ type: 'score', config: method, enabled: true });
  if (ranks && chance.flip(0.3)) nodes.push({ type: 'optimize', config: optimize(chance) });
  if (chance.flip(0.85)) nodes.push({ type: 'rank', config: rank(chance) });
  if (ranks && chance.flip(0.4)) nodes.push({ type: 'group', config: group(chance, rows) });
  if (chance.flip(0.35)) nodes.push({ type: 'compute', config: compute(chance) });
  if (chance.flip(0.25)) nodes.push({ type: 'set_properties', config: { properties: chance.some(properties, 0.6) } });
  if (chance.flip(0.6))
    nodes.push({
      type: 'response',
      config: chance.pick<Config>([{}, { responseFormat: 'grouped' }, { responseFormat: 'minimal', limit: 2 }]),
    });
  return {
    nodes: nodes.map((node, at): FlowNode => ({ id: `n${at}`, ...node })),
    flowConfig: {
      defaultLimit: chance.int(1, 8),
      ...(chance.flip(0.5) ? { explore: explore(chance, rows) } : {}),
      ...(withNode ? {} : { scoring: method }),
    },
  };
}

function inventory(chance: Chance, { categories, offers }: Rows): Config {
  const statuses = chance.flip(0.2) ? { includeStatuses: ['active', 'paused', 'draft'] } : {};
  return chance.pick<Config>([
    { scope: 'all', ...statuses },
    { ...statuses },
    { scope: 'all', ...statuses },
    { scope: 'category', categoryIds: [categories[0]!.id], ...statuses },
    chance.flip(0.2) ? { scope: 'subcategory', subCategoryIds: [`${categories[0]!.id}-sub`] } : {},
    { scope: 'offers', offerIds: offers.slice(0, 12).map(({ id }) => id) },
  ]);
}

const enrich = (chance: Chance): Config => ({
  sources: [{ schemaId: 'accounts', ...(chance.flip(0.5) ? { prefix: 'acc_' } : {}) }],
  lookupKey: 'key',
  lookupFrom: 'customer.account_id',
  ...(chance.flip(0.2) ? { onMissing: 'drop_all' } : {}),
});

const match = (chance: Chance, { channels }: Rows): Config => ({
  ...(chance.flip(0.5) ? { requireCreative: chance.flip(0.5) } : {}),
  ...(chance.flip(0.4) ? { placementMatchMode: chance.pick(['exact', 'any', 'none']) } : {}),
  ...(chance.flip(0.15) ? { channelIds: [chance.pick(channels).id] } : {}),
});

function filter(chance: Chance): Config {
  const conditions: readonly Config[] = [
    { field: 'offer.priority', operator: 'gt', value: 20 },
    { field: 'offer.name', operator: 'regex', value: '^Offer [0-9]*[02468]$' },
    { field: 'customer.acc_tier', operator: 'eq', value: 'gold' },
    { field: 'customer.age', operator: 'is_not_null' },
    { field: 'channel.channelType', operator: 'in', value: ['email', 'web'] },
    { field: 'request.context.page', operator: 'neq', value: 'x' },
    { field: 'creative.weight', operator: 'gte', value: 10 },
  ];
  return {
    conditions: chance.some(conditions, 0.35),
    combinator: chance.pick(['AND', 'OR', 'OR', 'OR', 'OR']),
    ...(chance.flip(0.3) ? { contactPolicyIds: ['policy0', 'policy3'] } : {}),
  };
}

const exponent = (chance: Chance): number => chance.pick([0, 1, 1, 1, 0.4, 0.2, 1.5, 2, 0.333]);

function scoreConfig(chance: Chance, { channels }: Rows): Config {
  const formula = () => ({
    propensityWeight: exponent(chance),
    relevanceWeight: exponent(chance),
    impactWeight: exponent(chance),
    emphasisWeight: exponent(chance),
  });
  return {
    method: chance.pick(['priority_weighted', 'propensity', 'formula', 'formula', 'formula']),
    ...(chance.flip(0.7) ? { formula: formula() } : {}),
    ...(chance.flip(0.4)
      ? { evidence: { offerMin: chance.int(1, 60), categoryMin: 15, globalMin: 30, smoothing: chance.int(0, 20) } }
      : {}),
    ...(chance.flip(0.2) ? { minPropensity: 0.25 } : {}),
    ...(chance.flip(0.2) ? { minScore: 0.02 } : {}),
    ...(chance.flip(0.2) ? { overrides: [{ channelId: chance.pick(channels).id, method: 'propensity' }] } : {}),
    ...(chance.flip(0.2) ? { overrides: [{ channelType: 'email', formula: formula() }] } : {}),
  };
}

function rank(chance: Chance): Config {
  return chance.pick<Config>([
    {},
    { method: 'topN', topN: chance.int(1, 6) },
    { method: 'topN', maxCandidates: chance.int(1, 9) },
    { method: 'diversity', lambda: chance.int(0, 10) / 10 },
    { method: 'diversity', diversityLambda: 0.5, maxPerCategory: 1, similarity: { category: 0.2, productType: 0.9 } },
    { method: 'diversity', maxPerCategory: 2 },
    { method: 'round_robin' },
    exploreExploit(chance),
    exploreExploit(chance),
    exploreExploit(chance),
    { method: 'round_robin', roundRobinBy: chance.pick(['subCategory', 'productType', 'channel']) },
  ]);
}

const exploreExploit = (chance: Chance): Config => ({
  method: 'explore_exploit',
  ...chance.pick<Config>([
    {},
    { explorationRate: 0.4 },
    { pool: 'low_evidence', minEvidence: 30, explorationRate: 0.5 },
    { strategy: 'softmax', temperature: chance.pick([0.05, 0.3, 2]) },
    { strategy: 'thompson', draws: 100 },
    { strategy: 'ucb', ucbC: chance.pick([0, 0.5, 3]) },
  ]),
  ...(chance.flip(0.5) ? { poolSize: chance.int(2, 9) } : {}),
  ...(chance.flip(0.3) ? { fromRank: chance.int(1, 3) } : {}),
});

const strategies = (chance: Chance, { channels }: Rows): Config => ({
  ...(chance.flip(0.15) ? { strategyProfileId: 'profile0' } : {}),
  ...(chance.flip(0.15)
    ? { strategyOverrides: [{ scope: 'channel', value: chance.pick(channels).name, profileId: 'profile1' }] }
    : {}),
});

const optimize = (chance: Chance): Config => ({
  ...chance.pick<Config>([
    { profileId: 'profile0' },
    { profileId: 'profile1' },
    { weights: { revenue: 0.7, businessValue: 0.2, conversion: 1 } },
    { weights: { recency: 0.5, fatigue: 1, relevance: 0.1 } },
  ]),
  ...(chance.flip(0.4) ? { combine: 'replace' } : { blendFactor: chance.int(0, 10) / 10 }),
});

const group = (chance: Chance, { placements }: Rows): Config => ({
  ...(chance.flip(0.5) ? { allocation: chance.pick(['greedy', 'optimal']) } : {}),
  ...(chance.flip(0.3) ? { uniqueOffers: false } : {}),
  ...(chance.flip(0.5) ? { placements: placements.map(({ id }) => ({ placementId: id, maxSlots: 2 })) } : {}),
  ...(chance.flip(0.5)
    ? { placementWeights: Object.fromEntries(placements.map(({ id }) => [id, chance.int(0, 20) / 10])) }
    : {}),
});

const explore = (chance: Chance, { channels }: Rows): Config => ({
  rate: chance.pick([0.05, 0.1, 0.2, 0.2]),
  ...(chance.flip(0.6) ? { poolSize: chance.int(2, 12) } : {}),
  ...(chance.flip(0.3) ? { fromRank: chance.int(1, 3) } : {}),
  ...(chance.flip(0.3) ? { channels: chance.some(channels, 0.6).map(({ id }) => id) } : {}),
});

const extras: readonly Config[] = [
  { key: 'rest', formula: 'round(pow(coalesce(customer.balance, 1), 0.31) + score.total, 4)' },
  { key: 'since', formula: 'format_date(customer.joined, "YYYY-MM")', outputType: 'text' },
  { key: 'local', formula: 'format_date(now(), "DD.MM.YYYY HH:mm:ss")', outputType: 'text' },
  { key: 'twice', formula: 'rest * 2 / (customer.age - 30)' },
  { key: 'logs', formula: 'ln(offer.priority) + exp(score.propensity) - sqrt(offer.margin)' },
  { key: 'word', formula: 'upper(concat(offer.name, " ", channel.name, " ", customer.job))', outputType: 'text' },
  { key: 'is', formula: 'customer.age >= 30 && len(offer.tags) > 0 || not_a_name', outputType: 'boolean' },
  { key: 'days', formula: 'days_between(customer.joined, now())' },
  { key: 'odd', formula: 'if(offer.priority % 2 == 0, clamp(offer.margin, 0, 9), min(1, 2, customer.age))' },
  { key: 'broken', formula: '1 +' },
  { key: 'gains', formula: 'gain + 1' },
  { key: 'spent', formula: 'customer.purchases_amount_sum / customer.purchases_count' },
];

const compute = (chance: Chance): Config => ({
  formulaExtras: chance.some(extras, 0.4),
  ...(chance.flip(0.15) ? { includeCustomFields: false } : {}),
});

const properties: readonly Config[] = [
  { key: 'page', formula: 'concat("page ", coalesce(attributes.page, "none"))', target: 'response' },
  { key: 'fixed', value: { a: [1, null, 'ü'] }, target: 'response' },
  { key: 'own', value: true },
  { key: 'sum', formula: 'score.total + offer.priority' },
  { key: 'bad', formula: 'customer.none / 0', target: 'decision' },
];
