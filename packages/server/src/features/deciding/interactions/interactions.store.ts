import { ensureMonthPartitions, type HotStatement, type Tx } from '../../../db/index.ts';
import type { InteractionsRow } from '../../../db/rows.ts';

/** A history row that `respond` writes. */
export interface NewInteraction {
  readonly id: string;
  readonly customerId: string;
  /** Number of the response in the order of the customer's commits (docs/design/recording.md S5). */
  readonly customerSeq: number;
  readonly interactionType: 'impression' | 'response';
  readonly outcomeKey: string;
  readonly classification: 'positive' | 'negative' | 'neutral';
  readonly direction: 'inbound' | 'outbound';
  readonly isConversion: boolean;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly categoryId: string | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly campaignId: string | null;
  readonly conversionValue: number | null;
  readonly currency: string | null;
  readonly context: string | null;
  readonly attributes: string | null;
  readonly details: string | null;
  readonly occurredAt: Date;
  /** How the caller named the subject. */
  readonly resolvedBy: NonNullable<InteractionsRow['resolvedBy']>;
}

/**
 * Returns a customer's counted contacts since an instant, from history: fills the log when a new window looks further
 * back. Contacts summed up by retention or the archive count at the last contact of their day, without a campaign.
 */
export function contactsSince(tenantId: string, customerId: string, from: Date, firstId: string): HotStatement {
  return {
    name: 'decisions.contacts',
    text: `select offer_id, creative_id, channel_id, campaign_id, occurred_at from (
        select id, offer_id, creative_id, channel_id, campaign_id, occurred_at from interaction_history
        where tenant_id = $1 and customer_id = $2 and row_id >= $4 and interaction_type = 'impression' and occurred_at >= $3
        union all
        select null, offer_id, creative_id, channel_id, null, last_contact_at
        from interaction_summaries cross join lateral generate_series(1, impressions)
        where tenant_id = $1 and customer_id = $2 and last_contact_at >= $3) contact
      order by occurred_at, id nulls first`,
    values: [tenantId, customerId, from, firstId],
  };
}

/** Tables of history, partitioned by month. */
export const historyTables = ['arbiter.interactions', 'arbiter.decision_impressions'] as const;

/** Makes the partitions of the months ahead. Needs a system transaction. */
export async function ensureInteractionPartitions(tx: Tx): Promise<void> {
  for (const name of historyTables) await ensureMonthPartitions(tx, name);
}
