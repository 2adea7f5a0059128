import type { TenantSettings } from '@arbiter/contract';
import {
  compileInSlices,
  type JoinedSource,
  joinedSources,
  modelsNamed,
  needsOfferCategories,
  type Plan,
  type Reads,
  readsBeside,
  type Snapshot,
  type SnapshotPolicy,
  type SnapshotRankingProfile,
  semantics,
} from '@arbiter/engine';
import { readCatalogueVersion, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { inTurns } from '../../../platform/turns.ts';
import { zoneOffsets } from '../../../platform/zones.ts';
import { snapshotCategories, snapshotSubCategories } from '../../catalogue/categories/index.ts';
import {
  selectInactiveChannelIds,
  snapshotChannels,
  snapshotInactivePlacements,
  snapshotPlacements,
} from '../../catalogue/channels/index.ts';
import { idlePolicies, policyMark, snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { type RouteRequest, readRoutes, routeTable } from '../../catalogue/flow-routes/index.ts';
import {
  offerStatusesOf,
  type RunnableFlow,
  readFlowDirectory,
  selectLiveConfigs,
} from '../../catalogue/flows/index.ts';
import { modelsForPlan, selectModels } from '../../catalogue/models/index.ts';
import { type OutcomeTypeFacts, readOutcomeTypes } from '../../catalogue/outcomes/index.ts';
import { idleRules, snapshotRules } from '../../catalogue/qualification/index.ts';
import { snapshotRankingProfiles } from '../../catalogue/ranking-profiles/index.ts';
import { readJoins, readSchemaTables, type SchemaTable, toSnapshotSchema } from '../../catalogue/schemas/index.ts';
import { type MembershipReader, membershipReader, readActiveSegments } from '../../catalogue/segments/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { getTenant } from '../../identity/tenants/index.ts';
import { selectVolumeRefs, type VolumeRef } from '../volumes/index.ts';
import { type CatalogueRows, readRows } from './catalogue-rows.ts';
import { newPiece, type PlanHead, readPlanContent, type SealedPlan, sealPlan, storePlan } from './plan-pieces.ts';
import { type PlanRefs, planRefs } from './plan-refs.ts';
import { ownReadSet, type ReadSet, readSetNames, storeNames } from './read-set.ts';

/** One version of the tenant's catalogue, as this process holds it: what decisions use. */
export interface TenantCatalogue {
  readonly tenantId: string;
  readonly version: number;
  readonly settings: TenantSettings;
  /** Whether a quota of decisions holds (docs/design/api-access.md 5.4); a tenant is born a playground or never becomes one. */
  readonly isPlayground: boolean;
  /** Ids of the active channels. */
  readonly channelIds: readonly string[];
  /** Ids of channels that no plan holds, because they are not active now. */
  readonly inactiveChannels: ReadonlySet<string>;
  readonly outcomes: ReadonlyMap<string, OutcomeTypeFacts>;
  /** Active policies that write suppressions when an outcome is recorded. */
  readonly outcomePolicies: readonly SnapshotPolicy[];
  /** Their current state, by id: rows that they wrote as something else don't apply. */
  readonly policyMarks: ReadonlyMap<string, string>;
  /** Whether anything is counted over all customers. Events of offers are booked there. */
  readonly countsVolumes: boolean;
  /** What was counted over all customers when this was read. */
  readonly volumes: readonly VolumeRef[];
  /** Where a schema's rows are stored, by schema id. */
  readonly schemaTables: ReadonlyMap<string, SchemaTable>;
  /** Offers and creatives, for the next version to reuse. */
  readonly rows: CatalogueRows;
  /** False: the tenant has no runnable flow at all. */
  hasFlow(): boolean;
  /**
   * Returns the flow that runs for an explicit key or id; for null the one that a route assigns to the request, or the
   * default one. A promise when its plan isn't compiled and stored yet. Throws AppError 404 or 409 for an explicit one
   * that can't run, and Error when `hasFlow()` is false.
   */
  flowFor(asked: string | null, request?: RouteRequest): LiveFlow | Promise<LiveFlow>;
  /**
   * Compiles a flow for a preview only: a draft, an older version, other weights. Neither stored nor cached. Reads
   * offers of statuses that no published flow names.
   */
  compileOnce(flow: RunnableFlow): Promise<LiveFlow>;
  /** Compiles the plans of some flows that can run, likeliest first, in advance. Stores none. */
  compileAhead(): Promise<void>;
  /** Returns the longest look-back of any compiled plan's windows, in ms. */
  logHorizonMs(): number;
}

/** A flow compiled against the catalogue. Its plan is stored: records may name it. */
export interface CompiledFlow {
  readonly plan: Plan;
  /** Names the plan's content, see `sealPlan`. */
  readonly hash: Buffer;
  readonly neverStore: ReadonlySet<string>;
  /** Paths of the values that rules compare offers with, by rule. */
  readonly comparedWith: ReadonlyMap<string, string>;
  readonly refs: PlanRefs;
}

/** A flow that decisions are made with now. */
export interface LiveFlow extends CompiledFlow {
  /** Stored as well. */
  readonly readSet: ReadSet;
  /** Linked schemas and joins with all that the read set has of them. */
  readonly joined: readonly JoinedSource[];
  /** Reads the segments of its customers; null: it reads none. */
  readonly membership: MembershipReader | null;
}

/** Runs work in a transaction of the catalogue's tenant. */
export type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Reads one version of the catalogue. `tx` must be a `snapshot`: every change raises the version in its own
 * transaction, so version and rows match, and no writer waits for the reading. Of offers and creatives, reads only what
 * changed since `before`.
 */
export async function loadCatalogue(
  tx: Tx,
  before: CatalogueRows | null,
  inTransaction: InTransaction,
): Promise<TenantCatalogue> {
  const version = await readCatalogueVersion(tx);
  const settings = await readSettings(tx);
  const { isPlayground } = await getTenant(tx);
  const flows = await readFlowDirectory(tx);
  const channels = await snapshotChannels(tx);
  const inactiveChannels = new Set(await selectInactiveChannelIds(tx));
  const placements = await snapshotPlacements(tx);
  const inactivePlacements = await snapshotInactivePlacements(tx);
  const categories = await snapshotCategories(tx);
  const subCategories = await snapshotSubCategories(tx);
  const places = { channels, placements, inactivePlacements };
  const table = routeTable(await readRoutes(tx), places, (id) => flows.runnableOf(id) !== null);
  const models = await selectModels(tx);
  const rules = await snapshotRules(tx);
  const active = await snapshotPolicies(tx);
  const policies = settings.enableBudgets ? active : active.filter(({ ruleType }) => ruleType !== 'budget_exhausted');
  const tables = await readSchemaTables(tx);
  const joins = await readJoins(tx);
  const schemaTables = new Map(tables.map((table) => [table.schemaId, table]));
  const segments = await readActiveSegments(tx);
  const rankingProfiles = await snapshotRankingProfiles(tx);
  const outcomes = new Map((await readOutcomeTypes(tx)).map((o) => [o.key, o]));
  // Drafts and paused offers take part in dry runs of flows that name their status.
  const wanted = {
    statuses: flows.offerStatuses(),
    otherOffers: needsOfferCategories(policies),
    budgets: settings.enableBudgets,
    contentItems: settings.enableContentManagement,
  };
  const rows = await readRows(tx, wanted, before);
  const outcomePolicies = outcomePoliciesOf(policies);
  // Drafts may name any of them, so store what they read.
  const everyModel = modelsForPlan(
    models,
    models.map(({ key }) => key),
  );
  const volumes = await selectVolumeRefs(tx);
  const countsVolumes =
    rows.offers.some(({ budget }) => budget !== undefined) ||
    policies.some(({ ruleType }) => ruleType === 'budget_exhausted') ||
    volumes.length > 0;
  const beside = { flows: await selectLiveConfigs(tx), rules: await idleRules(tx), policies: await idlePolicies(tx) };

  const lists = {
    channels,
    placements,
    // Left out where there is none, so that plans keep their hashes.
    ...(inactivePlacements.length === 0 ? {} : { inactivePlacements }),
    categories,
    subCategories,
    schemas: tables.map(toSnapshotSchema),
    ...(joins.length === 0 ? {} : { joins }),
  };
  const pieces = [
    newPiece(lists),
    ...inParts(rules).map((part) => newPiece({ rules: part })),
    ...inParts(policies).map((part) => newPiece({ policies: part })),
    ...rows.pieces.map(({ piece }) => piece),
    ...rows.contentItems.groups.map(({ piece }) => piece),
  ];
  const compiled = new Map<string, LiveFlow>();
  const compiling = new Map<string, Promise<LiveFlow>>();
  /** Sealed and compiled, or about to be, and not stored yet; by flow. */
  const ahead = new Map<string, PlanAhead>();
  let horizonMs = 0;
  /** Worked out with the first plan. */
  let tenantReads: Promise<Reads> | null = null;

  function headOf(flow: RunnableFlow): PlanHead {
    const subFlows = flows.calledBy(flow);
    return {
      format: 1,
      semantics,
      tenant: {
        timezone: settings.timezone,
        ...(formatsDates([flow.config, ...subFlows, categories, subCategories])
          ? { offsets: zoneOffsets(settings.timezone) }
          : {}),
        locale: settings.locale,
        currency: settings.currency,
        maxOffersPerDecision: settings.maxOffersPerDecision,
        holdoutPercentage: settings.holdoutPercentage,
        mandatoryDailyCap: settings.mandatoryDailyCap,
        ...usualProfile(rankingProfiles, settings),
        neverStore: settings.neverStore,
      },
      flow,
      ...namedProfiles(rankingProfiles, [flow, ...subFlows], settings),
      // Left out where there is none, so that plans keep their hashes.
      ...(subFlows.length === 0 ? {} : { subFlows }),
      ...modelsOf([flow, ...subFlows]),
    };
  }

  /** Those of a flow, the flows that it calls and the rules. Left out where they name none, so that plans keep their hashes. */
  function modelsOf(flows: readonly Pick<RunnableFlow, 'config'>[]): Pick<PlanHead, 'models'> {
    const names = new Set(flows.flatMap(({ config }) => modelsNamed(config, rules)));
    const own = modelsForPlan(models, [...names].sort());
    return own.length === 0 ? {} : { models: own };
  }

  function snapshotOf(head: PlanHead, { offers, creatives, otherOffers, contentItems }: CatalogueRows): Snapshot {
    const withOthers = otherOffers === undefined ? {} : { otherOffers };
    const { items } = contentItems;
    const withItems = items.length === 0 ? {} : { contentItems: items };
    return { ...head, ...lists, offers, creatives, ...withItems, rules, policies, ...withOthers };
  }

  function make(flow: RunnableFlow): PlanAhead {
    const known = ahead.get(flow.id);
    if (known !== undefined) return known;
    const head = headOf(flow);
    const snapshot = snapshotOf(head, rows);
    const sealed = sealPlan(head, pieces);
    const made = { sealed, flow: sealed.then(({ hash }) => compileFlow(snapshot, hash)) };
    ahead.set(flow.id, made);
    // The next caller retries what failed. This caller gets the error.
    made.flow.catch(() => ahead.delete(flow.id));
    return made;
  }

  async function prepare(flow: RunnableFlow): Promise<LiveFlow> {
    const making = make(flow);
    const sealed = await making.sealed;
    const [own, readSet] = await Promise.all([
      making.flow,
      inTransaction(async (writing) => {
        await storePlan(writing, sealed, pieces, version);
        const { plan, neverStore } = await making.flow;
        tenantReads ??= inTurns(readsBeside({ ...headOf(flow), ...lists, models: everyModel }, beside));
        const reads = await tenantReads;
        const reading = { reads, recordReads: settings.recordReads, schemas: lists.schemas, joins, neverStore };
        return storeNames(writing, readSetNames(plan, reading), version);
      }),
    ]);
    const membership = membershipReader(segments, own.plan.reads, readSet.segments);
    const joined = joins.length === 0 ? noJoins : joinedSources(lists, new Set(readSet.joined));
    const made: LiveFlow = { ...own, readSet, joined, membership };
    compiled.set(flow.id, made);
    ahead.delete(flow.id);
    horizonMs = Math.max(horizonMs, made.plan.logHorizonMs);
    return made;
  }

  function compiledFlow(flow: RunnableFlow): LiveFlow | Promise<LiveFlow> {
    const ready = compiled.get(flow.id);
    if (ready !== undefined) return ready;
    let work = compiling.get(flow.id);
    if (work === undefined) {
      work = prepare(flow).finally(() => compiling.delete(flow.id));
      compiling.set(flow.id, work);
    }
    return work;
  }

  return {
    tenantId: tx.tenantId,
    version,
    settings,
    isPlayground,
    channelIds: channels.map(({ id }) => id),
    inactiveChannels,
    outcomes,
    outcomePolicies,
    policyMarks: new Map(outcomePolicies.map((policy) => [policy.id, policyMark(policy)])),
    countsVolumes,
    volumes,
    schemaTables,
    rows,
    hasFlow: () => flows.fallback() !== null,
    flowFor(asked, request) {
      if (asked === null) {
        const routed = request === undefined ? null : table.flowFor(request);
        const flow = (routed === null ? null : flows.runnableOf(routed)) ?? flows.fallback();
        if (flow === null) throw new Error('the tenant has no flow that can run');
        return compiledFlow(flow);
      }
      const found = flows.find(asked);
      if (found === null) throw new AppError('not_found', { detail: `decision flow not found${flows.nearest(asked)}` });
      if (found.runnable === null) {
        throw new AppError('flow_not_published', {
          detail: 'the decision flow is inactive or has no published version',
        });
      }
      return compiledFlow(found.runnable);
    },
    async compileOnce(flow) {
      const statuses = offerStatusesOf(flow);
      const hasAll = statuses.every((status) => wanted.statuses.includes(status));
      const own = hasAll ? rows : await inTransaction((reading) => readRows(reading, { ...wanted, statuses }, null));
      const made = await compileFlow(snapshotOf(headOf(flow), own), noHash);
      const { plan } = made;
      const membership = membershipReader(segments, plan.reads, plan.reads.segments);
      return { ...made, readSet: ownReadSet(plan), joined: plan.joinedSources, membership };
    },
    async compileAhead() {
      for (const flow of flows.runnable().slice(0, mostAhead)) {
        if (!compiled.has(flow.id)) await make(flow).flow;
      }
    },
    logHorizonMs: () => horizonMs,
  };
}

/** The tenant's default profile, while there is one. */
function usualProfile(
  profiles: readonly SnapshotRankingProfile[],
  { defaultArbitrationProfileId }: TenantSettings,
): Pick<Snapshot['tenant'], 'defaultArbitrationProfileId'> {
  const known = profiles.some(({ id }) => id === defaultArbitrationProfileId);
  return known && defaultArbitrationProfileId !== null ? { defaultArbitrationProfileId } : {};
}

/** The profiles that the flow names, and the default: a change of any other leaves the plan as it is. */
function namedProfiles(
  profiles: readonly SnapshotRankingProfile[],
  flows: readonly { readonly config: unknown }[],
  { defaultArbitrationProfileId }: TenantSettings,
): Pick<Snapshot, 'rankingProfiles'> {
  if (profiles.length === 0) return {};
  const config = JSON.stringify(flows.map((flow) => flow.config)).toLowerCase();
  const named = profiles.filter(({ id }) => id === defaultArbitrationProfileId || config.includes(id));
  return named.length === 0 ? {} : { rankingProfiles: named };
}

/** Those that write suppressions when an outcome is recorded. */
export const outcomePoliciesOf = (policies: readonly SnapshotPolicy[]): SnapshotPolicy[] =>
  policies.filter(({ ruleType }) => ruleType === 'outcome_based');

const noJoins: readonly JoinedSource[] = [];

/** Of a plan that is not stored. */
const noHash = Buffer.alloc(32);

/** Maximum plans to compile in advance. Each of a large catalogue takes some megabytes. */
const mostAhead = 4;

interface PlanAhead {
  readonly sealed: Promise<SealedPlan>;
  readonly flow: Promise<CompiledFlow>;
}

/** Rules or policies in a piece. */
const rowsPerPart = 256;

function inParts<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  for (let at = 0; at < rows.length; at += rowsPerPart) parts.push(rows.slice(at, at + rowsPerPart));
  return parts;
}

/** True when a formula among these may format dates, for which the plan holds the offsets of the tenant's zone. */
const formatsDates = (parts: readonly object[]): boolean => JSON.stringify(parts).includes('format_date');

/** Compiles a snapshot whose offers and creatives are sorted by id. */
export async function compileFlow(snapshot: Snapshot, hash: Buffer): Promise<CompiledFlow> {
  const neverStore = new Set(snapshot.tenant.neverStore);
  for (const schema of snapshot.schemas) {
    for (const column of schema.columns) if (column.neverStore) neverStore.add(column.name);
  }
  const figures = joinedSources(snapshot, null).flatMap(({ values }) => values);
  const hidden = figures.filter(({ column }) => column !== null && neverStore.has(column));
  for (const { name } of hidden) neverStore.add(name);
  const plan = await inTurns(compileInSlices(snapshot));
  const comparedWith = new Map(
    snapshot.rules.flatMap(({ id, config: { valueFrom } }) =>
      typeof valueFrom === 'string' ? [[id, valueFrom] as const] : [],
    ),
  );
  return { plan, hash, neverStore, comparedWith, refs: planRefs(snapshot, plan.ordinals) };
}

/**
 * Recently opened plans, by content hash. Held weakly: a plan of thousands of offers takes tens of megabytes, and may
 * never be needed again.
 */
const opened = new Map<string, WeakRef<CompiledFlow>>();

/**
 * Returns the plan that a record names. Throws AppError `record_corrupt` when its content is missing or has another
 * hash.
 */
export async function openPlan(tx: Tx, hash: Buffer): Promise<CompiledFlow> {
  const name = `${tx.tenantId} ${hash.toString('hex')}`;
  const known = opened.get(name)?.deref();
  if (known !== undefined) return known;
  const flow = await compileFlow(await readPlanContent(tx, hash), hash);
  for (const [key, held] of opened) if (held.deref() === undefined) opened.delete(key);
  opened.set(name, new WeakRef(flow));
  return flow;
}
