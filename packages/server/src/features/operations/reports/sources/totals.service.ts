import type { ReportParams } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { readReferring, readRelated } from '../../../catalogue/catalogue-records/index.ts';
import { memberIds } from '../../../catalogue/segments/index.ts';
import {
  type DailyTotals,
  readHistoryTotals,
  readTotals,
  type TotalsDimension,
  type TotalsFilter,
} from '../../../deciding/interactions/index.ts';
import type { SourceQuery } from './source.ts';

/** Members of a segment whose history counts. */
export const maxMembers = 100_000;

/** The offers that are meant; null: all of them. */
export async function offersMeant(tx: Tx, { offerId, categoryId }: ReportParams): Promise<string[] | null> {
  const one = offerId?.toLowerCase();
  if (categoryId === undefined) return one === undefined ? null : [one];
  const offers = await readReferring(tx, 'offer', 'categoryId', [categoryId.toLowerCase()], []);
  const ids = [...offers.values()].flat().map(({ id }) => id);
  return one === undefined ? ids : ids.filter((id) => id === one);
}

/** Which history is meant. */
export async function filterOf(tx: Tx, params: ReportParams): Promise<TotalsFilter> {
  return { offerIds: await offersMeant(tx, params), channelId: params.channelId?.toLowerCase() ?? null };
}

/** Figures of the last days by some of their dimensions, and what must be known of them. */
export async function totalsOf(
  tx: Tx,
  { params, frame }: SourceQuery,
  by: readonly TotalsDimension[],
): Promise<{ readonly totals: readonly DailyTotals[]; readonly notes: readonly string[] }> {
  const filter = await filterOf(tx, params);
  const { first, today, from, now, zone } = frame;
  if (params.segmentId === undefined) return { totals: await readTotals(tx, first, today, filter, by), notes: [] };
  const members = await membersOf(tx, params.segmentId);
  if (members.length === 0) return { totals: [], notes: ['The segment has no members.'] };
  const span = { first, last: today, from, to: new Date(now.getTime() + 1), zone };
  const notes =
    members.length === maxMembers ? [`Only the first ${maxMembers} members of the segment are counted.`] : [];
  return { totals: await readHistoryTotals(tx, span, filter, members, by), notes };
}

/** Customers of a segment that is there. */
async function membersOf(tx: Tx, segmentId: string): Promise<string[]> {
  const id = segmentId.toLowerCase();
  const isThere = (await readRelated(tx, 'segment', [id], ['name'])).has(id);
  return isThere ? memberIds(tx, id, null, maxMembers) : [];
}

/** Returns names of offers, including deleted ones; the id of one that's gone for good. */
export async function offerNames(tx: Tx, ids: readonly string[]): Promise<(id: string) => string> {
  const offers = await readRelated(tx, 'offer', ids, ['name']);
  return (id) => offers.get(id)?.name ?? id;
}
