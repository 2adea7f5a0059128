import { type Tx, uuidArray } from '../../../db/index.ts';
import { firstIdAt } from '../../../platform/ids.ts';

/** An outcome of an item that a decision chose. */
export interface DecisionOutcome {
  readonly id: string;
  readonly decisionId: string;
  readonly offerId: string;
  readonly outcomeTypeKey: string;
  readonly classification: 'positive' | 'negative' | 'neutral';
}

/** IDs may lag their rows by so much. */
const slackMs = 600_000;

interface Period {
  /** Null: the beginning. */
  readonly from: Date | null;
  readonly to: Date;
}

/** Returns outcomes that were reported in a period and came after `after`, oldest first. */
export async function outcomesIn(
  tx: Tx,
  { from, to }: Period,
  after: string | null,
  limit: number,
): Promise<DecisionOutcome[]> {
  return tx.query<DecisionOutcome>(
    `select id, recommendation_id as "decisionId", offer_id as "offerId", outcome_key as "outcomeTypeKey", classification
     from interactions
     where tenant_id = $1 and id > $2 and id < $3 and interaction_type = 'response' and recommendation_id is not null
       and offer_id is not null and created_at <= $4 and ($5::timestamptz is null or created_at >= $5)
     order by id limit $6`,
    [
      tx.tenantId,
      after ?? firstIdAt(from === null ? 0 : from.getTime() - slackMs),
      firstIdAt(to.getTime() + slackMs),
      to,
      from,
      limit,
    ],
  );
}

/** Returns ids of decisions that showed something in a period, after `after`, oldest first. */
export async function shownIn(tx: Tx, { from, to }: Period, after: string | null, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from decision_impressions
     where tenant_id = $1 and id > $2 and id < $3 and occurred_at <= $4 and ($5::timestamptz is null or occurred_at >= $5)
     order by id limit $6`,
    [
      tx.tenantId,
      after ?? firstIdAt(from === null ? 0 : from.getTime() - slackMs),
      firstIdAt(to.getTime() + slackMs),
      to,
      from,
      limit,
    ],
  );
  return rows.map(({ id }) => id);
}

/** Returns the newest items that decisions chose since an instant, the newest first. */
export async function newestItems(
  tx: Tx,
  since: Date,
  limit: number,
): Promise<{ readonly decisionId: string; readonly offerId: string }[]> {
  return tx.query(
    `select decision_id as "decisionId", offer_id as "offerId" from (
       (select d.id as decision_id, item.offer_id from (
          select id, offer_ids from decision_impressions
          where tenant_id = $1 and id >= $2 order by id desc limit $3) d
        cross join lateral unnest(d.offer_ids) as item(offer_id))
       union all
       (select recommendation_id, offer_id from interactions
        where tenant_id = $1 and id >= $2 and interaction_type = 'recommendation' and recommendation_id is not null
        order by id desc limit $3)) chosen
     where offer_id is not null order by decision_id desc, offer_id limit $3`,
    [tx.tenantId, firstIdAt(since.getTime()), limit],
  );
}

/** Returns the outcomes of items of these decisions. Reads all outcomes since the oldest of them. */
export async function outcomesOf(tx: Tx, decisionIds: readonly string[]): Promise<DecisionOutcome[]> {
  if (decisionIds.length === 0) return [];
  return tx.query<DecisionOutcome>(
    `select id, recommendation_id as "decisionId", offer_id as "offerId", outcome_key as "outcomeTypeKey", classification
     from interactions
     where tenant_id = $1 and id > $3 and recommendation_id = any($2::uuid[]) and interaction_type = 'response'
       and offer_id is not null`,
    // IDs are in the order of their time, and outcomes come after their decision.
    [tx.tenantId, uuidArray(decisionIds), decisionIds.toSorted()[0]],
  );
}
