import type { CampaignCaps } from '@arbiter/contract';

/** Items of a run so far, by id. */
export type ItemCounts = Readonly<Record<string, number>>;

/** What a run has given, and what it may still give. */
export interface RunCounts {
  readonly total: number;
  readonly offers: ItemCounts;
  readonly channels: ItemCounts;
}

interface CountedItem {
  readonly offerId: string;
  readonly channelId: string | null;
}

/** Counts the items of a run against its limits (docs/design/api-decisioning.md 14). */
export interface CapCounter {
  /** Offers and channels whose limit is reached; null: that of the run is. */
  usedUp(): { readonly offerIds: readonly string[]; readonly channelIds: readonly string[] } | null;
  /** Returns how many of the first items fit all limits. */
  roomFor(items: readonly CountedItem[]): number;
  add(items: readonly CountedItem[]): void;
  counts(): RunCounts;
}

export function createCapCounter(caps: CampaignCaps | null, before: RunCounts): CapCounter {
  const most = caps?.maxTotalPerRun ?? Infinity;
  const perOffer = caps?.maxPerOffer ?? Infinity;
  const perChannel = caps?.maxPerChannel ?? Infinity;
  const offers = new Map(Object.entries(before.offers));
  const channels = new Map(Object.entries(before.channels));
  let total = before.total;
  const reached = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
    limit === Infinity ? [] : [...counts].flatMap(([id, count]) => (count >= limit ? [id] : []));
  return {
    usedUp() {
      // With zero units, nothing is ever counted.
      if (total >= most || perOffer === 0 || perChannel === 0) return null;
      return { offerIds: reached(offers, perOffer), channelIds: reached(channels, perChannel) };
    },
    roomFor(items) {
      const taken = new Map<string, number>();
      const fits = (id: string, count: number, limit: number): boolean => {
        const own = (taken.get(id) ?? 0) + 1;
        taken.set(id, own);
        return count + own <= limit;
      };
      let room = 0;
      for (const { offerId, channelId } of items) {
        if (total + room + 1 > most) break;
        if (!fits(offerId, offers.get(offerId) ?? 0, perOffer)) break;
        if (channelId !== null && !fits(channelId, channels.get(channelId) ?? 0, perChannel)) break;
        room += 1;
      }
      return room;
    },
    add(items) {
      for (const { offerId, channelId } of items) {
        total += 1;
        offers.set(offerId, (offers.get(offerId) ?? 0) + 1);
        if (channelId !== null) channels.set(channelId, (channels.get(channelId) ?? 0) + 1);
      }
    },
    counts: () => ({ total, offers: Object.fromEntries(offers), channels: Object.fromEntries(channels) }),
  };
}
