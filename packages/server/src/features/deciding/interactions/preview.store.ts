import type { Tx } from '../../../db/tx.ts';

/** Selects the history rows that a cap would count. */
export interface PreviewQuestion {
  /** The period: after `since`, up to `until`. */
  readonly since: Date;
  readonly until: Date;
  readonly outcomeKey: string;
  /** Only rows of these offers; null: of any. */
  readonly offerIds: readonly string[] | null;
  /** Only rows of this channel; null: of any. */
  readonly channelId: string | null;
  /** Maximum customers to check. */
  readonly sampleSize: number;
  /** Rows that a customer keeps. */
  readonly most: number;
}

export interface PreviewAnswer {
  /** The sample. */
  readonly customers: readonly string[];
  /** Customers with a row beyond the cap. */
  readonly affected: readonly string[];
  readonly rows: number;
  readonly suppressed: number;
  /** Rows beyond the cap by offer; null: rows that name none. */
  readonly byOffer: readonly { readonly offerId: string | null; readonly suppressed: number }[];
}

/** IDs of the offers that history names in the period. */
export async function selectOffersSeen(tx: Tx, since: Date, until: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select distinct offer_id as id from interaction_history
     where tenant_id = $1 and occurred_at > $2 and occurred_at <= $3 and offer_id is not null`,
    [tx.tenantId, since, until],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns how much a cap on one outcome's rows would have blocked for a sample of customers: those with any row in the
 * period, in the order of a hash, so that repeating the question uses the same customers (docs/design/api-catalogue.md
 * 8.5).
 */
export async function previewCap(tx: Tx, question: PreviewQuestion): Promise<PreviewAnswer> {
  const { since, until, outcomeKey, offerIds, channelId, sampleSize, most } = question;
  const [answer] = await tx.query<PreviewAnswer>(
    `with sample as (
       select customer_id from interaction_history
        where tenant_id = $1 and occurred_at > $2 and occurred_at <= $3 and customer_id is not null
        group by customer_id order by md5($1::text || ' ' || customer_id), customer_id collate "C" limit $4),
     numbered as (
       select customer_id, offer_id,
              row_number() over (partition by customer_id order by occurred_at, row_id) > $5 as beyond
         from interaction_history join sample using (customer_id)
        where tenant_id = $1 and occurred_at > $2 and occurred_at <= $3 and outcome_key = $6
          and ($7::uuid[] is null or offer_id = any($7)) and ($8::uuid is null or channel_id = $8))
     select (select coalesce(array_agg(customer_id), '{}') from sample) as customers,
            (select coalesce(array_agg(distinct customer_id), '{}') from numbered where beyond) as affected,
            (select count(*)::float8 from numbered) as rows,
            (select count(*)::float8 from numbered where beyond) as suppressed,
            (select coalesce(jsonb_agg(jsonb_build_object('offerId', offer_id, 'suppressed', n)), '[]')
               from (select offer_id, count(*) as n from numbered where beyond group by offer_id) o) as "byOffer"`,
    [tx.tenantId, since, until, sampleSize, most, outcomeKey, offerIds, channelId],
  );
  if (answer === undefined) throw new Error('a statement without from returns one row');
  return answer;
}
