import type { Tx } from '../../../db/index.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { mergeChanges, type VolumeChange, type VolumeSubject, volumesOf } from './volume-keys.ts';
import { bookChanges, deleteDue, deleteReservations, selectDue, selectOfferVolumes } from './volumes.store.ts';

/** An impression or a cost that happened, to be counted whatever the limits are. */
export interface Booking extends VolumeSubject {
  /** 1 for an impression, else 0. */
  readonly impressions: 0 | 1;
  readonly cents: number;
  /** When it happened. */
  readonly at: Date;
  /** Item whose reservation this impression confirms: it costs what was reserved. Null: none. */
  readonly confirms: string | null;
}

/** What an import or a response adds to the counters over all customers. */
export interface Bookings {
  readonly facts: readonly Booking[];
  /** Items whose reservations are settled: confirmed, released, or late. Those that expired may be among them. */
  readonly settled: readonly string[];
}

/**
 * Counts facts in the volumes that exist: each impression, outcome cost or settled reservation of responses and imports.
 * Call it last in the transaction: volumes are held after customers and everything else. `timezone`: the tenant's.
 */
export async function bookVolumes(tx: Tx, { facts, settled }: Bookings, timezone: string): Promise<void> {
  const { dayStart, dayEnd } = zoneClock(timezone, tx.now.getTime());
  const taken = settled.length === 0 ? [] : await deleteReservations(tx, settled);
  const reservedCents = new Map(taken.map(({ itemId, costCents }) => [itemId, Number(costCents)]));
  const changes: VolumeChange[] = [];
  for (const row of taken) changes.push(...givenBack(row, dayStart));
  for (const fact of facts) {
    const cents = (fact.confirms === null ? undefined : reservedCents.get(fact.confirms)) ?? fact.cents;
    if (fact.impressions === 0 && cents === 0) continue;
    const at = fact.at.getTime();
    changes.push(...changesOf(fact, fact.impressions, cents, at >= dayStart && at < dayEnd));
  }
  const at = { now: tx.now, dayStart: new Date(dayStart), dayEnd: new Date(dayEnd) };
  if (changes.length > 0) await bookChanges(tx, mergeChanges(changes), at);
}

/** What a volume gets of each item; `today`: the day's figures too. */
function* changesOf(
  subject: VolumeSubject,
  impressions: number,
  cents: number,
  today: boolean,
): Generator<VolumeChange> {
  const day = today ? { dayImpressions: impressions, daySpentCents: cents } : { dayImpressions: 0, daySpentCents: 0 };
  for (const ref of volumesOf(subject)) yield { ref, impressions, spentCents: cents, ...day };
}

const givenBack = (
  row: VolumeSubject & { readonly costCents: unknown; readonly reservedAt: Date },
  dayStart: number,
): Iterable<VolumeChange> => changesOf(row, -1, -Number(row.costCents), row.reservedAt.getTime() >= dayStart);

const reservationsPerSlice = 500;

/** Takes what expired off the volumes, which count it no more anyway. True when there may be more. */
export async function sweepReservations(tx: Tx, timezone: string): Promise<boolean> {
  const due = await deleteDue(tx, reservationsPerSlice);
  if (due.length === 0) return false;
  const { dayStart, dayEnd } = zoneClock(timezone, tx.now.getTime());
  const changes = due.flatMap((row) => [...givenBack(row, dayStart)]);
  const at = { now: tx.now, dayStart: new Date(dayStart), dayEnd: new Date(dayEnd) };
  await bookChanges(tx, mergeChanges(changes), at);
  return due.length === reservationsPerSlice;
}

/** What an offer shows of its volume. */
export interface OfferVolume {
  readonly currentDailySpentCents: number;
  readonly currentLifetimeSpentCents: number;
  readonly currentDailyImpressions: number;
  readonly currentLifetimeImpressions: number;
  /** The day that the daily figures are of, `2026-11-20`; null: nothing was counted yet. */
  readonly lastDailyResetDate: string | null;
}

const nothing: OfferVolume = {
  currentDailySpentCents: 0,
  currentLifetimeSpentCents: 0,
  currentDailyImpressions: 0,
  currentLifetimeImpressions: 0,
  lastDailyResetDate: null,
};

/** The volumes of offers by id, as they are now; an offer that was not counted yet has zeros. */
export async function readOfferVolumes(
  tx: Tx,
  offerIds: readonly string[],
  timezone: string,
): Promise<Map<string, OfferVolume>> {
  const shown = new Map(offerIds.map((id) => [id, nothing]));
  if (offerIds.length === 0) return shown;
  const now = tx.now.getTime();
  const { dayStart } = zoneClock(timezone, now);
  const stored = await selectOfferVolumes(tx, offerIds);
  const due = await selectDue(tx, offerIds);
  for (const row of stored) {
    const own = due.filter(({ offerId }) => offerId === row.subjectId);
    const ofToday = own.filter(({ reservedAt }) => reservedAt >= dayStart);
    const cents = (rows: typeof due): number => rows.reduce((sum, { costCents }) => sum + costCents, 0);
    const isToday = row.dayAt >= dayStart;
    shown.set(row.subjectId, {
      currentDailySpentCents: isToday ? Math.max(0, row.daySpentCents - cents(ofToday)) : 0,
      currentLifetimeSpentCents: Math.max(0, row.spentCents - cents(own)),
      currentDailyImpressions: isToday ? Math.max(0, row.dayImpressions - ofToday.length) : 0,
      currentLifetimeImpressions: Math.max(0, row.impressions - own.length),
      lastDailyResetDate: zoneClock(timezone, row.dayAt).date,
    });
  }
  return shown;
}
