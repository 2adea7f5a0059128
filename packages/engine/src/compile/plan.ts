import { readNumber, readObject } from '../config-values.ts';
import { endpointName } from '../models/ask-endpoint.ts';
import { flowModel } from '../models/plan-models.ts';
import { compileOptimize } from '../nodes/optimize.ts';
import { readScoring, type ScoringParts, scoringParts } from '../nodes/score.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlanModels } from '../plan/models.ts';
import type { PlanCreative, PlanOffer } from '../plan/offer.ts';
import { NONE, type Ordinals } from '../plan/ordinals.ts';
import type { Plan, PlanNames, PlanReads, PlanWebhook } from '../plan/plan.ts';
import type { Program } from '../plan/program.ts';
import type { FlowConfig, FlowNode, Snapshot } from '../plan/snapshot.ts';
import { countedObjectives } from '../scoring/objectives.ts';
import { profileWeights } from '../scoring/strategies.ts';
import type { FlowStages } from './flow-stages.ts';
import { joinedSources } from './joined-sources.ts';
import type { PlacedNode } from './placed-nodes.ts';
import type { PlanRows } from './plan-rows.ts';
import { planVolumes } from './plan-volumes.ts';
import { autoSources, enrichSources } from './sources.ts';

const hourMs = 3_600_000;
const maxItems = 50;
const defaultLimit = 5;

/** What callers need of a plan: what to read before a decision, and what its numbers mean. */
export function planOf(rows: PlanRows, stages: FlowStages, program: Program): Plan {
  const { snapshot, builder, ordinals, offers, creatives } = rows;
  const { collected, models } = builder;
  const flowConfig = readObject(snapshot.flow.config.flowConfig);
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
    models: models.list,
    experiments: (snapshot.experiments ?? []).filter(({ isRunning }) => isRunning).map(({ id, key }) => ({ id, key })),
    drawsScores: [...models.asked].some((number) => models.list[number]?.program.isRandom === true),
    tracksStock: offers.some(({ row }) => row.tracksStock === true),
    volumes: planVolumes(collected.volumes, ordinals, offers),
    profileFields: [...collected.customer].sort(),
    autoSources: autoSources(snapshot, collected.customer),
    joinedSources: joinedSources(snapshot, collected.customer),
    enrichSources: enrichSources(snapshot, stages.enrichNodes, collected.customer),
    webhooks: [...webhooksOf(stages.everyPlaced), ...endpointsOf(models)],
    reads: readsOf(rows, stages),
    limits: {
      defaultLimit: readNumber(flowConfig.defaultLimit, defaultLimit),
      cut: smallestCut(snapshot, stages.nodeOf('rank'), stages.nodeOf('response')),
    },
    ordinals,
    names: namesOf(snapshot, ordinals, offers, creatives),
    program,
  });
}

function readsOf({ snapshot, builder, channels, offers }: PlanRows, stages: FlowStages): PlanReads {
  const { collected, models } = builder;
  const { subFlows = [] } = snapshot;
  return {
    attributes: [...collected.attributes].sort(),
    context: collected.wholeContext ? null : [...collected.context].sort(),
    segments: [...collected.segments].sort(),
    interests: [...collected.interests.keys()].sort(),
    evidenceRanks:
      stages.rank.method.readsEvidence === true ||
      models.gates.has(flowModel) ||
      readsEvidence(stages.scoring, offers) ||
      asks(stages.optimize, new Set(['propensity'])) ||
      subFlows.some(({ key, config }) =>
        readsEvidence(calledScoring(config, scoringParts(snapshot, channels, models, key)), offers),
      ),
    objectiveCounts:
      asks(stages.optimize, countedObjectives) ||
      subFlows.some(({ config }) => optimizes(config, snapshot, countedObjectives)),
  };
}

/** True when an enabled optimize node of the flow weighs one of the objectives. */
function optimizes({ nodes }: FlowConfig, snapshot: Snapshot, objectives: ReadonlySet<string>): boolean {
  const profiles = profileWeights(snapshot);
  return nodes.some(
    (node) => node.type === 'optimize' && node.enabled !== false && asks(compileOptimize(node, profiles), objectives),
  );
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
        timeoutMs: readNumber(timeoutMs, defaultTimeoutMs),
      },
    ];
  });
}

/** Endpoints of the models that decide something. The others are scored for traces alone, and nobody asks for that. */
function endpointsOf({ list, asked }: PlanModels): readonly PlanWebhook[] {
  return list.flatMap(({ number, id, key, program: { endpoint } }) => {
    if (endpoint === undefined || !asked.has(number)) return [];
    const { url, timeoutMs, mapping } = endpoint;
    const name = endpointName(key);
    const place = { nodeId: name, ownId: name, flowId: id, flowVersion: null };
    return [{ ...place, hook: 'model', url, headers: {}, timeoutMs, mapping }];
  });
}

const defaultTimeoutMs = 200;

const calledScoring = (config: FlowConfig, parts: ScoringParts): Program['scoring'] =>
  readScoring(config.nodes.find(({ type, enabled }) => type === 'score' && enabled !== false) ?? null, config, parts);

function smallestCut(snapshot: Snapshot, rank: FlowNode | undefined, response: FlowNode | undefined): number {
  return Math.min(
    maxItems,
    snapshot.tenant.maxOffersPerDecision,
    readNumber(rank?.config?.topN, maxItems),
    readNumber(rank?.config?.maxCandidates, maxItems),
    readNumber(response?.config?.limit, maxItems),
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
