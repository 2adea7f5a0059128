import type { WhyNotAnswer } from '@arbiter/contract';
import type { WhyNotAnswer as Found, GateRow } from '@arbiter/engine';

/** What is known about the offer outside the plan. */
export interface AskedOffer {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly isDeleted: boolean;
}

/** True for a deleted offer, for which nothing can be suggested. */
export const isGone = ({ status, isDeleted }: AskedOffer): boolean => isDeleted || status === 'archived';

/**
 * Returns the gate of an offer that no flow includes because of its state; null for an active one. Replaces the
 * engine's answer, which doesn't know the offer.
 */
function statusGate(offer: AskedOffer): GateRow | null {
  const word = offer.isDeleted ? 'deleted' : offer.status;
  if (word === 'active') return null;
  return {
    stage: 'inventory',
    nodeId: null,
    status: 'blocked',
    id: null,
    name: 'status',
    ruleType: null,
    reason: `the offer is ${word}`,
    detail: { status: word, ...(isGone(offer) ? { final: true } : {}) },
  };
}

/** The gates with that of the offer's status, where the engine knew only that it is no candidate. */
export function withStatus(gates: readonly GateRow[], offer: AskedOffer): readonly GateRow[] {
  const gate = statusGate(offer);
  return gate === null ? gates : [gate, ...gates.filter(({ name }) => name !== 'not_in_inventory')];
}

/** The answer in a sentence or two. */
export function summaryOf(
  offerName: string,
  found: Pick<Found, 'selected' | 'verdict' | 'rank' | 'gates' | 'flips'>,
): string {
  const { selected, verdict, rank, gates, flips } = found;
  if (selected) return `${offerName} is returned at rank ${rank}.`;
  const refusing = gates.filter(({ status }) => status === 'blocked');
  const names = refusing.map(({ name, stage }) => `“${name ?? stage}”`).join(', ');
  const why =
    refusing.length > 0
      ? verdict === 'eligible' && refusing.every(({ stage }) => stage === 'admission')
        ? `${offerName} passes every gate, but the items ahead of it use up what ${names} allows.`
        : `${offerName} is blocked by ${refusing.length} ${refusing.length === 1 ? 'gate' : 'gates'}: ${names}.`
      : verdict === 'eligible'
        ? `${offerName} passes every gate but ranks ${rank === null ? 'too low' : `at position ${rank}`}, so it doesn't fit into the response.`
        : `${offerName} is not a candidate.`;
  const ways = flips.length === 1 ? '1 change would' : `${flips.length} changes would each`;
  return flips.length === 0
    ? `${why} No small change was found that would get it returned.`
    : `${why} ${ways} get it returned.`;
}

/** Flips as they are answered. */
export function shapeFlips(flips: Found['flips']): WhyNotAnswer['flips'] {
  return flips.map(({ kind, changes, at, resultRank }) => ({
    kind,
    changes: changes.map((change) => ({ ...change })),
    at: at === null ? null : new Date(at).toISOString(),
    verified: true,
    resultRank,
  }));
}
