import type { SnapshotCreative, SnapshotOffer, SnapshotPlacement } from '@arbiter/engine';
import type { Facts } from './conditions.ts';
import type { ContactEvent, World } from './world.ts';

/** An offer that may be shown, at one of the requested placements where there are several. */
export interface Candidate {
  readonly offer: SnapshotOffer;
  readonly mandatory: boolean;
  /** Position among the requested placements; null: the request does not list placements. */
  readonly slot: number | null;
  creative: SnapshotCreative | null;
  /** Every reason for which it leaves, by stage or gate. Empty: it reaches the ranking. */
  readonly reasons: Set<string>;
  fit: number;
  score: number;
}

/** What is known while one decision is worked out. */
export interface Work extends World {
  readonly now: number;
  readonly zone: string;
  readonly events: readonly ContactEvent[];
  readonly segments: ReadonlySet<string>;
  readonly customer: { readonly [name: string]: unknown };
  /** Items of the answer so far. */
  readonly taken: Candidate[];
  readonly target: Target;
}

/** Where the request wants items. */
export interface Target {
  /** Ids of the channels; null: any. */
  readonly channels: ReadonlySet<string> | null;
  /** Placements that a request for one placement may mean. */
  readonly eligible: readonly SnapshotPlacement[] | null;
  readonly slots: readonly { readonly placement: SnapshotPlacement; readonly limit: number | null }[] | null;
  /** With those that are not active, whose place is null. */
  readonly requested: readonly { readonly channelId: string; readonly slot: number | null }[] | null;
}

export const priorityOf = ({ offer, creative }: Candidate): number =>
  creative?.constraints.priorityOverride ?? offer.priority;

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
