import type { Tx } from '../../../../db/index.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { dayOffsets } from '../../../../platform/time/day-offsets.ts';
import { zoneClock } from '../../../../platform/time/zones.ts';
import { figuresInOutbox } from '../../../operations/stream/index.ts';
import { historyFigures, type OpenReservation, openReservations } from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import {
  figuresCents,
  impressionCents,
  insertVolumes,
  keepReservations,
  lockFilling,
  pricesOf,
  selectReservedCents,
  selectVolumeRefs,
  sweepReservations,
  type VolumeRef,
  volumesOf,
} from '../../volumes/index.ts';

/**
 * Creates volumes that a plan needs for the first time from history (docs/design/api-settled.md 105): impressions, open
 * reservations, and what they and the outcomes cost. An offer's own volume is created when it first gets prices or a
 * limit; before that, only its outcomes' value was a cost. Others are priced as of today. Waits until every running
 * decision, response and import has ended and blocks new ones, so that each is either in history or knows the new
 * volumes.
 */
export async function makeVolumes(
  tx: Tx,
  catalogue: Pick<TenantCatalogue, 'settings' | 'rows'>,
  asked: readonly VolumeRef[],
): Promise<void> {
  await lockFilling(tx);
  const known = new Set((await selectVolumeRefs(tx)).map(({ name }) => name));
  const refs = asked.filter(({ name }) => !known.has(name));
  if (refs.length === 0) return;
  // Flows whose plans don't have these volumes must count in them too, in every process.
  tx.touchCatalogue();
  const { timezone } = catalogue.settings;
  // The new volumes don't count expired reservations, so they must not get them back either.
  while (await sweepReservations(tx, timezone));
  const { dayStart, date } = zoneClock(timezone, tx.now.getTime());
  const today = { day: date, from: new Date(dayStart), firstId: firstIdAt(dayStart) };
  // First, because it keeps the daily figures from moving until the commit.
  const waiting = await figuresInOutbox(tx, date, await dayOffsets(timezone));
  const figures = [...waiting, ...(await historyFigures(tx, today))];
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
  const reserved = await selectReservedCents(tx);
  const centsOf = (row: OpenReservation): number =>
    reserved.get(row.itemId) ?? impressionCents(pricesOf(offers.get(row.offerId)?.budget));
  const counted = open.filter((row) => countOpen(row, sums, centsOf(row), dayStart));
  await insertVolumes(
    tx,
    refs.map((ref) => ({ ref, ...sums.get(ref.name)!, at: tx.now })),
  );
  if (counted.length === 0) return;
  await keepReservations(
    tx,
    counted.map((row) => ({ ...row, costCents: centsOf(row) })),
  );
}

const noPrices = pricesOf(undefined);

/** Counts an open reservation where it belongs. Returns false when it's in none of these volumes. */
function countOpen(
  row: OpenReservation,
  sums: ReadonlyMap<string, { impressions: number; spentCents: number; dayImpressions: number; daySpentCents: number }>,
  cents: number,
  dayStart: number,
): boolean {
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
