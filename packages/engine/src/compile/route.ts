import { readObject, readWord } from '../config-values.ts';
import { type BranchAction, branchActions } from '../nodes/branch-actions.ts';
import type { CallSide, PlacedCall, PlacedNode } from './placed-nodes.ts';

/** A node on the way of one request through a plan, of phase 1 or 2. */
export interface Stop {
  readonly placed: PlacedNode;
  /** A conditional passed over it. */
  readonly isSkipped: boolean;
  /** What a conditional does for this request; null for all other nodes. */
  readonly action: BranchAction | null;
  /** The call that it makes, with the way through the called flow; null: none. */
  readonly call: { readonly call: PlacedCall; readonly stops: readonly Stop[] } | null;
}

/** The request that the route is for. */
export interface Traveller {
  /** Whether the conditions of a conditional hold. */
  holds(conditional: PlacedNode): boolean;
  /** Called for each node that runs, in order. */
  passes(placed: PlacedNode): void;
}

/**
 * Returns a request's route. Conditions are evaluated once per request and don't look at candidates, so the whole route
 * is known before the first candidate.
 */
export function routeOf(nodes: readonly PlacedNode[], traveller: Traveller): readonly Stop[] {
  const stops: Stop[] = [];
  let skipUntil: string | null = null;
  for (const placed of nodes) {
    if (placed.phase > 2) continue;
    // The target is a later node of phase 1, or the first of phase 2.
    if (placed.phase > 1 || placed.ownId === skipUntil) skipUntil = null;
    if (skipUntil !== null) {
      stops.push({ placed, isSkipped: true, action: null, call: null });
      continue;
    }
    traveller.passes(placed);
    if (placed.node.type !== 'conditional') {
      stops.push({ placed, isSkipped: false, action: null, call: takenCall(placed, 'call', traveller) });
      continue;
    }
    const side = traveller.holds(placed) ? 'onTrue' : 'onFalse';
    const { action: word, nodeId } = readObject(placed.node.config?.[side]);
    const action = readWord(word, branchActions) ?? 'continue';
    if (action === 'skip_to') skipUntil = typeof nodeId === 'string' ? nodeId : '';
    stops.push({ placed, isSkipped: false, action, call: takenCall(placed, side, traveller) });
  }
  return stops;
}

function takenCall({ calls }: PlacedNode, side: CallSide, traveller: Traveller): Stop['call'] {
  const call = calls.get(side);
  return call === undefined ? null : { call, stops: routeOf(call.nodes, traveller) };
}
