import type { Tx } from '../../../db/tx.ts';
import type { NewInteraction } from './interactions.store.ts';

/** Writes many rows of history in one statement. */
export async function insertInteractions(tx: Tx, rows: readonly NewInteraction[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map((row) => ({
    id: row.id,
    customer_id: row.customerId,
    interaction_type: row.interactionType,
    outcome_key: row.outcomeKey,
    classification: row.classification,
    direction: row.direction,
    is_conversion: row.isConversion,
    offer_id: row.offerId,
    creative_id: row.creativeId,
    channel_id: row.channelId,
    placement_id: row.placementId,
    category_id: row.categoryId,
    recommendation_id: row.recommendationId,
    rank: row.rank,
    campaign_id: row.campaignId,
    conversion_value: row.conversionValue,
    currency: row.currency,
    context: parsed(row.context),
    attributes: parsed(row.attributes),
    details: parsed(row.details),
    occurred_at: row.occurredAt.toISOString(),
    resolved_by: row.resolvedBy,
    customer_seq: row.customerSeq,
  }));
  await tx.query(
    `insert into interactions (tenant_id, created_at, ${names.join(', ')})
     select $1, $2, ${names.join(', ')} from json_to_recordset($3::json) as u(${columns.join(', ')})`,
    [tx.tenantId, tx.now, JSON.stringify(values)],
  );
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const columns = [
  'id uuid',
  'customer_id text',
  'interaction_type text',
  'outcome_key text',
  'classification text',
  'direction text',
  'is_conversion boolean',
  'offer_id uuid',
  'creative_id uuid',
  'channel_id uuid',
  'placement_id uuid',
  'category_id uuid',
  'recommendation_id uuid',
  'rank smallint',
  'campaign_id uuid',
  'conversion_value numeric',
  'currency text',
  'context jsonb',
  'attributes jsonb',
  'details jsonb',
  'occurred_at timestamptz',
  'resolved_by text',
  'customer_seq bigint',
] as const;
const names = columns.map((column) => column.split(' ')[0]);
