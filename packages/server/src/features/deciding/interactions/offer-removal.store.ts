import { type Tx, uuidArray } from '../../../db/index.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { dayOf, dayParameters, rowCounts } from './summaries.store.ts';

/** Good and bad answers to an offer on a channel. */
export interface AnswersToOffer {
  readonly offerId: string;
  readonly categoryId: string | null;
  readonly channelId: string | null;
  readonly positives: number;
  readonly negatives: number;
}

/** What removing the history of offers deleted. */
export interface RemovedHistory {
  readonly interactions: number;
  readonly interactionSummaries: number;
  readonly answers: readonly AnswersToOffer[];
}

/** Returns customers with any history of the offers. */
export async function customersOfOffers(tx: Tx, offerIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ customer: string }>(
    `select customer_id as customer from interactions where tenant_id = $1 and offer_id = any($2::uuid[])
     union select customer_id from decision_impressions where tenant_id = $1 and offer_ids && $2::uuid[]
     union select customer_id from interaction_summaries where tenant_id = $1 and offer_id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(offerIds)],
  );
  return rows.map(({ customer }) => customer);
}

/**
 * Deletes the history of offers, and its share of the tenant's figures, as if nothing had happened with them. Open
 * reservations stay until they expire, and so do answers that also showed other offers. The caller holds the rows of
 * `customersOfOffers`.
 */
export async function removeHistoryOf(tx: Tx, offerIds: readonly string[]): Promise<RemovedHistory> {
  const ids = uuidArray(offerIds);
  const own = await tx.query<AnswersToOffer & { rows: number }>(
    `with gone as (
       delete from interactions where tenant_id = $1 and offer_id = any($2::uuid[]) and reservation_state is distinct from 'open'
       returning offer_id, category_id, channel_id, interaction_type, classification)
     select offer_id as "offerId", category_id as "categoryId", channel_id as "channelId", count(*)::int as rows,
       count(*) filter (where interaction_type = 'response' and classification = 'positive')::int as positives,
       count(*) filter (where interaction_type = 'response' and classification = 'negative')::int as negatives
     from gone group by 1, 2, 3`,
    [tx.tenantId, ids],
  );
  const [packed] = await tx.query<{ items: number }>(
    `with gone as (
       delete from decision_impressions where tenant_id = $1 and offer_ids <@ $2::uuid[] returning cardinality(offer_ids) as items)
     select coalesce(sum(items), 0)::int as items from gone`,
    [tx.tenantId, ids],
  );
  const [sums] = await tx.query<{ rows: number }>(
    `with gone as (delete from interaction_summaries where tenant_id = $1 and offer_id = any($2::uuid[]) returning 1)
     select count(*)::int as rows from gone`,
    [tx.tenantId, ids],
  );
  for (const table of ['daily_totals', 'erased_totals']) {
    await tx.query(`delete from ${table} where tenant_id = $1 and offer_id = any($2::uuid[])`, [tx.tenantId, ids]);
  }
  const rows = own.reduce((sum, each) => sum + each.rows, 0);
  return {
    interactions: rows + (packed?.items ?? 0),
    interactionSummaries: sums?.rows ?? 0,
    answers: own
      .filter(({ positives, negatives }) => positives + negatives > 0)
      .map(({ rows: _rows, ...answers }) => answers),
  };
}

/**
 * Returns the number of sums in the offers' history: one per customer, day of the zone, offer, creative, channel and
 * direction. What retention removed counts as it was summed then.
 */
export async function countSummariesOf(tx: Tx, offerIds: readonly string[], zone: string): Promise<number> {
  const [row] = await tx.query<{ sums: number }>(
    `select count(*)::int as sums from (
       select distinct customer_id, ${dayOf('occurred_at', '$3', '$4')} as day, offer_id, creative_id, channel_id, direction
       from interaction_history where tenant_id = $1 and offer_id = any($2::uuid[]) and ${rowCounts}
       union
       select customer_id, day, offer_id, creative_id, channel_id, direction
       from interaction_summaries where tenant_id = $1 and offer_id = any($2::uuid[])) counted`,
    [tx.tenantId, uuidArray(offerIds), ...dayParameters(await dayOffsets(zone))],
  );
  return row?.sums ?? 0;
}
