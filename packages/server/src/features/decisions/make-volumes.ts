import type { Tx } from '../../db/index.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { zoneClock } from '../../platform/zones.ts';
import { historyFigures, type OpenReservation, openReservations } from '../interactions/index.ts';
import type { TenantCatalogue } from '../plans/index.ts';
import {
  figuresCents,
  impressionCents,
  insertVolumes,
  keepReservations,
  pricesOf,
  type VolumeRef,
  volumesOf,
} from '../volumes/index.ts';

/**
 * Makes volumes that a plan asks for for the first time, from what history holds (docs/design/api-settled.md 105): its
 * impressions, the reservations that are open, and what they and the outcomes cost. An offer's own volume is made when it
 * first gets prices or a limit: before, only what its outcomes were worth was a cost. Others are costed at the prices of now.
 */
export async function makeVolumes(
  tx: Tx,
  catalogue: Pick<TenantCatalogue, 'settings' | 'rows'>,
  refs: readonly VolumeRef[],
): Promise<void> {
  const { dayStart, date } = zoneClock(catalogue.settings.timezone, tx.now.getTime());
  const today = { day: date, from: new Date(dayStart), firstId: firstIdAt(dayStart) };
  const figures = await historyFigures(tx, today);
  const open = await openReservations(tx);
  const offers = new Map(catalogue.rows.offers.map((offer) => [offer.id, offer]));
  const sums = new Map(
    refs.map(({ name }) => [name, { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 }]),
  );
  for (const row of figures) {
    for (const { name, kind } of volumesOf(row)) {
      const sum = sums.get(name);
      if (sum === undefined) continue;
      const cents = figuresCents(kind === 'offer' ? noPrices : pricesOf(offers.get(row.offerId)?.budget), row);
      sum.impressions += row.impressions;
      sum.spentCents += cents;
      if (!row.isToday) continue;
      sum.dayImpressions += row.impressions;
      sum.daySpentCents += cents;
    }
  }
  const counted = open.filter((row) => countOpen(row, sums, pricesOf(offers.get(row.offerId)?.budget), dayStart));
  await insertVolumes(
    tx,
    refs.map((ref) => ({ ref, ...sums.get(ref.name)!, at: tx.now })),
  );
  if (counted.length === 0) return;
  const rows = counted.map((row) => ({
    ...row,
    costCents: impressionCents(pricesOf(offers.get(row.offerId)?.budget)),
  }));
  await keepReservations(tx, rows);
}

const noPrices = pricesOf(undefined);

/** Counts an open reservation where it belongs; false when that is none of these volumes. */
function countOpen(
  row: OpenReservation,
  sums: ReadonlyMap<string, { impressions: number; spentCents: number; dayImpressions: number; daySpentCents: number }>,
  prices: ReturnType<typeof pricesOf>,
  dayStart: number,
): boolean {
  const cents = impressionCents(prices);
  let isCounted = false;
  for (const { name } of volumesOf(row)) {
    const sum = sums.get(name);
    if (sum === undefined) continue;
    isCounted = true;
    sum.impressions += 1;
    sum.spentCents += cents;
    if (row.reservedAt.getTime() < dayStart) continue;
    sum.dayImpressions += 1;
    sum.daySpentCents += cents;
  }
  return isCounted;
}
