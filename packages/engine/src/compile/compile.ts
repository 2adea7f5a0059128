import { compileCondition } from '../conditions/compile-condition.ts';
import { readNumber, readObject } from '../config-values.ts';
import { compileExplore } from '../delivery/explore.ts';
import { rankMethods } from '../delivery/rank-methods.ts';
import { flowModel } from '../models/plan-models.ts';
import { compileGroup } from '../nodes/group.ts';
import { newParts, type PlanParts } from '../nodes/node-kind.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import { compileOptimize } from '../nodes/optimize.ts';
import { compileResponse } from '../nodes/response.ts';
import { differsByChannel, readScoring, type ScoringParts, scoringParts } from '../nodes/score.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlanModels } from '../plan/models.ts';
import type { PlanCreative, PlanOffer } from '../plan/offer.ts';
import { NONE, type Ordinals } from '../plan/ordinals.ts';
import type { Plan, PlanNames, PlanWebhook } from '../plan/plan.ts';
import type { PlacementTargeting, Program, RankStage } from '../plan/program.ts';
import type { FlowConfig, FlowNode, Snapshot, SnapshotPlacement } from '../plan/snapshot.ts';
import type { OutputStep, Phases } from '../plan/stages.ts';
import { compilePolicies } from '../policies/policy-kinds.ts';
import { volumeMatcher } from '../policies/volumes.ts';
import { compileRules } from '../qualification/rule-kinds.ts';
import { countedObjectives } from '../scoring/objectives.ts';
import { profileWeights } from '../scoring/strategies.ts';
import { scratchOf } from '../scratch.ts';
import { afterRankOf } from '../stages/after-rank.ts';
import { semantics } from '../version.ts';
import { createBranching } from './branching.ts';
import { createBuilder } from './builder.ts';
import { compileCreatives, compileOffers, sortById } from './catalogue.ts';
import { joinedSources } from './joined-sources.ts';
import { numberIds } from './ordinals.ts';
import { compilePhases, noPhases, type PhaseSource } from './phases.ts';
import { everyNode, type PlacedNode, placeNodes } from './placed-nodes.ts';
import { planVolumes } from './plan-volumes.ts';
import { routeOf, type Stop, type Traveller } from './route.ts';
import { autoSources, enrichSources } from './sources.ts';
import { createTemplates } from './templates.ts';

const hourMs = 3_600_000;
const mostItems = 50;
const usualLimit = 5;

/** Names under `customer.` that relevance reads (docs/design/api-decisioning.md 10). */
const relevanceFields = ['preferred_channel', 'interests', 'preferred_product_type'];

/**
 * Turns a published flow and the tenant's catalogue into a plan (docs/design/decisioning.md 2). Pure. The order of the
 * snapshot's lists doesn't matter, except for `schemas` and the flow's nodes. Throws when the flow names a node type or
 * method that isn't built (`validateFlow` rejects those on write), and when the plan was made for a newer engine.
 */
export function compile(snapshot: Snapshot): Plan {
  const work = compileInSlices(snapshot);
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

/**
 * Compiles the same plan in small pieces, so that the caller can do something else in between. With thousands of
 * offers, a piece takes a few milliseconds at most.
 */
export function* compileInSlices(snapshot: Snapshot): Generator<void, Plan> {
  if (snapshot.semantics > semantics) {
    throw new RangeError(`the plan has semantics ${snapshot.semantics}; this engine supports ${semantics}`);
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
  const placed = placeNodes(snapshot);
  const everyPlaced = [...everyNode(placed)];
  const enrichNodes = everyPlaced.flatMap(({ node }) => (node.type === 'enrich' ? [node] : []));
  const scoreNode = nodes.find(({ type }) => type === 'score') ?? null;
  const scoresByChannel = differsByChannel(scoreNode, snapshot.flow.config);
  const source: PhaseSource = { builder, offers, creatives, rules, policies, scoresByChannel };
  for (const { node } of everyPlaced) nodeKinds.get(node.type)?.collect?.(node, builder);
  // Stages of further routes are compiled when requests take them. They read nothing that isn't collected here.
  const ofWay = (stops: readonly Stop[]): Phases => compilePhases(stops, placed, source);
  const branching = createBranching(placed, builder, ofWay);
  const phases = branching === null ? ofWay(routeOf(placed, noBranches)) : noPhases;
  if (branching !== null) collectAll(everyPlaced, source);
  const output = outputOf(placed, newParts(source));
  const flowConfig = readObject(snapshot.flow.config.flowConfig);
  const profiles = profileWeights(snapshot);
  const scoring = readScoring(scoreNode, snapshot.flow.config, scoringParts(snapshot, channels, builder.models));
  const nodeOf = (type: string): FlowNode | undefined => nodes.find((node) => node.type === type);
  const optimize = compileOptimize(nodeOf('optimize'), profiles);
  const rankNode = nodes.find(({ type }) => type === 'rank');
  const rank = compileRank(rankNode);
  const responseNode = nodes.find(({ type }) => type === 'response');
  const targeting = placements.map((placement) => compileTargeting(placement, builder));
  builder.readPaths(relevanceFields.map((name) => ['customer', name]));
  builder.readPaths([
    ['attributes', 'interests'],
    ['attributes', 'propensityScores'],
  ]);
  for (const { lookupFrom } of enrichSources(snapshot, enrichNodes, new Set()))
    builder.readPaths([lookupFrom.split('.')]);
  yield;
  const { collected } = builder;
  const program: Program = {
    offers,
    creatives,
    templateOf: createTemplates(),
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
    volumes: volumeMatcher(collected.volumes, builder.index),
    gateConfigs: [...snapshot.policies, ...snapshot.rules, ...everyPlaced.map(({ node }) => node)],
    days30Window,
    dayWindow,
    mergesRows: enrichNodes.length > 0,
    customerFields: collected.customer,
    interestNumber: collected.interests,
    phases,
    branching,
    afterRank: afterRankOf(placed),
    hasCalls: everyPlaced.some(({ calls }) => calls.size > 0),
    models: builder.models,
    drawsEarly: drawsEarly(builder.models, scoring, offers),
    scoring,
    optimize,
    rank,
    group: compileGroup(nodeOf('group')),
    explore: compileExplore(readObject(flowConfig.explore), ordinals.channel),
    output,
    customFieldsOn: !everyPlaced.some(
      ({ node: { type, config } }) => type === 'compute' && config?.includeCustomFields === false,
    ),
    response: compileResponse(responseNode),
    targeting,
  };
  yield;
  // Created now, between two points, so that the first decision doesn't pay for it.
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
    models: builder.models.list,
    drawsScores: [...builder.models.asked].some((number) => builder.models.list[number]?.program.isRandom === true),
    tracksStock: offers.some(({ row }) => row.tracksStock === true),
    volumes: planVolumes(collected.volumes, ordinals, offers),
    profileFields: [...collected.customer].sort(),
    autoSources: autoSources(snapshot, collected.customer),
    joinedSources: joinedSources(snapshot, collected.customer),
    enrichSources: enrichSources(snapshot, enrichNodes, collected.customer),
    webhooks: webhooksOf(everyPlaced),
    reads: {
      attributes: [...collected.attributes].sort(),
      context: collected.wholeContext ? null : [...collected.context].sort(),
      segments: [...collected.segments].sort(),
      interests: [...collected.interests.keys()].sort(),
      evidenceRanks:
        rank.method.readsEvidence === true ||
        builder.models.gates.has(flowModel) ||
        readsEvidence(scoring, offers) ||
        asks(optimize, new Set(['propensity'])) ||
        (snapshot.subFlows ?? []).some(({ key, config }) =>
          readsEvidence(calledScoring(config, scoringParts(snapshot, channels, builder.models, key)), offers),
        ),
      objectiveCounts:
        asks(optimize, countedObjectives) ||
        (snapshot.subFlows ?? []).some(({ config }) =>
          config.nodes.some(
            (node) =>
              node.type === 'optimize' &&
              node.enabled !== false &&
              asks(compileOptimize(node, profiles), countedObjectives),
          ),
        ),
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

/** A plan without conditionals has one way. */
const noBranches: Traveller = { holds: () => false, passes: () => undefined };

/** Names, windows and zones that nodes of any way read. */
function collectAll(nodes: readonly PlacedNode[], source: PhaseSource): void {
  const parts = newParts(source);
  for (const { node } of nodes) nodeKinds.get(node.type)?.step?.(node, parts);
}

/** The stages of phase 3, those of called flows in the place of the call. */
function outputOf(nodes: readonly PlacedNode[], parts: PlanParts): readonly OutputStep[] {
  return nodes.flatMap(({ node, phase, prefix, calls }) => {
    if (phase !== 3) return [];
    const call = calls.get('call');
    if (call !== undefined) return outputOf(call.nodes, parts);
    const step = nodeKinds.get(node.type)?.output?.(node, parts);
    return step === undefined ? [] : [prefix === '' ? step : { ...step, type: prefix + step.type }];
  });
}

function webhooksOf(nodes: readonly PlacedNode[]): readonly PlanWebhook[] {
  return nodes.flatMap(({ node: { id, type, config = {} }, ownId, flow }) => {
    if (type !== 'extension_point' || config.kind !== 'webhook') return [];
    const { hook, url, headers, timeoutMs } = config;
    const texts = Object.entries(readObject(headers)).map(([name, value]) => [name, String(value)] as const);
    return [
      {
        nodeId: id,
        ownId,
        flowId: flow.id,
        flowVersion: flow.version,
        hook: String(hook),
        url: String(url),
        headers: Object.fromEntries(texts),
        timeoutMs: readNumber(timeoutMs, usualTimeoutMs),
      },
    ];
  });
}

const usualTimeoutMs = 200;

const calledScoring = (config: FlowConfig, parts: ScoringParts): Program['scoring'] =>
  readScoring(config.nodes.find(({ type, enabled }) => type === 'score' && enabled !== false) ?? null, config, parts);

function compileRank(node: FlowNode | undefined): RankStage {
  const name = typeof node?.config?.method === 'string' ? node.config.method : 'topN';
  const kind = rankMethods.get(name);
  if (kind === undefined) throw new Error(`the rank method ${name} is not available`);
  const { topN, maxCandidates } = node?.config ?? {};
  const cut = Math.min(readNumber(topN, Number.POSITIVE_INFINITY), readNumber(maxCandidates, Number.POSITIVE_INFINITY));
  return { nodeId: node?.id ?? null, method: kind.compile(node?.config ?? {}), cut };
}

/** Targeting is evaluated before there's an offer (docs/design/api-catalogue.md 5.2). */
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

/** Whether rules, or the offers' own gates, ask a bandit: then it draws before there is anything to rank. */
function drawsEarly(
  { list, gates }: PlanModels,
  { settings, byChannel, champions }: Program['scoring'],
  offers: readonly PlanOffer[],
): boolean {
  const isRandom = (number: number): boolean => list[number]?.program.isRandom === true;
  if ([...gates].some(isRandom)) return true;
  const byFlow = gates.has(flowModel) || offers.some(({ eligibility }) => eligibility?.readsPropensity ?? false);
  // Only those of the flow's own score node: which flows a request calls isn't known yet.
  const own = [settings, ...byChannel].map(({ ladder }) => ladder.model);
  return byFlow && [...own, ...(champions?.shares ?? []).map(({ model }) => model)].some(isRandom);
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

/** Creatives that can't be shown have a number too, so a creative is at its number or before it. */
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
