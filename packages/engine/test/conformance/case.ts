import {
  type Contacts,
  civilFromDays,
  type DecisionInput,
  type DecisionRequest,
  foldContacts,
  foldOutcomes,
  type Json,
  type LatestOutcome,
  type ObjectiveCounts,
  type OutcomeReads,
  type Plan,
  parseInstant,
  type Snapshot,
  type SnapshotChannel,
  type SnapshotCreative,
  type SnapshotExperiment,
  type SnapshotModel,
  type SnapshotOffer,
  type SnapshotPlacement,
  type SnapshotPolicy,
  type SnapshotRule,
  type Suppression,
  semantics,
  type VolumeCounts,
  type VolumeKey,
  type ZoneClock,
} from '../../src/index.ts';

/**
 * A conformance case as it is written down: only what differs from the defaults below. Instants are ISO texts;
 * contacts are single ones, folded as the server folds them. Without `creatives` every offer has one, `<offer>-c`, on
 * the first channel.
 */
export interface CaseSource {
  readonly name: string;
  /** Subjects of `conformance/inventory.json` that the case covers (`readClaim`). */
  readonly covers?: readonly string[];
  readonly at?: string;
  readonly clock?: Partial<ZoneClock>;
  /** Clocks of single zones, where they differ from that. */
  readonly zones?: Readonly<Record<string, Partial<ZoneClock>>>;
  /** Ranges of the calendar windows as instants, for zones with a change of the clock. */
  readonly ranges?: Readonly<Record<string, readonly [string, string]>>;
  readonly tenant?: Partial<Snapshot['tenant']>;
  readonly flow?: Partial<Omit<Snapshot['flow'], 'config'>>;
  readonly flowConfig?: { readonly [key: string]: Json };
  readonly nodes?: Snapshot['flow']['config']['nodes'];
  /** Flows that are called; each has the usual score method. */
  readonly subFlows?: readonly SubFlowSource[];
  readonly channels?: readonly Partial<SnapshotChannel>[];
  readonly placements?: readonly Partial<SnapshotPlacement>[];
  readonly inactivePlacements?: Snapshot['inactivePlacements'];
  readonly categories?: Snapshot['categories'];
  readonly subCategories?: Snapshot['subCategories'];
  readonly offers?: readonly Partial<Omit<SnapshotOffer, 'mandatoryExpiresAt'> & { mandatoryExpiresAt: string }>[];
  readonly otherOffers?: Snapshot['otherOffers'];
  readonly creatives?: readonly Partial<SnapshotCreative>[];
  readonly rules?: readonly Partial<SnapshotRule>[];
  readonly policies?: readonly Partial<SnapshotPolicy>[];
  readonly schemas?: Snapshot['schemas'];
  readonly request?: Partial<DecisionRequest>;
  /** 32 hex digits; zeros without. */
  readonly seed?: string;
  readonly profile?: DecisionInput['profile'];
  readonly enriched?: DecisionInput['enriched'];
  readonly segments?: readonly string[];
  readonly contacts?: readonly ContactSource[];
  readonly outcomes?: readonly (ContactSource & { readonly outcome: string })[];
  readonly suppressions?: readonly (Partial<Omit<Suppression, 'expiresAt'>> & { readonly expiresAt: string })[];
  readonly soldOut?: readonly string[];
  readonly external?: DecisionInput['external'];
  /** Without `names` a model is named by its key. */
  readonly models?: readonly (Partial<SnapshotModel> & Pick<SnapshotModel, 'key' | 'modelType'>)[];
  /** States by key of the model. */
  readonly modelStates?: Readonly<Record<string, Json>>;
  readonly openBreakers?: readonly string[];
  /** Without `id` an experiment has its key as id. */
  readonly experiments?: readonly (Omit<SnapshotExperiment, 'id'> & { readonly id?: string })[];
  /** Variants that the customer was assigned before, by experiment. */
  readonly assigned?: DecisionInput['experiments'];
  /** Volumes near their limits. Missing figures are 0. */
  readonly volumes?: readonly (VolumeKey & Partial<VolumeCounts>)[];
  readonly evidence?: EvidenceSource;
  readonly rankingProfiles?: Snapshot['rankingProfiles'];
  readonly metrics?: Snapshot['metrics'];
  /** By offer: impressions, positives and converts of 30 days, impressions of 7 days. */
  readonly objectiveCounts?: Readonly<Record<string, readonly [number, number, number, number]>>;
  readonly expect: { readonly [key: string]: Json };
}

interface SubFlowSource {
  readonly key: string;
  readonly version?: number;
  readonly nodes: Snapshot['flow']['config']['nodes'];
  readonly flowConfig?: { readonly [key: string]: Json };
}

interface ContactSource {
  readonly offerId: string;
  readonly creativeId?: string;
  readonly channelId?: string;
  readonly campaignId?: string;
  readonly at: string;
  /** An open reservation instead of a counted contact. */
  readonly reservedUntil?: string;
}

type Pair = readonly [positives: number, negatives: number];
interface EvidenceSource {
  readonly offers?: Readonly<Record<string, Pair>>;
  readonly categories?: Readonly<Record<string, Pair>>;
  readonly global?: Pair;
}

export interface ConformanceCase {
  readonly name: string;
  readonly source: CaseSource;
  readonly snapshot: Snapshot;
  readonly expect: { readonly [key: string]: Json };
  /** `calendar`: that of another instant with real time zones, instead of the case's. */
  input(plan: Plan, calendar?: Calendar): DecisionInput;
}

export interface Calendar {
  readonly now: number;
  /** Null: the zone doesn't exist. */
  clockOf(zone: string): ZoneClock | null;
}

const dayMs = 86_400_000;

const nothingCounted = { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 };

const defaultNodes = [
  { id: 'inventory', type: 'inventory' },
  { id: 'creatives', type: 'match_creatives' },
  { id: 'qualify', type: 'qualify' },
  { id: 'policy', type: 'contact_policy' },
  { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'rank', type: 'rank' },
  { id: 'response', type: 'response' },
];

export function readCase(json: Json): ConformanceCase {
  const source = json as unknown as CaseSource;
  const now = instant(source.at ?? '2026-11-20T12:00:00Z');
  const snapshot = snapshotOf(source);
  const clock = clockOf(source, now);
  return {
    name: source.name,
    source,
    snapshot,
    expect: source.expect,
    input(plan, calendar) {
      if (calendar === undefined) return inputOf(source, snapshot, plan, now, clock);
      const { timezone } = snapshot.tenant;
      const usual = calendar.clockOf(timezone);
      if (usual === null) throw new Error(`${timezone} is not a time zone`);
      const zones = zonesOf(source, plan).flatMap((zone) => {
        const found = calendar.clockOf(zone);
        return found === null ? [] : [[zone, found] as const];
      });
      const input = inputOf(source, snapshot, plan, calendar.now, usual);
      return { ...input, zones: Object.fromEntries(zones) };
    },
  };
}

function snapshotOf(source: CaseSource): Snapshot {
  const channels = (source.channels ?? [{ id: 'email', channelType: 'email' }]).map(
    (channel): SnapshotChannel => ({
      id: 'email',
      name: channel.id ?? 'email',
      channelType: channel.id ?? 'email',
      impressionMode: 'implicit',
      couplingMode: 'partial',
      ...channel,
    }),
  );
  const offers = (source.offers ?? [{ id: 'A' }]).map(offerOf);
  const creatives = source.creatives ?? offers.map(({ id }) => ({ id: `${id}-c`, offerId: id }));
  return {
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
      ...source.tenant,
    },
    flow: {
      id: 'flow',
      key: 'flow',
      name: 'Flow',
      version: 1,
      couplingOverride: null,
      ...source.flow,
      config: { version: 2, nodes: source.nodes ?? defaultNodes, flowConfig: source.flowConfig ?? {} },
    },
    ...(source.subFlows === undefined
      ? {}
      : {
          subFlows: source.subFlows.map(({ key, version = 1, nodes, flowConfig }) => ({
            id: `id-${key}`,
            key,
            version,
            config: { version: 2, nodes, flowConfig: { scoring: { method: 'priority_weighted' }, ...flowConfig } },
          })),
        }),
    channels,
    placements: (source.placements ?? []).map(
      (placement): SnapshotPlacement => ({
        id: 'p',
        channelId: channels[0]?.id ?? 'email',
        name: placement.id ?? 'p',
        key: placement.id ?? 'p',
        slotType: 'banner',
        maxSlots: 1,
        ...placement,
      }),
    ),
    ...(source.inactivePlacements === undefined ? {} : { inactivePlacements: source.inactivePlacements }),
    categories: source.categories ?? [],
    subCategories: source.subCategories ?? [],
    offers,
    ...(source.otherOffers === undefined ? {} : { otherOffers: source.otherOffers }),
    creatives: creatives.map(
      (creative): SnapshotCreative => ({
        id: 'c',
        name: creative.id ?? 'c',
        offerId: 'A',
        channelId: channels[0]?.id ?? 'email',
        placementId: null,
        templateType: 'email_html',
        content: {},
        personalization: [],
        constraints: {},
        abTestVariant: null,
        weight: 100,
        ...creative,
      }),
    ),
    rules: (source.rules ?? []).map(
      (rule): SnapshotRule => ({
        id: 'rule',
        name: rule.id ?? 'rule',
        ruleType: 'attribute_condition',
        config: {},
        scopes: [{ scope: 'global', scopeId: null }],
        priority: 50,
        stage: 'eligibility',
        createdAt: 0,
        ...rule,
      }),
    ),
    policies: (source.policies ?? []).map(
      (policy): SnapshotPolicy => ({
        id: 'policy',
        name: policy.id ?? 'policy',
        ruleType: 'frequency_cap',
        config: {},
        scopes: [{ scope: 'global', scopeId: null }],
        priority: 50,
        createdAt: 0,
        ...policy,
      }),
    ),
    schemas: source.schemas ?? [],
    ...(source.models === undefined
      ? {}
      : {
          models: source.models.map(
            (model): SnapshotModel => ({ id: model.key, config: {}, predictors: [], names: [model.key], ...model }),
          ),
        }),
    ...(source.experiments === undefined
      ? {}
      : { experiments: source.experiments.map((experiment) => ({ id: experiment.key, ...experiment })) }),
    ...(source.rankingProfiles === undefined ? {} : { rankingProfiles: source.rankingProfiles }),
    ...(source.metrics === undefined ? {} : { metrics: source.metrics }),
  };
}

function offerOf(source: NonNullable<CaseSource['offers']>[number]): SnapshotOffer {
  const { mandatoryExpiresAt, ...rest } = source;
  return {
    id: 'A',
    name: source.id ?? 'A',
    status: 'active',
    categoryId: null,
    subCategoryId: null,
    category: 'engagement',
    priority: 50,
    businessValue: 50,
    mandatory: false,
    emergencyExcluded: false,
    description: '',
    shortDesc: '',
    schedule: null,
    eligibility: null,
    metadata: {},
    tags: [],
    productType: null,
    margin: null,
    revenueValue: null,
    ...rest,
    mandatoryExpiresAt: mandatoryExpiresAt === undefined ? null : instant(mandatoryExpiresAt),
  };
}

function inputOf(source: CaseSource, snapshot: Snapshot, plan: Plan, now: number, clock: ZoneClock): DecisionInput {
  const evidence = source.evidence ?? {};
  return {
    now,
    seed: source.seed ?? '0'.repeat(32),
    zones: Object.fromEntries(zonesOf(source, plan).map((zone) => [zone, { ...clock, ...source.zones?.[zone] }])),
    request: {
      requestId: '00000000-0000-7000-8000-000000000001',
      customerId: 'C1',
      channel: null,
      channelId: null,
      placement: null,
      placements: null,
      deduplicate: false,
      limit: null,
      context: {},
      segments: [],
      attributes: {},
      locale: null,
      currency: null,
      excludeOffers: [],
      excludeCreatives: [],
      dryRun: false,
      ...source.request,
    },
    known: source.profile !== undefined,
    profile: source.profile ?? {},
    enriched: source.enriched ?? {},
    segments: source.segments ?? [],
    contacts: foldContacts(contactsOf(source.contacts ?? [], snapshot), plan.windows, now, clock),
    ...(plan.outcomeReads === null ? {} : { outcomes: outcomesOf(source, snapshot, plan.outcomeReads, now) }),
    suppressions: (source.suppressions ?? []).map((row) => ({
      scope: 'offer',
      scopeId: 'A',
      policyId: null,
      reason: 'manual',
      ...row,
      expiresAt: instant(row.expiresAt),
    })),
    ...(source.external === undefined ? {} : { external: source.external }),
    ...(source.modelStates === undefined
      ? {}
      : {
          modelStates: Object.fromEntries(
            Object.entries(source.modelStates).map(([key, state]) => [key, { hash: key, state }]),
          ),
        }),
    ...(source.openBreakers === undefined ? {} : { openBreakers: source.openBreakers }),
    ...(source.assigned === undefined ? {} : { experiments: source.assigned }),
    ...(source.soldOut === undefined ? {} : { soldOut: source.soldOut }),
    ...(source.volumes === undefined
      ? {}
      : { volumes: source.volumes.map((volume) => ({ ...nothingCounted, ...volume })) }),
    evidence: {
      number: 1,
      offer: (id) => evidence.offers?.[id] ?? [0, 0],
      category: (id) => evidence.categories?.[id] ?? [0, 0],
      global: evidence.global ?? [0, 0],
    },
    ...(source.objectiveCounts === undefined ? {} : { objectiveCounts: countsOf(source.objectiveCounts) }),
  };
}

/** Time zones of the plan, and those that the case names: one may be the customer's own. */
function zonesOf(source: CaseSource, plan: Plan): readonly string[] {
  return [...plan.zones, ...Object.keys(source.zones ?? {})];
}

function countsOf(counts: NonNullable<CaseSource['objectiveCounts']>): ObjectiveCounts {
  return {
    number: 1,
    offer(id) {
      const [impressions, positives, converts, impressions7] = counts[id] ?? [0, 0, 0, 0];
      return { impressions, positives, converts, impressions7 };
    },
    impressions7: Object.values(counts).reduce((sum, [, , , impressions7]) => sum + impressions7, 0),
  };
}

function outcomesOf(source: CaseSource, snapshot: Snapshot, reads: OutcomeReads, now: number): LatestOutcome[] {
  const rows = source.outcomes ?? [];
  const { lanes } = contactsOf(
    rows.map(({ outcome: _outcome, ...contact }, at) => ({ ...contact, campaignId: `${at}` })),
    snapshot,
  );
  const single = lanes.map((lane) => ({ ...lane, campaignId: null }));
  const known = rows.map(({ outcome, at }, lane) => ({ key: outcome, lane, at: instant(at) }));
  return foldOutcomes(single, known, reads, now);
}

function contactsOf(sources: readonly ContactSource[], snapshot: Snapshot): Contacts {
  const lanes = new Map<string, number>();
  const rows: { offerId: string; creativeId: string | null; channelId: string | null; campaignId: string | null }[] =
    [];
  const totals: number[] = [];
  const lastAt: number[] = [];
  const laneOf = (contact: ContactSource): number => {
    const row = {
      offerId: contact.offerId,
      creativeId: contact.creativeId ?? `${contact.offerId}-c`,
      channelId: contact.channelId ?? snapshot.channels[0]?.id ?? null,
      campaignId: contact.campaignId ?? null,
    };
    const key = JSON.stringify(row);
    const known = lanes.get(key);
    if (known !== undefined) return known;
    lanes.set(key, rows.length);
    totals.push(0);
    lastAt.push(Number.NEGATIVE_INFINITY);
    return rows.push(row) - 1;
  };
  const log: { lane: number; at: number }[] = [];
  const reservations: { id: string; lane: number; at: number; expiresAt: number }[] = [];
  for (const contact of sources) {
    const lane = laneOf(contact);
    const at = instant(contact.at);
    if (contact.reservedUntil !== undefined) {
      reservations.push({ id: `r${reservations.length}`, lane, at, expiresAt: instant(contact.reservedUntil) });
      continue;
    }
    totals[lane] = (totals[lane] ?? 0) + 1;
    lastAt[lane] = Math.max(lastAt[lane] ?? 0, at);
    log.push({ lane, at });
  }
  log.sort((a, b) => a.at - b.at);
  return { lanes: rows, totals, lastAt, log, keptFrom: 0, reservations };
}

/** The UTC clock at `now`, with the case's differences. */
function clockOf(source: CaseSource, now: number): ZoneClock {
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const weekday = (((dayStart / dayMs + 4) % 7) + 7) % 7;
  const date = isoDate(dayStart);
  const monthStart = instant(`${date.slice(0, 7)}-01T00:00:00Z`);
  const range = (key: string, fallback: readonly [number, number]): readonly [number, number] => {
    const given = source.ranges?.[key];
    return given === undefined ? fallback : [instant(given[0]), instant(given[1])];
  };
  const day = range('day', [dayStart, dayStart + dayMs]);
  const monday = dayStart - ((weekday + 6) % 7) * dayMs;
  const week = range('week', [monday, monday + 7 * dayMs]);
  const month = range('month', [monthStart, monthStart + 31 * dayMs]);
  const minuteOfDay = Math.floor((now - dayStart) / 60_000);
  return {
    dayStart: day[0],
    dayEnd: day[1],
    weekStart: week[0],
    weekEnd: week[1],
    monthStart: month[0],
    monthEnd: month[1],
    days30Start: day[0] - 29 * dayMs,
    date,
    hour: Math.floor(minuteOfDay / 60),
    minute: minuteOfDay % 60,
    second: Math.floor(now / 1000) % 60,
    weekday,
    ...source.clock,
  };
}

function isoDate(dayStart: number): string {
  const { year, month, day } = civilFromDays(dayStart / dayMs);
  return `${year}-${`${month}`.padStart(2, '0')}-${`${day}`.padStart(2, '0')}`;
}

function instant(text: string): number {
  const at = parseInstant(text);
  if (at === null) throw new Error(`${text} is not an instant`);
  return at;
}
