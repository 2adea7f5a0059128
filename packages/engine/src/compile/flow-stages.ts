import { compileCondition } from '../conditions/compile-condition.ts';
import { readNumber } from '../config-values.ts';
import { rankMethods } from '../delivery/rank-methods.ts';
import { newParts, type PlanParts } from '../nodes/node-kind.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import { compileOptimize } from '../nodes/optimize.ts';
import { differsByChannel, readScoring, scoringParts } from '../nodes/score.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlacementTargeting, RankStage } from '../plan/program.ts';
import type { Optimizing, Scoring } from '../plan/scoring.ts';
import type { FlowNode, SnapshotPlacement } from '../plan/snapshot.ts';
import type { Branching, OutputStep, Phases } from '../plan/stages.ts';
import { profileWeights } from '../scoring/strategies.ts';
import { createBranching } from './branching.ts';
import { compilePhases, noPhases, type PhaseSource } from './phases.ts';
import { everyNode, type PlacedNode, placeNodes } from './placed-nodes.ts';
import type { PlanRows } from './plan-rows.ts';
import { routeOf, type Stop, type Traveller } from './route.ts';
import { enrichSources } from './sources.ts';

/** A flow's nodes, compiled. */
export interface FlowStages {
  /** Nodes of the flow, and those with the nodes of the flows that it calls. */
  readonly placed: readonly PlacedNode[];
  readonly everyPlaced: readonly PlacedNode[];
  readonly enrichNodes: readonly FlowNode[];
  /** The enabled node of a type that a flow has once. */
  nodeOf(type: string): FlowNode | undefined;
  readonly phases: Phases;
  readonly branching: Branching | null;
  readonly output: readonly OutputStep[];
  readonly scoring: Scoring;
  readonly optimize: Optimizing | null;
  readonly rank: RankStage;
  readonly targeting: readonly (PlacementTargeting | null)[];
}

/** Names under `customer.` that relevance reads (docs/design/api-decisioning.md 10). */
const relevanceFields = ['preferred_channel', 'interests', 'preferred_product_type'];

/** Compiles the flow's nodes. What they read is collected in the builder, so the order matters. */
export function compileFlowStages(rows: PlanRows): FlowStages {
  const { snapshot, builder, channels, placements, offers, creatives, rules, policies } = rows;
  const { config } = snapshot.flow;
  const nodes = config.nodes.filter((node) => node.enabled !== false);
  const nodeOf = (type: string): FlowNode | undefined => nodes.find((node) => node.type === type);
  const placed = placeNodes(snapshot);
  const everyPlaced = [...everyNode(placed)];
  const enrichNodes = everyPlaced.flatMap(({ node }) => (node.type === 'enrich' ? [node] : []));
  const scoreNode = nodeOf('score') ?? null;
  const scoresByChannel = differsByChannel(scoreNode, config);
  const source: PhaseSource = { builder, offers, creatives, rules, policies, scoresByChannel };
  for (const { node } of everyPlaced) nodeKinds.get(node.type)?.collect?.(node, builder);
  const stages = {
    placed,
    everyPlaced,
    enrichNodes,
    nodeOf,
    ...compileRoutes(placed, everyPlaced, source),
    output: outputOf(placed, newParts(source)),
    scoring: readScoring(scoreNode, config, scoringParts(snapshot, channels, builder.models)),
    optimize: compileOptimize(nodeOf('optimize'), profileWeights(snapshot)),
    rank: compileRank(nodeOf('rank')),
    targeting: placements.map((placement) => compileTargeting(placement, builder)),
  };
  builder.readPaths(relevanceFields.map((name) => ['customer', name]));
  builder.readPaths([
    ['attributes', 'interests'],
    ['attributes', 'propensityScores'],
  ]);
  for (const { lookupFrom } of enrichSources(snapshot, enrichNodes, new Set()))
    builder.readPaths([lookupFrom.split('.')]);
  return stages;
}

/** Stages of further routes are compiled when requests take them. They read nothing that isn't collected here. */
function compileRoutes(
  placed: readonly PlacedNode[],
  everyPlaced: readonly PlacedNode[],
  source: PhaseSource,
): Pick<FlowStages, 'phases' | 'branching'> {
  const ofRoute = (stops: readonly Stop[]): Phases => compilePhases(stops, placed, source);
  const branching = createBranching(placed, source.builder, ofRoute);
  if (branching === null) return { branching, phases: ofRoute(routeOf(placed, noBranches)) };
  collectAll(everyPlaced, source);
  return { branching, phases: noPhases };
}

/** A plan without conditionals has one route. */
const noBranches: Traveller = { holds: () => false, passes: () => undefined };

/** Names, windows and zones that nodes of any route read. */
function collectAll(nodes: readonly PlacedNode[], source: PhaseSource): void {
  const parts = newParts(source);
  for (const { node } of nodes) nodeKinds.get(node.type)?.step?.(node, parts);
}

/** The stages of phase 3, those of called flows in place of the call. */
function outputOf(nodes: readonly PlacedNode[], parts: PlanParts): readonly OutputStep[] {
  return nodes.flatMap(({ node, phase, prefix, calls }) => {
    if (phase !== 3) return [];
    const call = calls.get('call');
    if (call !== undefined) return outputOf(call.nodes, parts);
    const step = nodeKinds.get(node.type)?.output?.(node, parts);
    return step === undefined ? [] : [prefix === '' ? step : { ...step, type: prefix + step.type }];
  });
}

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
