import type { Tx } from '../../../../db/tx.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { type Archive, listOf, readArchivedRows } from '../../archived-months/index.ts';
import { readSelections, type Selection, type TotalsFilter } from '../report-figures.store.ts';

interface Span {
  readonly from: Date;
  /** Excluded. */
  readonly to: Date;
}

interface Choice {
  readonly offerId: string | null;
  readonly channelId: string | null;
  readonly rank: number | null;
}

/** Events are reported at most this long ahead of their time, and a row's id is created when it's stored. */
const aheadMs = 2 * 86_400_000;
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Returns the offers that decisions selected in a span, like `readSelections`, including archived months. Throws 503
 * and 409 as `readArchivedRows` when a month can't be read.
 */
export async function readAllSelections(
  tx: Tx,
  archive: Archive,
  span: Span,
  filter: TotalsFilter,
): Promise<Selection[]> {
  const sums = new Map<string, { selected: number; ranked: number; ranks: number }>();
  const sumOf = (offerId: string) => {
    const sum = sums.get(offerId) ?? { selected: 0, ranked: 0, ranks: 0 };
    sums.set(offerId, sum);
    return sum;
  };
  let archived = 0;
  for await (const { offerId, channelId, rank } of archivedChoices(tx, archive, span)) {
    if (offerId === null || filter.offerIds?.includes(offerId) === false) continue;
    if (filter.channelId !== null && filter.channelId !== channelId) continue;
    const sum = sumOf(offerId);
    sum.selected += 1;
    if (rank !== null) {
      sum.ranked += 1;
      sum.ranks += rank;
    }
    archived += 1;
  }
  const stored = await readSelections(tx, span.from, span.to, filter);
  if (archived === 0) return stored;
  for (const { offerId, selected, ranked, ranks } of stored) {
    const sum = sumOf(offerId);
    sum.selected += selected;
    sum.ranked += ranked;
    sum.ranks += ranks;
  }
  return [...sums].map(([offerId, { selected, ranked, ranks }]) => ({
    ...{ offerId, selected, ranked, ranks },
    averageRank: ranked === 0 ? null : ranks / ranked,
  }));
}

async function* archivedChoices(tx: Tx, archive: Archive, { from, to }: Span): AsyncGenerator<Choice> {
  const ids = { from: firstIdAt(Math.max(0, from.getTime() - aheadMs)), to: lastId };
  const isInSpan = (at: unknown): boolean => {
    const time = Date.parse(String(at));
    return time >= from.getTime() && time < to.getTime();
  };
  const columns = ['occurred_at', 'offer_ids', 'channel_ids', 'ranks'];
  for await (const rows of readArchivedRows(tx, archive, 'impressions', { ...ids, columns })) {
    for (const { plain } of rows) if (isInSpan(plain.occurred_at)) yield* choicesOf(plain);
  }
  const own = ['occurred_at', 'interaction_type', 'offer_id', 'channel_id', 'rank'];
  for await (const rows of readArchivedRows(tx, archive, 'interactions', { ...ids, columns: own })) {
    for (const { plain } of rows) {
      if (plain.interaction_type !== 'recommendation' || !isInSpan(plain.occurred_at)) continue;
      yield { offerId: textOf(plain.offer_id), channelId: textOf(plain.channel_id), rank: numberOf(plain.rank) };
    }
  }
}

/** Items of a packed row. An array with one element is the same for all items. */
function* choicesOf({ offer_ids, channel_ids, ranks }: Readonly<Record<string, unknown>>): Generator<Choice> {
  const channels = listOf(channel_ids);
  const places = listOf(ranks);
  for (const [index, offerId] of listOf(offer_ids).entries()) {
    yield {
      offerId: textOf(offerId),
      channelId: textOf(channels.length === 1 ? channels[0] : channels[index]),
      rank: numberOf(places[index]) ?? index + 1,
    };
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
