import type { DropReason, Gate } from './drop-reason.ts';
import type { PlanCreative, PlanOffer } from './offer.ts';

/**
 * An offer under consideration. With several requested placements there is one candidate per offer and placement it
 * fits, because creative, channel and the gates on them differ. Its numbers are in the scratch's columns.
 */
export interface Candidate {
  /** Its position in the columns. */
  readonly at: number;
  offer: PlanOffer;
  /** `offer.ordinal` and `offer.priority`, here because with thousands of offers each further object is a cache miss. */
  ordinal: number;
  offerPriority: number;
  creative: PlanCreative | null;
  /** Channel number of the creative; NONE without one. */
  channel: number;
  /** Position of the requested placement it competes for; -1 when the request names at most one. */
  slot: number;
  /** Placement it would be shown at; null when none is known yet or any of several would do. */
  placementId: string | null;
  priority: number;
  /** Number of the list that it came in with (`Run.origin`), or `mandatoryOrigin`. */
  origin: number;
  /** Why it leaves; null while it stays. */
  reason: DropReason | null;
  /** Rule or policy that removes it, with its explanation, for traces. */
  gate: Gate | null;
  taken: boolean;
}

/** `Candidate.origin` of the mandatory list, which called flows leave as it is. */
export const mandatoryOrigin = -1;
