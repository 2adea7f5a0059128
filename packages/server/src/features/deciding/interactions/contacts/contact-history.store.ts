import type { Tx } from '../../../../db/index.ts';

/** A customer's contact in history. */
export interface PastContact {
  readonly customerId: string;
  /** Number of the commit that stored it; null for rows from before there were numbers. */
  readonly seq: number | null;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly campaignId: string | null;
  /** Epoch ms. */
  readonly at: number;
  /** The decision whose item it is; null for imports and reports that name none. */
  readonly decisionId: string | null;
  readonly rank: number | null;
  /** For a reservation: until when it holds, and the number of the commit that ended it. Null for an impression. */
  readonly reservation: { readonly id: string; readonly expiresAt: number; readonly settledSeq: number | null } | null;
}

interface ContactRow {
  readonly id: string;
  readonly customerId: string;
  readonly seq: string | null;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly campaignId: string | null;
  readonly at: number;
  readonly decisionId: string | null;
  readonly rank: number | null;
  readonly expiresAt: number | null;
  readonly settledSeq: string | null;
}

/** Returns all impressions and reservations in the history of these customers, in the order of commits. */
export async function contactHistory(tx: Tx, customerIds: readonly string[]): Promise<PastContact[]> {
  if (customerIds.length === 0) return [];
  const rows = await tx.query<ContactRow>(
    `select id, customer_id as "customerId", customer_seq as seq, offer_id as "offerId", creative_id as "creativeId",
       channel_id as "channelId", campaign_id as "campaignId", extract(epoch from occurred_at)::float8 * 1000 as at,
       recommendation_id as "decisionId", rank::int as rank,
       extract(epoch from reservation_expires_at)::float8 * 1000 as "expiresAt", reservation_settled_seq as "settledSeq"
     from arbiter.interaction_history
     where tenant_id = $1 and customer_id = any($2::text[]) and offer_id is not null
       and (interaction_type = 'impression' or (interaction_type = 'recommendation' and reservation_expires_at is not null))
     order by customer_id, customer_seq nulls first, id`,
    [tx.tenantId, customerIds],
  );
  return rows.map(({ id, seq, at, expiresAt, settledSeq, ...row }) => ({
    ...row,
    seq: seq === null ? null : Number(seq),
    at: Math.round(at),
    reservation:
      expiresAt === null
        ? null
        : { id, expiresAt: Math.round(expiresAt), settledSeq: settledSeq === null ? null : Number(settledSeq) },
  }));
}
