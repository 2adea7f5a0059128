import { type CountsRow, countsView, type ObjectiveCounts } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { readTenantSummaries } from '../interactions/index.ts';
import { type CountsState, changesBetween, noRows } from './counts-state.ts';
import { appendState, confirmState, newestHead, readState } from './objectives.store.ts';

const dayMs = 86_400_000;

/** A state with the instant at which it was last what history said, epoch ms. */
export interface CheckedState extends CountsState {
  readonly checkedAt: number;
}

/**
 * The newest state, recounted unless another process did so within `freshMs`. `held`: the state that the caller has
 * already, which need not be read again.
 */
export async function renewCounts(tx: Tx, held: CountsState | null, freshMs: number): Promise<CheckedState> {
  const head = await newestHead(tx);
  const before = await stateOf(tx, head?.number ?? 0, held);
  const now = tx.now.getTime();
  if (head !== null && now - head.checkedAt.getTime() < freshMs) {
    return { ...before, checkedAt: head.checkedAt.getTime() };
  }
  const offers = await countOffers(tx);
  const changes = changesBetween(before.offers, offers);
  if (changes === null) {
    if (head !== null) await confirmState(tx, head.number);
    return { ...before, checkedAt: now };
  }
  const number = before.number + 1;
  if (await appendState(tx, number, changes, offers)) return { number, offers, checkedAt: now };
  // Another process was first; what it stored is as new as this.
  const theirs = await newestHead(tx);
  return { ...(await stateOf(tx, theirs?.number ?? 0, null)), checkedAt: theirs?.checkedAt.getTime() ?? now };
}

async function stateOf(tx: Tx, number: number, held: CountsState | null): Promise<CountsState> {
  if (held?.number === number) return held;
  return number === 0 ? { number, offers: noRows } : readState(tx, number);
}

/** The state that a record names, as the engine reads it. */
export async function countsOf(tx: Tx, number: number): Promise<ObjectiveCounts> {
  return countsView(await readCounts(tx, number));
}

/** Returns the state with this number. */
export const readCounts = (tx: Tx, number: number): Promise<CountsState> => stateOf(tx, number, null);

/** By offer: 30 days and 7 days, both ending today in the tenant's zone (docs/design/api-catalogue.md 17). */
async function countOffers(tx: Tx): Promise<Map<string, CountsRow>> {
  const today = zoneClock((await readSettings(tx)).timezone, tx.now.getTime()).date;
  const first = (days: number): string => new Date(Date.parse(today) - (days - 1) * dayMs).toISOString().slice(0, 10);
  const month = await readTenantSummaries(tx, first(30), today, ['offerId']);
  const week = await readTenantSummaries(tx, first(7), today, ['offerId']);
  const weekly = new Map(week.map(({ offerId, impressions }) => [offerId, impressions]));
  const rows = month.map(({ offerId = '', impressions, positive, converts }): [string, CountsRow] => [
    offerId,
    [impressions, positive, converts, weekly.get(offerId) ?? 0],
  ]);
  return new Map(rows.filter(([, row]) => row.some((count) => count !== 0)));
}
