import { type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { dayOf, dayParameters, rowCounts } from './summaries.store.ts';
import { countColumns, countsOfRow, type DailyTotals, summed, type TotalsDimension } from './totals/totals.store.ts';

/** Selects the figures to sum. */
export interface TotalsFilter {
  /** Null: all offers. */
  readonly offerIds: readonly string[] | null;
  readonly channelId: string | null;
}

/**
 * The tenant's figures of the days `from` to `to` (both included, `2026-11-20`) by some of their dimensions, a second behind
 * at most; of some offers or one channel.
 */
export async function readTotals(
  tx: Tx,
  from: string,
  to: string,
  { offerIds, channelId }: TotalsFilter,
  by: readonly TotalsDimension[],
): Promise<DailyTotals[]> {
  return tx.query<DailyTotals>(
    summed(
      by,
      `from daily_totals where tenant_id = $1 and day between $2 and $3 and ($4::uuid[] is null or offer_id = any($4))
         and ($5::uuid is null or channel_id = $5)`,
    ),
    [tx.tenantId, from, to, offerIds === null ? null : uuidArray(offerIds), channelId],
  );
}

/** Days of the tenant's zone, and the same as instants. */
export interface HistorySpan {
  /** `2026-11-20`, both included. */
  readonly first: string;
  readonly last: string;
  readonly from: Date;
  /** Excluded. */
  readonly to: Date;
  /** IANA zone in which days are counted. */
  readonly zone: string;
}

/** Events are reported at most this long ahead of their time, and a row's id is created when it's stored. */
const aheadMs = 2 * 86_400_000;

/** A dimension that only history itself has. */
type HistoryDimension = TotalsDimension | 'customerId';

/**
 * The same of some customers (null: of all), counted from history itself and from what retention compacted; exact, and
 * slower the longer the span is. `customerId` may be a dimension, too.
 */
export async function readHistoryTotals(
  tx: Tx,
  { first, last, from, to, zone }: HistorySpan,
  { offerIds, channelId }: TotalsFilter,
  customerIds: readonly string[] | null,
  by: readonly HistoryDimension[],
): Promise<(DailyTotals & { readonly customerId?: string })[]> {
  const wanted = `($8::uuid[] is null or offer_id = any($8)) and ($9::uuid is null or channel_id = $9)
    and ($10::text[] is null or customer_id = any($10))`;
  const named = 'customer_id, offer_id, creative_id, channel_id, direction';
  const counted = `(
    select ${dayOf('occurred_at', '$6', '$7')} as day, ${named}, ${countsOfRow} from interaction_history
     where tenant_id = $1 and row_id >= $5::uuid and occurred_at >= $3 and occurred_at < $4 and ${rowCounts} and ${wanted}
    union all
    select day, ${named}, ${countColumns.join(', ')} from interaction_summaries
     where tenant_id = $1 and day between $2 and $11 and ${wanted}) counted`;
  return tx.query(summed(by, `from ${counted}`), [
    tx.tenantId,
    first,
    from,
    to,
    firstIdAt(Math.max(0, from.getTime() - aheadMs)),
    ...dayParameters(await dayOffsets(zone)),
    offerIds === null ? null : uuidArray(offerIds),
    channelId,
    customerIds === null ? null : textArray(customerIds),
    last,
  ]);
}

/** Returns how often decisions chose an offer, and its average rank. */
export interface Selection {
  readonly offerId: string;
  readonly selected: number;
  readonly averageRank: number | null;
  /** Choices with a rank, and the sum of their ranks. */
  readonly ranked: number;
  readonly ranks: number;
}

/**
 * Items that decisions chose in a span: those that were shown at once, and those that were reserved. Read from what decisions
 * wrote, not from traces: all decisions count.
 */
export async function readSelections(
  tx: Tx,
  from: Date,
  to: Date,
  { offerIds, channelId }: TotalsFilter,
): Promise<Selection[]> {
  // Channels of items cost as much as all the rest, so read them only when a channel is requested.
  const [channelOfItem, channel, wanted] =
    channelId === null
      ? ['', '', '']
      : [
          `, case when cardinality(p.channel_ids) = 1 then p.channel_ids[1] else p.channel_ids[i.place] end as channel_id`,
          ', channel_id',
          ' and channel_id = $6',
        ];
  return tx.query<Selection>(
    `select offer_id as "offerId", count(*)::float8 as selected, avg(rank)::float8 as "averageRank",
       count(rank)::float8 as ranked, coalesce(sum(rank), 0)::float8 as ranks from (
       select i.offer_id, coalesce(p.ranks[i.place], i.place) as rank${channelOfItem}
       from decision_impressions p cross join lateral unnest(p.offer_ids) with ordinality as i(offer_id, place)
       where p.tenant_id = $1 and p.id >= $4::uuid and p.occurred_at >= $2 and p.occurred_at < $3
       union all
       select offer_id, rank${channel} from interactions
       where tenant_id = $1 and id >= $4::uuid and occurred_at >= $2 and occurred_at < $3
         and interaction_type = 'recommendation') item
     where offer_id is not null and ($5::uuid[] is null or offer_id = any($5))${wanted}
     group by offer_id`,
    [
      tx.tenantId,
      from,
      to,
      firstIdAt(Math.max(0, from.getTime() - aheadMs)),
      offerIds === null ? null : uuidArray(offerIds),
      ...(channelId === null ? [] : [channelId]),
    ],
  );
}
