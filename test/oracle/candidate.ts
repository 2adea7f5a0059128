import type { SnapshotCreative, SnapshotOffer, SnapshotPlacement, SnapshotPolicy } from '@arbiter/engine';
import type { Facts } from './conditions.ts';
import type { ContactEvent, World } from './world.ts';

/** An offer that may be shown, at one of the requested placements where there are several. */
export interface Candidate {
  readonly offer: SnapshotOffer;
  readonly mandatory: boolean;
  /** Position among the requested placements; null: the request does not list placements. */
  readonly slot: number | null;
  creative: SnapshotCreative | null;
  /** False: no node that matches creatives has run yet, and conditions see none. */
  isMatched: boolean;
  /** Every reason to drop it, by stage or gate. Empty: it reaches the ranking. */
  readonly reasons: Set<string>;
  /** Match rules that it was judged by; each lowers its fit once. */
  readonly judged: Set<string>;
  /** Stages whose policies were applied to it. */
  readonly stages: Set<readonly SnapshotPolicy[]>;
  fit: number;
  score: number;
  parts: Parts | null;
}

/** The parts of a score (docs/design/api-decisioning.md 10). */
export interface Parts {
  readonly propensity: number;
  readonly relevance: number;
  readonly impact: number;
  readonly emphasis: number;
  readonly source: string;
  readonly modelKey: string | null;
  /** Exponent of propensity in the score; 0: it has no part in it. */
  readonly exponent: number;
  readonly method: string;
  /** Key of the bandit that drew it, or its prior; null: nothing was drawn. */
  readonly bandit: string | null;
}

/** What is known while a decision is computed. */
export interface Work extends World {
  readonly now: number;
  readonly zone: string;
  readonly events: readonly ContactEvent[];
  readonly segments: ReadonlySet<string>;
  /** Grows with each enrich node. */
  customer: { readonly [name: string]: unknown };
  readonly isHoldout: boolean;
  /** Items of the answer so far. */
  readonly taken: Candidate[];
  readonly target: Target;
  /** Models that bandits drew already, by key. */
  readonly draws: Map<string, Draws>;
  /** Keys of models that couldn't be asked, or returned no score. */
  readonly failed: Set<string>;
}

/** The scores of one bandit in this decision. */
export interface Draws {
  score(offerId: string): number;
  /** Value of an arm without randomness. */
  greedy(offerId: string): number;
  /** Chance that an epsilon_greedy model scores by a uniform order. */
  readonly uniformChance: number;
  readonly isUniform: boolean;
}

/** Where the request wants items. */
export interface Target {
  /** IDs of the channels; null: any. */
  readonly channels: ReadonlySet<string> | null;
  /** Placements that a request for one placement may mean. */
  readonly eligible: readonly SnapshotPlacement[] | null;
  readonly slots: readonly { readonly placement: SnapshotPlacement; readonly limit: number | null }[] | null;
  /** Including inactive ones, whose placement is null. */
  readonly requested: readonly { readonly channelId: string; readonly slot: number | null }[] | null;
}

export const priorityOf = ({ offer, creative }: Candidate): number =>
  creative?.constraints.priorityOverride ?? offer.priority;

export const isIn = ({ reasons }: Candidate): boolean => reasons.size === 0;

/** Score, then priority, then id (docs/design/api-decisioning.md 1 no. 3). */
export const inOrder = (candidates: readonly Candidate[]): Candidate[] =>
  [...candidates].sort(
    (a, b) =>
      b.score - a.score ||
      priorityOf(b) - priorityOf(a) ||
      (a.offer.id < b.offer.id ? -1 : a.offer.id > b.offer.id ? 1 : 0),
  );

/** What conditions read for a candidate. */
export function factsOf(work: Work, candidate: Candidate | null): Facts {
  const { input, snapshot, customer } = work;
  const channelId = candidate?.creative?.channelId ?? onlyChannel(work);
  return {
    customer,
    attributes: input.request.attributes,
    request: input.request,
    offer: candidate?.offer ?? null,
    creative: candidate?.creative ?? null,
    channel: snapshot.channels.find(({ id }) => id === channelId) ?? null,
  };
}

/** The channel that a request names, when it is one. */
function onlyChannel({ target, input: { request } }: Work): string | null {
  const isNamed = request.channel !== null || request.channelId !== null || request.placement !== null;
  if (!isNamed || target.channels === null || target.channels.size !== 1) return null;
  return [...target.channels][0] ?? null;
}
