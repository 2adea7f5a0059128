import type { CampaignCaps } from '@arbiter/contract';

/** Items of a run so far, by id. */
export type ItemCounts = Readonly<Record<string, number>>;

/** What a run has given. */
export interface RunCounts {
  readonly total: number;
  readonly offers: ItemCounts;
  readonly channels: ItemCounts;
}

export const noCounts: RunCounts = { total: 0, offers: {}, channels: {} };

export interface CountedItem {
  readonly offerId: string;
  readonly channelId: string | null;
}

/** Counts items. */
export interface Tally {
  total(): number;
  readonly offers: ReadonlyMap<string, number>;
  readonly channels: ReadonlyMap<string, number>;
  add(items: readonly CountedItem[]): void;
  addCounts(counts: RunCounts): void;
  counts(): RunCounts;
}

export function createTally(before: RunCounts): Tally {
  const offers = new Map(Object.entries(before.offers));
  const channels = new Map(Object.entries(before.channels));
  let total = before.total;
  const raise = (counts: Map<string, number>, id: string, by: number): void => {
    counts.set(id, (counts.get(id) ?? 0) + by);
  };
  return {
    total: () => total,
    offers,
    channels,
    add(items) {
      for (const { offerId, channelId } of items) {
        total += 1;
        raise(offers, offerId, 1);
        if (channelId !== null) raise(channels, channelId, 1);
      }
    },
    addCounts(more) {
      total += more.total;
      for (const [id, count] of Object.entries(more.offers)) raise(offers, id, count);
      for (const [id, count] of Object.entries(more.channels)) raise(channels, id, count);
    },
    counts: () => ({ total, offers: Object.fromEntries(offers), channels: Object.fromEntries(channels) }),
  };
}

/** Limits of a run (docs/design/api-decisioning.md 14). */
export interface CapRules {
  /** Offers and channels whose limit is reached; null: that of the run is. */
  usedUp(tally: Tally): { readonly offerIds: readonly string[]; readonly channelIds: readonly string[] } | null;
  /** Returns how many of the first items fit all limits. */
  roomFor(tally: Tally, items: readonly CountedItem[]): number;
}

/** Whether the run has any caps. */
export const hasCaps = (caps: CampaignCaps | null): boolean =>
  [caps?.maxTotalPerRun, caps?.maxPerOffer, caps?.maxPerChannel].some((limit) => limit != null);

export function createCapRules(caps: CampaignCaps | null): CapRules {
  const most = caps?.maxTotalPerRun ?? Infinity;
  const perOffer = caps?.maxPerOffer ?? Infinity;
  const perChannel = caps?.maxPerChannel ?? Infinity;
  const reached = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
    limit === Infinity ? [] : [...counts].flatMap(([id, count]) => (count >= limit ? [id] : []));
  return {
    usedUp(tally) {
      // With zero units, nothing is ever counted.
      if (tally.total() >= most || perOffer === 0 || perChannel === 0) return null;
      return { offerIds: reached(tally.offers, perOffer), channelIds: reached(tally.channels, perChannel) };
    },
    roomFor(tally, items) {
      const taken = new Map<string, number>();
      const fits = (id: string, count: number, limit: number): boolean => {
        const own = (taken.get(id) ?? 0) + 1;
        taken.set(id, own);
        return count + own <= limit;
      };
      let room = 0;
      for (const { offerId, channelId } of items) {
        if (tally.total() + room + 1 > most) break;
        if (!fits(offerId, tally.offers.get(offerId) ?? 0, perOffer)) break;
        if (channelId !== null && !fits(channelId, tally.channels.get(channelId) ?? 0, perChannel)) break;
        room += 1;
      }
      return room;
    },
  };
}
