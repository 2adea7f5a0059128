import type { ContactCounts } from '../plan/input.ts';
import type { LaneScratch, LaneView } from '../plan/lanes.ts';
import { NONE, UNKNOWN } from '../plan/ordinals.ts';
import type { Program } from '../plan/program.ts';

export function createLaneScratch(): LaneScratch {
  return { ...lanesFor(0), counts: new Int32Array(0), totals: new Int32Array(0) };
}

function lanesFor(room: number): Omit<LaneScratch, 'counts' | 'totals'> {
  return {
    room,
    lane: new Int32Array(room),
    offer: new Int32Array(room),
    category: new Int32Array(room),
    subCategory: new Int32Array(room),
    creative: new Int32Array(room),
    channel: new Int32Array(room),
    lastAt: new Float64Array(room),
  };
}

/**
 * Picks and numbers the lanes. An offer that is neither in the plan nor in `otherOffers` has no known category: it
 * counts for global, channel and offer scopes only. A latest contact that is `longestMs` ago or more is felt by nothing.
 */
export function viewLanes(
  scratch: LaneScratch,
  contacts: ContactCounts,
  program: Program,
  longestMs: number,
  now: number,
): LaneView {
  const { ordinals } = program;
  const windows = contacts.counts.length;
  const all = contacts.lanes.length;
  if (all > scratch.room) Object.assign(scratch, lanesFor(Math.max(64, all * 2)));
  const { lane, offer, category, subCategory, lastAt } = scratch;
  let size = 0;
  for (let at = 0; at < all; at++) {
    if (now - contacts.lastAt[at]! < longestMs || isCounted(contacts, windows, at)) {
      lane[size] = at;
      size += 1;
    }
  }
  if (windows > scratch.totals.length) scratch.totals = new Int32Array(windows);
  if (windows * size > scratch.counts.length) scratch.counts = new Int32Array(windows * size * 2);
  const { totals, counts } = scratch;
  totals.fill(0);
  for (let at = 0; at < size; at++) {
    const source = lane[at]!;
    const { offerId } = contacts.lanes[source]!;
    const number = ordinals.offer.get(offerId);
    if (number === undefined) {
      const pair = ordinals.offerCategory.get(offerId);
      offer[at] = UNKNOWN;
      category[at] = pair === undefined ? UNKNOWN : pair[0];
      subCategory[at] = pair === undefined ? UNKNOWN : pair[1];
    } else {
      const known = program.offers[number]!;
      offer[at] = number;
      category[at] = known.category;
      subCategory[at] = known.subCategory;
    }
    lastAt[at] = contacts.lastAt[source]!;
    for (let w = 0; w < windows; w++) {
      const count = contacts.counts[w]![source]!;
      counts[w * size + at] = count;
      totals[w] = totals[w]! + count;
    }
  }
  return {
    size,
    lane,
    offer,
    category,
    subCategory,
    lastAt,
    counts,
    totals,
    contacts,
    ordinals,
    scratch,
    creative: null,
    channel: null,
  };
}

function isCounted(contacts: ContactCounts, windows: number, at: number): boolean {
  for (let w = 0; w < windows; w++) if (contacts.counts[w]![at]! > 0) return true;
  return false;
}

export function creativesOf(view: LaneView): Int32Array {
  if (view.creative !== null) return view.creative;
  const { creative } = view.scratch;
  for (let at = 0; at < view.size; at++) {
    creative[at] = numberOf(view.contacts.lanes[view.lane[at]!]!.creativeId, view.ordinals.creative);
  }
  view.creative = creative;
  return creative;
}

export function channelsOf(view: LaneView): Int32Array {
  if (view.channel !== null) return view.channel;
  const { channel } = view.scratch;
  for (let at = 0; at < view.size; at++) {
    channel[at] = numberOf(view.contacts.lanes[view.lane[at]!]!.channelId, view.ordinals.channel);
  }
  view.channel = channel;
  return channel;
}

export function offerIdOf(view: LaneView, at: number): string {
  return view.contacts.lanes[view.lane[at]!]!.offerId;
}

export function channelIdOf(view: LaneView, at: number): string | null {
  return view.contacts.lanes[view.lane[at]!]!.channelId;
}

export function campaignOf(view: LaneView, at: number): string | null {
  return view.contacts.lanes[view.lane[at]!]!.campaignId;
}

function numberOf(id: string | null, numbers: ReadonlyMap<string, number>): number {
  return id === null ? NONE : (numbers.get(id) ?? UNKNOWN);
}
