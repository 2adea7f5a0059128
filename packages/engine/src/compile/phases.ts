import { conditionalStep } from '../nodes/conditional.ts';
import { contactPolicyStep } from '../nodes/contact-policy.ts';
import { extensionStep } from '../nodes/extension-point.ts';
import { policiesOfFilter } from '../nodes/filter.ts';
import { matchStep } from '../nodes/match-creatives.ts';
import { newParts, type PlanParts } from '../nodes/node-kind.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import { compileOptimize } from '../nodes/optimize.ts';
import { qualifyStep } from '../nodes/qualify.ts';
import { readScoring, scoringParts } from '../nodes/score.ts';
import type { RanFlow } from '../plan/decision.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { SnapshotSubFlow } from '../plan/snapshot.ts';
import type { Phases, Step } from '../plan/stages.ts';
import { liftersOf, policiesByList } from '../policies/policy-stage.ts';
import { optimizeStage } from '../scoring/optimize-stage.ts';
import { profileWeights } from '../scoring/strategies.ts';
import { closedCallStep, narrowStep, ownListStep, skippedStep } from '../stages/called-list.ts';
import { calledRankStep, calledScoreStep } from '../stages/called-scores.ts';
import { mandatoryStep } from '../stages/mandatory.ts';
import { suppressionStep } from '../stages/suppression.ts';
import { sortById } from './catalogue.ts';
import { everyNode, type PlacedNode } from './placed-nodes.ts';
import type { Stop } from './route.ts';

/** What stages are compiled from, besides their nodes. */
export type PhaseSource = Pick<
  PlanParts,
  'builder' | 'offers' | 'creatives' | 'rules' | 'policies' | 'scoresByChannel'
>;

/** Stages without a decision: a request whose places don't exist gets none. */
export const noPhases: Phases = {
  phase1: [],
  toOptimize: [],
  toRank: [],
  rescores: false,
  lifters: [],
  byList: null,
  subFlows: [],
};

/** Compiles the stops of one way through the plan's nodes. Whatever was skipped counts as absent. */
export function compilePhases(stops: readonly Stop[], nodes: readonly PlacedNode[], source: PhaseSource): Phases {
  const first = stops.filter(({ placed }) => placed.phase === 1);
  const second = stops.filter(({ placed }) => placed.phase === 2);
  const parts = newParts({ ...source, filtered: filteredBy(first, source.policies), isPlural: makesLists(stops) });
  const phase1 = wholePhase1(first, parts, '');
  phase1.push(mandatoryStep(parts.policyStages, parts.policies));
  const optimizeAt = second.findIndex(({ placed }) => placed.node.type === 'optimize');
  const toOptimize = phase2(second.slice(0, Math.max(0, optimizeAt)), parts);
  const toRank = phase2(second.slice(optimizeAt + 1), parts);
  return {
    phase1,
    toOptimize,
    toRank,
    rescores: toOptimize.length + toRank.length > 0,
    lifters: liftersOf(parts.policies, parts.policyStages),
    byList: parts.isPlural ? policiesByList(parts.policies, parts.shared.asked, parts.shared.lists) : null,
    subFlows: flowsOf(stops, nodes),
  };
}

/** Phase 1 of a flow that runs as a whole, including what a flow can't leave out (docs/design/api-decisioning.md 7). */
function wholePhase1(stops: readonly Stop[], parts: PlanParts, prefix: string): Step[] {
  const run = nodesThatRun(stops);
  const has = (type: string): boolean => run.some(({ placed }) => placed.node.type === type);
  const lastQualify = run.findLast(({ placed }) => placed.node.type === 'qualify') ?? null;
  const steps = stepsOf(stops, parts, { lastQualify, isNarrow: false });
  const add = (step: Step): void => void steps.push(named(step, prefix));
  if (!has('match_creatives')) add(matchStep(null, parts));
  if (lastQualify === null) {
    add(qualifyStep(null, parts));
    add(suppressionStep(parts.policies));
  }
  if (!has('contact_policy')) add(contactPolicyStep(null, parts));
  return steps;
}

interface Within {
  /** Suppression follows this one. */
  readonly lastQualify: Stop | null;
  /** The nodes belong to a called flow that works on the list of its caller. */
  readonly isNarrow: boolean;
}

/** The stages of phase 1 of these stops. */
function stepsOf(stops: readonly Stop[], parts: PlanParts, within: Within): Step[] {
  const steps: Step[] = [];
  for (const stop of stops) {
    const { placed, isSkipped, action, call } = stop;
    const { node, prefix } = placed;
    const add = (step: Step): void => void steps.push(named(step, prefix));
    if (isSkipped) {
      add(skippedStep(node.type, node.id));
    } else if (call !== null && (call.call.flow === null || action === null)) {
      add(callStep(stop, parts, within));
    } else if (action !== null) {
      add(conditionalStep(node, action));
      if (call !== null) steps.push(...stepsOf(call.stops, parts, { ...within, isNarrow: true }));
    } else if (node.type === 'extension_point') {
      add(extensionStep(node));
    } else {
      const kind = nodeKinds.get(node.type);
      if (kind === undefined || kind.unbuilt === true) throw new Error(`the node type ${node.type} is not available`);
      if (kind.step !== undefined && !(node.type === 'inventory' && within.isNarrow)) add(kind.step(node, parts));
    }
    if (stop === within.lastQualify) add(suppressionStep(parts.policies));
  }
  return steps;
}

/** The called flow's nodes up to the phase of the call, as one stage of the caller. */
function callStep({ placed, action, call }: Stop, parts: PlanParts, within: Within): Step {
  const { node, phase } = placed;
  if (call === null) throw new Error(`node ${node.id} has no flow to call`);
  const { mode, flow, name } = call.call;
  if (flow === null) return closedCallStep(action === null ? 'call_flow' : 'conditional', node.id, name);
  const first = call.stops.filter((stop) => stop.placed.phase === 1);
  const second = call.stops.filter((stop) => stop.placed.phase === 2);
  const prefix = `call_flow:${flow.key}/`;
  if (mode === 'narrow') {
    const steps = stepsOf(first, parts, { lastQualify: within.lastQualify, isNarrow: true });
    if (phase === 2) steps.push(...calledPhase2(flow, second, parts, prefix));
    return narrowStep(node.id, steps);
  }
  parts.shared.lists += 1;
  const origin = parts.shared.lists;
  const filtered = filteredBy(first, parts.policies);
  const inner = newParts({ ...parts, own: origin, policyStages: [], filtered, isCalled: true });
  const steps = wholePhase1(first, inner, prefix);
  if (phase === 2) steps.push(...calledPhase2(flow, second, inner, prefix));
  // `own` of the called flow is another one when it replaced its own list in turn.
  const lists = [{ number: inner.own, fitted: inner.fitted }, ...inner.merged];
  if (mode === 'merge') {
    parts.merged = [...parts.merged, ...lists];
  } else {
    parts.own = inner.own;
    parts.matched = true;
    parts.fitted = inner.fitted;
    parts.merged = inner.merged;
  }
  return ownListStep(node.id, { mode, key: flow.key, origin }, steps);
}

/** A called flow scores the list that it is called for, whatever scored it before; its rank node cuts it. */
function calledPhase2(flow: SnapshotSubFlow, stops: readonly Stop[], parts: PlanParts, prefix: string): Step[] {
  const { config } = flow;
  const channels = sortById(parts.builder.snapshot.channels);
  const pathOf = (type: string) => stops.find(({ placed }) => placed.node.type === type)?.placed.node ?? null;
  const { snapshot, models } = parts.builder;
  const scored = calledScoreStep(
    readScoring(pathOf('score'), config, scoringParts(snapshot, channels, models, flow.key)),
  );
  const optimizing = compileOptimize(pathOf('optimize') ?? undefined, profileWeights(snapshot));
  const optimized: Step[] =
    optimizing === null
      ? []
      : [
          {
            type: 'optimize',
            nodeId: optimizing.nodeId,
            run(run) {
              if (!run.holdout) optimizeStage(run, optimizing);
            },
          },
        ];
  const rank = pathOf('rank');
  const cut = rank === null ? null : calledRankStep(rank);
  return [
    named(scored, prefix),
    ...optimized.map((step) => named(step, prefix)),
    ...phase2(stops, parts),
    ...(cut === null ? [] : [named(cut, prefix)]),
  ];
}

/** The stages behind scoring, but for optimize, rank and group, which the flow runs itself. */
function phase2(stops: readonly Stop[], parts: PlanParts): Step[] {
  const steps: Step[] = [];
  for (const stop of stops) {
    const { node, prefix } = stop.placed;
    if (stop.call !== null) steps.push(named(callStep(stop, parts, { lastQualify: null, isNarrow: false }), prefix));
    else if (node.type === 'extension_point' && node.config?.hook === 'score_override') {
      steps.push(named(extensionStep(node), prefix));
    }
  }
  return steps;
}

const named = (step: Step, prefix: string): Step => (prefix === '' ? step : { ...step, prefix });

/** Returns the nodes that run, including nodes of calls that narrow: they count as the caller's own. */
function nodesThatRun(stops: readonly Stop[]): readonly Stop[] {
  return stops.flatMap((stop) => {
    if (stop.isSkipped) return [];
    return [stop, ...(stop.call?.call.mode === 'narrow' ? nodesThatRun(stop.call.stops) : [])];
  });
}

/** Policies that filter nodes name: those nodes ask them, and no other does. */
function filteredBy(stops: readonly Stop[], policies: readonly CompiledPolicy[]): ReadonlySet<CompiledPolicy> {
  const filters = nodesThatRun(stops).filter(({ placed }) => placed.node.type === 'filter');
  return new Set(filters.flatMap(({ placed }) => policiesOfFilter(placed.node, policies)));
}

/** True when some call makes a list of its own. */
function makesLists(stops: readonly Stop[]): boolean {
  return stops.some(({ call }) => call !== null && (call.call.mode !== 'narrow' || makesLists(call.stops)));
}

/** The called flows of these stops that can run, those they call behind them. */
function* calledFlows(stops: readonly Stop[]): Generator<RanFlow> {
  for (const { call } of stops) {
    if (call === null || call.call.flow === null) continue;
    const { key, version } = call.call.flow;
    yield { key, version };
    yield* calledFlows(call.stops);
  }
}

/** Returns each flow once, those of phase 3 after the others. */
function flowsOf(stops: readonly Stop[], nodes: readonly PlacedNode[]): readonly RanFlow[] {
  const found = new Map<string, RanFlow>();
  for (const flow of calledFlows(stops)) if (!found.has(flow.key)) found.set(flow.key, flow);
  for (const { phase, calls } of everyNode(nodes)) {
    if (phase !== 3) continue;
    for (const { flow } of calls.values()) {
      if (flow !== null && !found.has(flow.key)) found.set(flow.key, { key: flow.key, version: flow.version });
    }
  }
  return [...found.values()];
}
