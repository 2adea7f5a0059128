import {
  booleanArray,
  ensureMonthPartitions,
  type HotStatement,
  instantArray,
  numberArray,
  type Tx,
  textArray,
  uuidArray,
} from '../../db/index.ts';
import { firstIdAt, isUuid } from '../../platform/ids.ts';

// Statements of the hot path are each prepared once per connection and take one array per column (docs/design/decisioning.md 6).

/** A history row of a shown item: `impression`, or `recommendation` with its reservation (docs/design/api-decisioning.md 4). */
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
  if (!isUuid(id)) return null;
  const [row] = await tx.query<ShownItem>(`select ${shownColumns} from interactions where tenant_id = $1 and id = $2`, [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** The items of a decision, by rank: their ids follow the decision's. */
export async function findShownItems(tx: Tx, decisionId: string): Promise<ShownItem[]> {
  if (!isUuid(decisionId) || !decisionId.endsWith('00')) return [];
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
  /** Number of the response in the order of what was committed for the customer (docs/design/recording.md S5). */
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
}

export async function insertInteraction(tx: Tx, row: NewInteraction): Promise<void> {
  await tx.query(
    `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction, is_conversion,
       offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, campaign_id, conversion_value, currency,
       context, attributes, details, occurred_at, created_at, customer_seq)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
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
      row.customerSeq,
    ],
  );
}

/** Settles a reservation; the number of what settled it first stays. */
export async function setReservationState(
  tx: Tx,
  id: string,
  state: 'confirmed' | 'released' | 'expired',
  customerSeq: number,
): Promise<void> {
  await tx.query(
    `update interactions set reservation_state = $3, reservation_settled_seq = coalesce(reservation_settled_seq, $4)
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, state, customerSeq],
  );
}

/** A history row that a decision writes for one returned item. */
export interface ItemRow {
  readonly id: string;
  readonly customerId: string;
  /** Number of the decision in the order of what was committed for the customer (docs/design/recording.md S5). */
  readonly customerSeq: number;
  readonly reserved: boolean;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly categoryId: string | null;
  readonly recommendationId: string;
  readonly rank: number;
  readonly context: string | null;
  readonly reservationExpiresAt: Date | null;
}

export function insertItems(tenantId: string, at: Date, rows: readonly ItemRow[]): HotStatement {
  return {
    name: 'decisions.items',
    text: `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction, offer_id,
        creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context, occurred_at, created_at,
        reservation_state, reservation_expires_at, customer_seq)
      select $1, u.id, u.customer_id, case when u.reserved then 'recommendation' else 'impression' end,
        case when u.reserved then null else 'impression' end, 'neutral', 'outbound', u.offer_id, u.creative_id, u.channel_id,
        u.placement_id, u.category_id, u.recommendation_id, u.rank, u.context, $2, $2,
        case when u.reserved then 'open' end, u.expires_at, u.customer_seq
      from unnest($3::uuid[], $4::text[], $5::boolean[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[],
        $12::smallint[], $13::jsonb[], $14::timestamptz[], $15::bigint[])
        as u(id, customer_id, reserved, offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context,
          expires_at, customer_seq)`,
    values: [
      tenantId,
      at,
      uuidArray(rows.map((r) => r.id)),
      textArray(rows.map((r) => r.customerId)),
      booleanArray(rows.map((r) => r.reserved)),
      uuidArray(rows.map((r) => r.offerId)),
      uuidArray(rows.map((r) => r.creativeId)),
      uuidArray(rows.map((r) => r.channelId)),
      uuidArray(rows.map((r) => r.placementId)),
      uuidArray(rows.map((r) => r.categoryId)),
      uuidArray(rows.map((r) => r.recommendationId)),
      numberArray(rows.map((r) => r.rank)),
      textArray(rows.map((r) => r.context)),
      instantArray(rows.map((r) => r.reservationExpiresAt)),
      numberArray(rows.map((r) => r.customerSeq)),
    ],
  };
}

/** A customer's counted contacts since an instant, from history: fills the log when a new window looks further back. */
export function contactsSince(tenantId: string, customerId: string, from: Date, firstId: string): HotStatement {
  return {
    name: 'decisions.contacts',
    text: `select offer_id, creative_id, channel_id, campaign_id, occurred_at from interactions
      where tenant_id = $1 and customer_id = $2 and id >= $4 and interaction_type = 'impression' and occurred_at >= $3
      order by occurred_at, id`,
    values: [tenantId, customerId, from, firstId],
  };
}

/** An open reservation whose time is over. */
export interface DueReservation {
  readonly id: string;
  readonly customerId: string;
}

/** Open reservations that ran out, the longest due first. `oldestMs`: none is older. */
export async function findDueReservations(tx: Tx, oldestMs: number, limit: number): Promise<DueReservation[]> {
  return tx.query<DueReservation>(
    `select id, customer_id as "customerId" from interactions
     where tenant_id = $1 and id >= $3 and reservation_state = 'open' and reservation_expires_at <= $2
     order by reservation_expires_at, id limit $4`,
    [tx.tenantId, tx.now, firstIdAt(Math.max(0, tx.now.getTime() - oldestMs)), limit],
  );
}

/** Those of the reservations that are still open, in their order of expiry; held until the transaction ends. */
export async function lockOpenReservations(tx: Tx, ids: readonly string[]): Promise<DueReservation[]> {
  return tx.query<DueReservation>(
    `select id, customer_id as "customerId" from interactions
     where tenant_id = $1 and id = any($2::uuid[]) and reservation_state = 'open'
     order by reservation_expires_at, id for update skip locked`,
    [tx.tenantId, uuidArray(ids)],
  );
}

/** Marks reservations as run out, each with the number of its settlement; null for a customer that was erased. */
export async function markExpired(
  tx: Tx,
  rows: readonly { readonly id: string; readonly settledSeq: number | null }[],
): Promise<void> {
  // Named by id, so that only their partitions are looked at.
  await tx.query(
    `update interactions set reservation_state = 'expired',
       reservation_settled_seq = ($3::bigint[])[array_position($2::uuid[], id)]
     where tenant_id = $1 and id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(rows.map((row) => row.id)), numberArray(rows.map((row) => row.settledSeq))],
  );
}

/** Makes the partitions of the months ahead. Needs a system transaction. */
export const ensureInteractionPartitions = (tx: Tx): Promise<void> => ensureMonthPartitions(tx, 'arbiter.interactions');
