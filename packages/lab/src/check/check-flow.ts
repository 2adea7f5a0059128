import type { Snapshot } from '@arbiter/engine';
import type { OfferVerdict } from './check-offers.ts';
import { type Finding, finding, quoted } from './findings.ts';
import { negate } from './formula.ts';
import type { Solver } from './solver.ts';
import type { CheckInput, Subject } from './subject.ts';
import { closedBy } from './verdicts.ts';
import { actionOf, branchFormula, canCall, nodeSubject, type Way, type WayNode } from './ways.ts';

/** Nodes that no request reaches, branches that none takes, and calls of flows that can't run. */
export function checkStructure(snapshot: Snapshot, ways: readonly Way[], solver: Solver): Finding[] {
  const nodes = enabledNodes(snapshot);
  const taken = ways.filter(({ conditions }) =>
    isTaken(
      conditions.map(({ formula }) => formula),
      solver,
    ),
  );
  const found: Finding[] = [];
  for (const place of nodes) {
    const { node } = place;
    const name = quoted(node.name ?? node.id);
    const isBranch = node.type === 'conditional';
    const reaching = taken.filter((way) => reaches(way, place));
    if (reaching.length === 0 && isInFirstPhase(snapshot, place)) {
      found.push(finding('node_unreachable', nodeSubject(place), `No request reaches the node ${name}.`));
      continue;
    }
    if (isBranch) found.push(...deadBranches(place, taken, solver));
    for (const [path, flowKey] of callsOf(place)) {
      if (canCall(snapshot, flowKey)) continue;
      const message = `The node ${name} drops every offer: it calls the flow ${quoted(flowKey)}, which isn’t active and published.`;
      found.push(finding('call_flow_closed', nodeSubject(place, path), message));
    }
  }
  return found;
}

export const enabledNodes = ({ flow }: Snapshot): WayNode[] =>
  flow.config.nodes.map((node, at) => ({ node, at })).filter(({ node }) => node.enabled !== false);

const isTaken = (formulas: Parameters<Solver['solve']>[0], solver: Solver): boolean =>
  solver.solve(formulas).verdict !== 'never';

/** A node after the one that drops everything has no effect. */
function reaches({ nodes, dropsAt }: Way, { at }: WayNode): boolean {
  return nodes.some((place) => place.at === at) && (dropsAt === null || dropsAt.at >= at);
}

const laterTypes: ReadonlySet<string> = new Set([
  'score',
  'optimize',
  'rank',
  'group',
  'compute',
  'set_properties',
  'response',
]);

function isInFirstPhase(snapshot: Snapshot, { at }: WayNode): boolean {
  const first = enabledNodes(snapshot).find(({ node }) => laterTypes.has(node.type));
  return first === undefined || at < first.at;
}

function deadBranches(place: WayNode, taken: readonly Way[], solver: Solver): Finding[] {
  const formula = branchFormula(place.node);
  const before = (way: Way) => way.conditions.filter(({ source }) => source.at < place.at).map((one) => one.formula);
  const name = quoted(place.node.name ?? place.node.id);
  return (['onTrue', 'onFalse'] as const).flatMap((side) => {
    const own = side === 'onTrue' ? formula : negate(formula);
    // A branch that does nothing special isn't missed.
    if (actionOf(place.node, side).action === 'continue') return [];
    if (taken.some((way) => isTaken([...before(way), own], solver))) return [];
    const when = side === 'onTrue' ? 'match' : 'don’t match';
    return [
      finding(
        'branch_dead',
        nodeSubject(place, `/config/${side}`),
        `The conditions of ${name} never ${when}, so this branch is never taken.`,
      ),
    ];
  });
}

function callsOf({ node }: WayNode): (readonly [path: string, flowKey: string])[] {
  if (node.type === 'call_flow') return [['/config/flowKey', `${node.config?.flowKey}`]];
  if (node.type !== 'conditional') return [];
  return (['onTrue', 'onFalse'] as const).flatMap((side) => {
    const { action, flowKey } = actionOf(node, side);
    return action === 'call_flow' ? [[`/config/${side}/flowKey`, flowKey] as const] : [];
  });
}

/** The node after which no offer is left for anyone, if none of the flow's offers is ever shown. */
export function checkEmpty(input: CheckInput, verdicts: readonly OfferVerdict[], solver: Solver): Finding[] {
  const { snapshot } = input;
  if (verdicts.length === 0 || verdicts.some(({ verdict }) => verdict !== 'never')) return [];
  const flow: Subject = { type: 'decisionFlow', id: snapshot.flow.id, name: snapshot.flow.name, path: '' };
  for (const place of enabledNodes(snapshot)) {
    const isEmpty = verdicts.every(({ passages }) => {
      const own = passages.map((passage) => ({
        ...passage,
        gates: passage.gates.filter((gate) => gate.type !== 'flowNode' || nodeAt(gate.path) <= place.at),
      }));
      const others = own.map((passage) => ({
        ...passage,
        gates: passage.gates.filter(({ type }) => type === 'flowNode'),
      }));
      return closedBy(others, solver, input)(new Set());
    });
    if (!isEmpty) continue;
    return [
      finding(
        'empty_after',
        nodeSubject(place),
        `No offer is left after the node ${quoted(place.node.name ?? place.node.id)} for any request.`,
      ),
    ];
  }
  return [finding('empty_after', flow, 'This flow never shows an offer.')];
}

const nodeAt = (path: string): number => Number(path.split('/')[2]);
