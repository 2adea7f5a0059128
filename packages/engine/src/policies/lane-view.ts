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
 * Numbers the lanes, each part when it is first asked for. An offer that is neither in the plan nor in `otherOffers` has
 * no known category: it counts for global, channel and offer scopes only.
 */
export function viewLanes(contacts: ContactCounts, ordinals: Ordinals): LaneView {
  const { lanes, lastAt, counts } = contacts;
  if (lanes.length === 0) return noLanes;
  let offer: readonly number[] | undefined;
  let creative: readonly number[] | undefined;
  let channel: readonly number[] | undefined;
  let category: readonly number[] | undefined;
  let subCategory: readonly number[] | undefined;
  let campaignId: readonly (string | null)[] | undefined;
  return {
    size: lanes.length,
    lastAt,
    counts,
    get offer() {
      offer ??= lanes.map((lane) => ordinals.offer.get(lane.offerId) ?? UNKNOWN);
      return offer;
    },
    get creative() {
      creative ??= lanes.map(({ creativeId }) => numberOf(creativeId, ordinals.creative));
      return creative;
    },
    get channel() {
      channel ??= lanes.map(({ channelId }) => numberOf(channelId, ordinals.channel));
      return channel;
    },
    get category() {
      category ??= lanes.map(({ offerId }) => ordinals.offerCategory.get(offerId)?.[0] ?? UNKNOWN);
      return category;
    },
    get subCategory() {
      subCategory ??= lanes.map(({ offerId }) => ordinals.offerCategory.get(offerId)?.[1] ?? UNKNOWN);
      return subCategory;
    },
    get campaignId() {
      campaignId ??= lanes.map((lane) => lane.campaignId);
      return campaignId;
    },
  };
}

function numberOf(id: string | null, numbers: ReadonlyMap<string, number>): number {
  return id === null ? NONE : (numbers.get(id) ?? UNKNOWN);
}
