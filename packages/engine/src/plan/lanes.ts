import type { ContactCounts } from './input.ts';
import type { Ordinals } from './ordinals.ts';

/**
 * The contact lanes that this decision can depend on: those with a contact in some window, or with one that some
 * cooldown may still feel. In the plan's numbers: NONE = the lane has no such part, UNKNOWN = not in the plan.
 */
export interface LaneView {
  readonly size: number;
  /** Position in `contacts.lanes`. */
  readonly lane: Int32Array;
  readonly offer: Int32Array;
  readonly category: Int32Array;
  readonly subCategory: Int32Array;
  readonly lastAt: Float64Array;
  /** Counted contacts of lane l in window w: `counts[w * size + l]`. */
  readonly counts: Int32Array;
  /** Counted contacts of all lanes by window. */
  readonly totals: Int32Array;
  readonly contacts: ContactCounts;
  readonly ordinals: Ordinals;
  readonly scratch: LaneScratch;
  /** Numbered on first use: few policies concern a creative or channel. */
  creative: Int32Array | null;
  channel: Int32Array | null;
}

/** Storage for lane views, part of a plan's scratch. Only numbers, so it keeps no contacts alive. */
export interface LaneScratch {
  /** Lanes that there is room for. */
  room: number;
  lane: Int32Array;
  offer: Int32Array;
  category: Int32Array;
  subCategory: Int32Array;
  creative: Int32Array;
  channel: Int32Array;
  lastAt: Float64Array;
  counts: Int32Array;
  totals: Int32Array;
}
