import {
  type Snapshot,
  type SnapshotCreative,
  type SnapshotFlow,
  type SnapshotOffer,
  type SnapshotPolicy,
  type SnapshotRule,
  semantics,
} from '@arbiter/engine';
import { createSharedValues } from '../../../catalogue/catalogue-records/index.ts';
import { settingsOf } from '../../../identity/settings/index.ts';
import { compileFlow, type LiveFlow, noContentItems, ownReadSet, type TenantCatalogue } from '../../plans/index.ts';

/** The rehearsal's tenant. Nobody has this id. */
export const nobodysTenant = '00000000-0000-0000-0000-000000000000';

const invented = (kind: number, at: number): string =>
  `00000000-0000-7000-8${String(kind).padStart(3, '0')}-${String(at).padStart(12, '0')}`;

const offers = 40;
const channelId = invented(1, 0);
const categoryId = invented(2, 0);

/** Returns an invented catalogue with what most catalogues have: creatives, rules, caps, formulas, templates. */
function inventedSnapshot(timezone: string): Snapshot {
  const settings = settingsOf({});
  const numbers = Array.from({ length: offers }, (_, at) => at);
  return {
    format: 1,
    semantics,
    tenant: {
      timezone,
      locale: settings.locale,
      currency: settings.currency,
      maxOffersPerDecision: settings.maxOffersPerDecision,
      holdoutPercentage: 0,
      mandatoryDailyCap: settings.mandatoryDailyCap,
      neverStore: [],
    },
    flow: inventedFlow,
    channels: [{ id: channelId, name: 'Web', channelType: 'web', impressionMode: 'implicit', couplingMode: 'partial' }],
    placements: [],
    categories: [{ id: categoryId, name: 'Category' }],
    subCategories: [],
    offers: numbers.map(inventedOffer),
    creatives: numbers.map(inventedCreative),
    rules: [inventedRule],
    policies: [
      inventedPolicy(0, 'Cap', 'frequency_cap', { maxPerDay: 1_000, maxPerMonth: 10_000 }),
      inventedPolicy(1, 'Cooldown', 'cooldown', { cooldownHours: 1, per: 'offer' }),
    ],
    schemas: [],
  };
}

const inventedFlow: SnapshotFlow = {
  id: invented(3, 0),
  key: 'rehearsal',
  name: 'Rehearsal',
  version: 1,
  couplingOverride: null,
  config: {
    version: 2,
    nodes: [
      { id: 'inventory', type: 'inventory', config: {} },
      { id: 'creatives', type: 'match_creatives', config: {} },
      { id: 'qualify', type: 'qualify', config: {} },
      { id: 'policy', type: 'contact_policy', config: {} },
      { id: 'score', type: 'score', config: { method: 'formula' } },
      { id: 'rank', type: 'rank', config: { method: 'topN', topN: 5 } },
      { id: 'response', type: 'response', config: {} },
    ],
  },
};

function inventedOffer(at: number): SnapshotOffer {
  return {
    id: invented(4, at),
    name: `Offer ${at}`,
    status: 'active',
    categoryId,
    subCategoryId: null,
    category: 'engagement',
    priority: (at * 37) % 101,
    businessValue: (at * 17) % 101,
    mandatory: false,
    mandatoryExpiresAt: null,
    emergencyExcluded: false,
    description: '',
    shortDesc: 'Short',
    schedule: at % 10 === 0 ? { startDate: '2020-01-01', endDate: '2099-12-31' } : null,
    eligibility: null,
    metadata: {},
    tags: ['travel'],
    productType: 'card',
    margin: 1,
    revenueValue: 10,
  };
}

function inventedCreative(at: number): SnapshotCreative {
  return {
    id: invented(5, at),
    name: `Creative ${at}`,
    offerId: invented(4, at),
    channelId,
    placementId: null,
    templateType: 'banner',
    content: { headline: 'For {first}', body: 'Text' },
    personalization: [{ variable: 'first', source: 'customer.first_name', fallback: 'you' }],
    constraints: {},
    abTestVariant: null,
    weight: 100,
  };
}

const inventedRule: SnapshotRule = {
  id: invented(6, 0),
  name: 'Rule',
  ruleType: 'attribute_condition',
  config: { attribute: 'attributes.page', operator: 'neq', value: 'never' },
  scopes: [{ scope: 'global', scopeId: null }],
  priority: 50,
  stage: 'eligibility',
  createdAt: 0,
};

function inventedPolicy(at: number, name: string, ruleType: string, config: SnapshotPolicy['config']): SnapshotPolicy {
  return {
    id: invented(7, at),
    name,
    ruleType,
    config,
    scopes: [{ scope: 'global', scopeId: null }],
    priority: 50,
    createdAt: at,
  };
}

/** The catalogue that the rehearsal decides with; read from nowhere and stored nowhere. */
export async function rehearsalCatalogue(timezone: string): Promise<TenantCatalogue> {
  const snapshot = inventedSnapshot(timezone);
  const compiled = await compileFlow(snapshot, Buffer.alloc(32));
  const flow: LiveFlow = { ...compiled, readSet: ownReadSet(compiled.plan, []), joined: [], membership: null };
  return {
    tenantId: nobodysTenant,
    version: 0,
    settings: { ...settingsOf({}), decisionTraceEnabled: true, decisionTraceSampleRate: 0.5 },
    isPlayground: false,
    channelIds: [channelId],
    inactiveChannels: new Set(),
    outcomes: new Map(),
    outcomePolicies: [],
    policyMarks: new Map(),
    countsVolumes: false,
    volumes: [],
    schemaTables: new Map(),
    metrics: [],
    realtimeCounter: null,
    rows: {
      wanted: { statuses: ['active'], otherOffers: false, budgets: true, contentItems: false },
      pieces: [],
      offers: snapshot.offers,
      creatives: snapshot.creatives,
      contentItems: noContentItems,
      otherOffers: undefined,
      shared: createSharedValues(),
    },
    hasFlow: () => true,
    flowFor: () => flow,
    flowVersion: () => flow,
    compileOnce: async () => flow,
    openOnce: async () => flow,
    compileAhead: async () => undefined,
    logHorizonMs: () => flow.plan.logHorizonMs,
  };
}
