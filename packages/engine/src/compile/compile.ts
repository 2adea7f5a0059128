import { compileCondition } from '../conditions/compile-condition.ts';
import { compileExplore } from '../delivery/explore.ts';
import { rankMethods } from '../delivery/rank-methods.ts';
import { contactPolicyStep } from '../nodes/contact-policy.ts';
import { policiesOfFilter } from '../nodes/filter.ts';
import { compileGroup } from '../nodes/group.ts';
import { mandatoryStep } from '../nodes/mandatory.ts';
import { matchStep } from '../nodes/match-creatives.ts';
import { type PlanParts, readNumber, readObject } from '../nodes/node-kind.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import { compileOptimize } from '../nodes/optimize.ts';
import type { OutputStep } from '../nodes/output-step.ts';
import { qualifyStep } from '../nodes/qualify.ts';
import { compileResponse } from '../nodes/response.ts';
import { compileScoring } from '../nodes/score.ts';
import type { Step } from '../nodes/step.ts';
import { suppressionStep } from '../nodes/suppression.ts';
import { compilePolicies } from '../policies/policy-kinds.ts';
import { liftersOf, type PolicyStage } from '../policies/policy-stage.ts';
import { compileRules } from '../qualification/rule-kinds.ts';
import { countedObjectives } from '../scoring/objectives.ts';
import { profileWeights } from '../scoring/strategies.ts';
import { scratchOf } from '../scratch.ts';
import type { FlowNode, Snapshot, SnapshotPlacement } from '../snapshot.ts';
import { semantics } from '../version.ts';
import { type Builder, createBuilder } from './builder.ts';
import { compileCreatives, compileOffers, type PlanCreative, type PlanOffer, sortById } from './catalogue.ts';
import { joinedSources } from './joined-sources.ts';
import { numberIds } from './ordinals.ts';
import {
  NONE,
  type Ordinals,
  type PlacementTargeting,
  type Plan,
  type PlanNames,
  type Program,
  type RankStage,
} from './plan.ts';
import { autoSources, enrichSources } from './sources.ts';
import { createTemplates } from './templates.ts';

const hourMs = 3_600_000;
const mostItems = 50;
const usualLimit = 5;

/** Names under `customer.` that relevance reads (docs/design/api-decisioning.md 10). */
const relevanceFields = ['preferred_channel', 'interests', 'preferred_product_type'];

/**
 * Turns a published flow and the tenant's catalogue into a plan (docs/design/decisioning.md 2). Pure; the order of the snapshot's
 * lists does not matter but for `schemas` and the flow's nodes. Throws when the flow names a node type or method that is
 * not built (`validateFlow` refuses those on write), and when the plan was made for an engine that is newer than this one.
 */
export function compile(snapshot: Snapshot): Plan {
  const work = compileInSlices(snapshot);
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

/**
 * The same plan, made in small pieces: after each the caller may do something else before it asks for the next. With
 * thousands of offers a piece takes a few milliseconds at most.
 */
export function* compileInSlices(snapshot: Snapshot): Generator<void, Plan> {
  if ((snapshot.semantics ?? 1) > semantics) {
    throw new RangeError(`the plan has semantics ${snapshot.semantics}, this engine knows ${semantics}`);
  }
  const ordinals = yield* numberIds(snapshot);
  const builder = createBuilder(snapshot, ordinals);
  yield;
  const channels = sortById(snapshot.channels);
  const placements = sortById(snapshot.placements).filter(({ channelId }) => ordinals.channel.has(channelId));
  const placementNumber = new Map(placements.map(({ id }, number) => [id, number]));
  const creatives = yield* compileCreatives(snapshot, ordinals, placementNumber, builder);
  const offers = yield* compileOffers(snapshot, ordinals, creatives, builder);
  const dayWindow = builder.window({ kind: 'day' });
  const days30Window = builder.window({ kind: 'days30' });
  const policies = yield* compilePolicies(snapshot.policies, builder);
  const rules = yield* compileRules(snapshot.rules, builder, offers);
  yield;
  const nodes = snapshot.flow.config.nodes.filter((node) => node.enabled !== false);
  const policyStages: PolicyStage[] = [];
  const filters = nodes.filter(({ type }) => type === 'filter');
  const stages = compileNodes(nodes, {
    builder,
    offers,
    creatives,
    rules,
    policies,
    waiting: [],
    matched: false,
    fitted: new Set(),
    policyStages,
    filtered: new Set(filters.flatMap((node) => policiesOfFilter(node, policies))),
  });
  const flowConfig = readObject(snapshot.flow.config.flowConfig);
  const scoreNode = nodes.find(({ type }) => type === 'score');
  const flowScoring = readObject(flowConfig.scoring);
  // A score node without a method takes the flow's (docs/design/api-decisioning.md 7, scoring_not_configured).
  const scoreConfig =
    scoreNode === undefined
      ? flowScoring
      : { ...scoreNode.config, method: scoreNode.config?.method ?? flowScoring.method ?? null };
  const profiles = profileWeights(snapshot);
  const scoring = compileScoring(scoreNode?.id ?? null, scoreConfig, {
    channels,
    categories: snapshot.categories,
    profiles,
    defaultProfileId: snapshot.tenant.defaultArbitrationProfileId ?? null,
  });
  const nodeOf = (type: string): FlowNode | undefined => nodes.find((node) => node.type === type);
  const optimize = compileOptimize(nodeOf('optimize'), profiles);
  const rankNode = nodes.find(({ type }) => type === 'rank');
  const responseNode = nodes.find(({ type }) => type === 'response');
  const targeting = placements.map((placement) => compileTargeting(placement, builder));
  builder.readPaths(relevanceFields.map((name) => ['customer', name]));
  builder.readPaths([
    ['attributes', 'interests'],
    ['attributes', 'propensityScores'],
  ]);
  for (const { lookupFrom } of enrichSources(snapshot, enrichNodes(nodes), new Set()))
    builder.readPaths([lookupFrom.split('.')]);
  yield;
  const { collected } = builder;
  const program: Program = {
    offers,
    creatives,
    templateOf: createTemplates(snapshot.semantics ?? 1),
    channels,
    placements,
    placementNumber,
    inactivePlacements: new Map((snapshot.inactivePlacements ?? []).map((placement) => [placement.id, placement])),
    placementChannel: placements.map(({ channelId }) => ordinals.channel.get(channelId) ?? -1),
    ordinals,
    mandatoryOffers: offers.filter(({ row }) => row.mandatory && row.status === 'active').sort(byPriority),
    mandatoryDailyCap: snapshot.tenant.mandatoryDailyCap,
    offsets: snapshot.tenant.offsets ?? null,
    holdoutPercentage: snapshot.tenant.holdoutPercentage,
    policies,
    lifters: liftersOf(policies, policyStages),
    days30Window,
    dayWindow,
    mergesRows: nodes.some(({ type }) => type === 'enrich'),
    customerFields: collected.customer,
    interestNumber: collected.interests,
    phase1: stages.phase1,
    scoring,
    optimize,
    rank: compileRank(rankNode),
    group: compileGroup(nodeOf('group')),
    // A plan that was stored before plans named their semantics knew no exploration: the key meant nothing.
    explore: snapshot.semantics === undefined ? null : compileExplore(readObject(flowConfig.explore), ordinals.channel),
    output: stages.output,
    customFieldsOn: !nodes.some(({ type, config }) => type === 'compute' && config?.includeCustomFields === false),
    response: compileResponse(responseNode),
    targeting,
  };
  yield;
  // Made now, between two points, the first decision does not pay for it.
  scratchOf(program);
  yield;
  return Object.freeze({
    flow: snapshot.flow,
    timezone: snapshot.tenant.timezone,
    currency: snapshot.tenant.currency,
    locale: snapshot.tenant.locale,
    windows: collected.windows,
    zones: [...collected.zones],
    zoneFields: [...collected.zoneFields].sort(),
    logHorizonMs: logHorizon(builder),
    longestCooldownMs: collected.longestCooldownMs,
    outcomeReads: outcomeReads(builder),
    tracksStock: offers.some(({ row }) => row.tracksStock === true),
    profileFields: [...collected.customer].sort(),
    autoSources: autoSources(snapshot, collected.customer),
    joinedSources: joinedSources(snapshot, collected.customer),
    enrichSources: enrichSources(snapshot, enrichNodes(nodes), collected.customer),
    reads: {
      attributes: [...collected.attributes].sort(),
      context: collected.wholeContext ? null : [...collected.context].sort(),
      segments: [...collected.segments].sort(),
      interests: [...collected.interests.keys()].sort(),
      evidenceRanks: readsEvidence(scoring, offers) || asks(optimize, new Set(['propensity'])),
      objectiveCounts: asks(optimize, countedObjectives),
    },
    limits: {
      defaultLimit: readNumber(flowConfig.defaultLimit, usualLimit),
      cut: smallestCut(snapshot, rankNode, responseNode),
    },
    ordinals,
    names: namesOf(snapshot, ordinals, offers, creatives),
    program,
  });
}

interface Stages {
  readonly phase1: readonly Step[];
  readonly output: readonly OutputStep[];
}

/** The nodes in their order, and what a flow cannot leave out (docs/design/api-decisioning.md 7). */
function compileNodes(nodes: readonly FlowNode[], parts: PlanParts): Stages {
  const phase1: Step[] = [];
  const output: OutputStep[] = [];
  const lastQualify = nodes.findLast(({ type }) => type === 'qualify');
  let suppressionAt = -1;
  for (const node of nodes) {
    const kind = nodeKinds.get(node.type);
    if (kind === undefined || kind.unbuilt === true) throw new Error(`node type ${node.type} is not available`);
    if (kind.step !== undefined) phase1.push(kind.step(node, parts));
    if (kind.output !== undefined) output.push(kind.output(node, parts));
    if (node === lastQualify) suppressionAt = phase1.length;
  }
  const has = (type: string): boolean => nodes.some((node) => node.type === type);
  if (!has('match_creatives')) phase1.push(matchStep(null, parts));
  if (lastQualify === undefined) {
    phase1.push(qualifyStep(null, parts));
    suppressionAt = phase1.length;
  }
  if (!has('contact_policy')) phase1.push(contactPolicyStep(null, parts));
  phase1.splice(suppressionAt, 0, suppressionStep(parts.policies));
  phase1.push(mandatoryStep(parts.policyStages, parts.policies));
  return { phase1, output };
}

function enrichNodes(nodes: readonly FlowNode[]): FlowNode[] {
  return nodes.filter(({ type }) => type === 'enrich');
}

function compileRank(node: FlowNode | undefined): RankStage {
  const name = typeof node?.config?.method === 'string' ? node.config.method : 'topN';
  const kind = rankMethods.get(name);
  if (kind === undefined) throw new Error(`rank method ${name} is not available`);
  const { topN, maxCandidates } = node?.config ?? {};
  const cut = Math.min(readNumber(topN, Number.POSITIVE_INFINITY), readNumber(maxCandidates, Number.POSITIVE_INFINITY));
  return { nodeId: node?.id ?? null, method: kind.compile(node?.config ?? {}), cut };
}

/** Targeting is asked before there is an offer (docs/design/api-catalogue.md 5.2). */
const targetingNamespaces: ReadonlySet<string> = new Set(['customer', 'attributes', 'request']);

/** A stored targeting that cannot be read closes the placement. */
function compileTargeting(placement: SnapshotPlacement, builder: Builder): PlacementTargeting | null {
  if (placement.targeting === undefined || placement.targeting === null) return null;
  const compiled = compileCondition(placement.targeting, { namespaces: targetingNamespaces });
  if (!compiled.ok) return () => false;
  builder.readPaths(compiled.condition.paths);
  return (run) => compiled.condition.test(run.scope);
}

function smallestCut(snapshot: Snapshot, rank: FlowNode | undefined, response: FlowNode | undefined): number {
  return Math.min(
    mostItems,
    snapshot.tenant.maxOffersPerDecision,
    readNumber(rank?.config?.topN, mostItems),
    readNumber(rank?.config?.maxCandidates, mostItems),
    readNumber(response?.config?.limit, mostItems),
  );
}

const asks = (optimize: Program['optimize'], objectives: ReadonlySet<string>): boolean =>
  optimize?.terms.some(({ objective }) => objectives.has(objective)) ?? false;

function readsEvidence(scoring: Program['scoring'], offers: readonly PlanOffer[]): boolean {
  return (
    scoring.minPropensity > 0 ||
    [scoring.settings, ...scoring.byChannel].some(({ method }) => method.readsEvidence) ||
    offers.some(({ eligibility }) => eligibility?.readsPropensity ?? false)
  );
}

/** The longest window, and an hour for the days that a change of the clock makes longer. */
function logHorizon(builder: Builder): number {
  let longest = 0;
  for (const window of builder.collected.windows) {
    const length = window.kind === 'rolling' ? window.ms : calendarMs[window.kind];
    longest = Math.max(longest, length);
  }
  return longest;
}

function outcomeReads({ collected }: Builder): Plan['outcomeReads'] {
  const { outcomeHorizonMs: horizonMs, anyOutcome, outcomeKeys } = collected;
  return horizonMs === 0 ? null : { keys: anyOutcome ? null : [...outcomeKeys].sort(), horizonMs };
}

const calendarMs = {
  day: 25 * hourMs,
  week: (7 * 24 + 1) * hourMs,
  month: (31 * 24 + 1) * hourMs,
  days30: (30 * 24 + 1) * hourMs,
  alltime: 0,
} as const;

function byPriority(a: PlanOffer, b: PlanOffer): number {
  return b.row.priority - a.row.priority || a.ordinal - b.ordinal;
}

function namesOf(
  snapshot: Snapshot,
  ordinals: Ordinals,
  offers: readonly PlanOffer[],
  creatives: readonly PlanCreative[],
): PlanNames {
  const byId = <T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
    new Map(rows.map((row) => [row.id, row]));
  const channels = byId(snapshot.channels);
  const placements = byId(snapshot.placements);
  const categories = byId(snapshot.categories);
  const subCategories = byId(snapshot.subCategories);
  return {
    offer: (id) => offers[ordinals.offer.get(id) ?? NONE]?.row,
    creative(id) {
      const ordinal = ordinals.creative.get(id);
      return ordinal === undefined ? undefined : findCreative(creatives, ordinal)?.row;
    },
    channel: (id) => channels.get(id),
    placement: (id) => placements.get(id),
    category: (id) => categories.get(id),
    subCategory: (id) => subCategories.get(id),
  };
}

/** Creatives that cannot be shown have a number too, so a creative stands at its number or before it. */
function findCreative(creatives: readonly PlanCreative[], ordinal: number): PlanCreative | undefined {
  const direct = creatives[ordinal];
  if (direct?.ordinal === ordinal) return direct;
  let low = 0;
  let high = Math.min(ordinal, creatives.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (creatives[middle]!.ordinal < ordinal) low = middle + 1;
    else high = middle;
  }
  return creatives[low]?.ordinal === ordinal ? creatives[low] : undefined;
}
