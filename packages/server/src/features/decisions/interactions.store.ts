import { type Tx, uuidArray } from '../../db/index.ts';
import { isId } from '../../platform/ids.ts';

/** A history row of a shown item: `impression`, or `recommendation` with its reservation (api-decisioning.md 4). */
export interface ShownItem {
  readonly id: string;
  readonly customerId: string;
  readonly interactionType: 'recommendation' | 'impression' | 'response';
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly categoryId: string | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly campaignId: string | null;
  readonly reservationState: 'open' | 'confirmed' | 'expired' | 'released' | null;
  readonly reservationExpiresAt: Date | null;
}

const shownColumns = `id, customer_id as "customerId", interaction_type as "interactionType", offer_id as "offerId",
  creative_id as "creativeId", channel_id as "channelId", placement_id as "placementId", category_id as "categoryId",
  recommendation_id as "recommendationId", rank, campaign_id as "campaignId", reservation_state as "reservationState",
  reservation_expires_at as "reservationExpiresAt"`;

/** The row of that id, when it is one of a shown item. */
export async function findShownItem(tx: Tx, id: string): Promise<ShownItem | null> {
  if (!isId(id)) return null;
  const [row] = await tx.query<ShownItem>(`select ${shownColumns} from interactions where tenant_id = $1 and id = $2`, [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** The items of a decision, by rank: their ids follow the decision's. */
export async function findShownItems(tx: Tx, decisionId: string): Promise<ShownItem[]> {
  if (!isId(decisionId) || !decisionId.endsWith('00')) return [];
  return tx.query<ShownItem>(
    `select ${shownColumns} from interactions
     where tenant_id = $1 and id between $2 and $3 and recommendation_id = $2 order by id`,
    [tx.tenantId, decisionId, `${decisionId.slice(0, 34)}ff`],
  );
}

/** What `respond` writes into history. */
export interface NewInteraction {
  readonly id: string;
  readonly customerId: string;
  readonly interactionType: 'impression' | 'response';
  readonly outcomeKey: string;
  readonly classification: string;
  readonly direction: string;
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
}

export async function insertInteraction(tx: Tx, row: NewInteraction): Promise<void> {
  await tx.query(
    `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction, is_conversion,
       offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, campaign_id, conversion_value, currency,
       context, attributes, details, occurred_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
    [
      tx.tenantId,
      row.id,
      row.customerId,
      row.interactionType,
      row.outcomeKey,
      row.classification,
      row.direction,
      row.isConversion,
      row.offerId,
      row.creativeId,
      row.channelId,
      row.placementId,
      row.categoryId,
      row.recommendationId,
      row.rank,
      row.campaignId,
      row.conversionValue,
      row.currency,
      row.context,
      row.attributes,
      row.details,
      row.occurredAt,
      tx.now,
    ],
  );
}

export async function setReservationState(
  tx: Tx,
  id: string,
  state: 'confirmed' | 'released' | 'expired',
): Promise<void> {
  await tx.query('update interactions set reservation_state = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    state,
  ]);
}

/** Locks the customer's state row, or makes it; null when another transaction holds it and this one may not `wait`. */
export async function lockState(
  tx: Tx,
  customerId: string,
  fresh: () => { readonly ref: string; readonly dataKey: Buffer },
  wait: boolean,
): Promise<Buffer | null> {
  const select = `select state from customer_states where tenant_id = $1 and customer_id = $2 for update`;
  const lock = wait ? select : `${select} skip locked`;
  const [known] = await tx.query<{ state: Buffer }>(lock, [tx.tenantId, customerId]);
  if (known) return known.state;
  const { ref, dataKey } = fresh();
  await tx.query(
    `insert into customer_states (tenant_id, customer_id, ref, data_key, state) values ($1, $2, $3, $4, '') on conflict do nothing`,
    [tx.tenantId, customerId, ref, dataKey],
  );
  const [made] = await tx.query<{ state: Buffer }>(lock, [tx.tenantId, customerId]);
  return made?.state ?? null;
}

export async function saveState(tx: Tx, customerId: string, state: Buffer): Promise<void> {
  await tx.query('update customer_states set state = $3 where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
    state,
  ]);
}

export interface KeptResponse {
  readonly payloadHash: Buffer;
  readonly answer: Record<string, unknown>;
}

/** The answer kept under a key within the last 7 days. */
export async function findResponse(tx: Tx, keyHash: Buffer): Promise<KeptResponse | null> {
  const [row] = await tx.query<KeptResponse>(
    `select payload_hash as "payloadHash", answer from response_keys
     where tenant_id = $1 and key_hash = $2 and created_at > $3::timestamptz - interval '7 days'`,
    [tx.tenantId, keyHash, tx.now],
  );
  return row ?? null;
}

/** Keeps the answer under a key. False: another transaction has kept one under it meanwhile. */
export async function keepResponse(
  tx: Tx,
  row: { readonly keyHash: Buffer; readonly payloadHash: Buffer; readonly customerId: string; readonly answer: string },
): Promise<boolean> {
  const kept = await tx.query(
    `insert into response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at) values ($1, $2, $3, $4, $5::jsonb, $6)
     on conflict (tenant_id, key_hash) do update set payload_hash = excluded.payload_hash, customer_id = excluded.customer_id,
       answer = excluded.answer, created_at = excluded.created_at
     where response_keys.created_at <= excluded.created_at - interval '7 days' returning 1`,
    [tx.tenantId, row.keyHash, row.payloadHash, row.customerId, row.answer, tx.now],
  );
  return kept.length > 0;
}

/** One row of the outbox for all events of a batch; `itemIds` are the history rows written with it that count. */
export async function appendEvents(tx: Tx, events: readonly object[], itemIds: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query('insert into outbox (tenant_id, events, item_ids, created_at) values ($1, $2, $3::uuid[], $4)', [
    tx.tenantId,
    JSON.stringify(events),
    uuidArray(itemIds),
    tx.now,
  ]);
}
