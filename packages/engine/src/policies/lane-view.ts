import { NONE, type Ordinals, UNKNOWN } from '../compile/plan.ts';
import type { ContactCounts } from '../input.ts';

/** A customer's contact lanes in the plan's numbers: NONE = the lane has no such part, UNKNOWN = not in the plan. */
export interface LaneView {
  readonly size: number;
  readonly offer: readonly number[];
  readonly creative: readonly number[];
  readonly channel: readonly number[];
  readonly category: readonly number[];
  readonly subCategory: readonly number[];
  readonly campaignId: readonly (string | null)[];
  readonly lastAt: readonly number[];
  /** `counts[window][lane]`. */
  readonly counts: readonly (readonly number[])[];
}

const noLanes: LaneView = {
  size: 0,
  offer: [],
  creative: [],
  channel: [],
  category: [],
  subCategory: [],
  campaignId: [],
  lastAt: [],
  counts: [],
};

/**
 * Numbers the lanes. An offer that is neither in the plan nor in `otherOffers` has no known category: it counts for
 * global, channel and offer scopes only.
 */
export function viewLanes(contacts: ContactCounts, ordinals: Ordinals): LaneView {
  const size = contacts.lanes.length;
  if (size === 0) return noLanes;
  const offer = new Array<number>(size);
  const creative = new Array<number>(size);
  const channel = new Array<number>(size);
  const category = new Array<number>(size);
  const subCategory = new Array<number>(size);
  const campaignId = new Array<string | null>(size);
  for (let i = 0; i < size; i++) {
    const lane = contacts.lanes[i]!;
    offer[i] = ordinals.offer.get(lane.offerId) ?? UNKNOWN;
    creative[i] = lane.creativeId === null ? NONE : (ordinals.creative.get(lane.creativeId) ?? UNKNOWN);
    channel[i] = lane.channelId === null ? NONE : (ordinals.channel.get(lane.channelId) ?? UNKNOWN);
    const pair = ordinals.offerCategory.get(lane.offerId);
    category[i] = pair === undefined ? UNKNOWN : pair[0];
    subCategory[i] = pair === undefined ? UNKNOWN : pair[1];
    campaignId[i] = lane.campaignId;
  }
  return {
    size,
    offer,
    creative,
    channel,
    category,
    subCategory,
    campaignId,
    lastAt: contacts.lastAt,
    counts: contacts.counts,
  };
}
