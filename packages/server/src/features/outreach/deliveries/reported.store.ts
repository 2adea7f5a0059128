import type { DeliveryEventName, DeliveryReason } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { DeliveryRow } from './deliveries.store.ts';

/** A delivery that a message id names. */
export interface KnownMessage {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly channelId: string;
  readonly messageId: string;
}

/** Finds deliveries by the ids of their messages, over all tenants. Needs a system transaction. */
export async function findMessages(tx: Tx, messageIds: readonly string[]): Promise<KnownMessage[]> {
  return tx.query<KnownMessage>(
    `select tenant_id as "tenantId", id as "deliveryId", channel_id as "channelId", provider_message_id as "messageId"
       from arbiter.deliveries where provider_message_id = any($1::text[])`,
    [messageIds],
  );
}

/** An event to store. */
export interface NewEventRow {
  readonly id: string;
  readonly deliveryId: string;
  readonly dedupeKey: string;
  readonly event: DeliveryEventName;
  readonly occurredAt: Date;
  readonly reason: DeliveryReason | null;
  readonly eventId: string | null;
}

/** Stores events that are new. Returns those. */
export async function insertEvents(
  tx: Tx,
  rows: readonly NewEventRow[],
): Promise<{ readonly deliveryId: string; readonly event: DeliveryEventName }[]> {
  return tx.query(
    `insert into arbiter.delivery_events (tenant_id, delivery_id, dedupe_key, id, event, occurred_at, received_at, reason, event_id)
     select $1, r."deliveryId", r."dedupeKey", r."id", r."event", r."occurredAt", $3, r."reason", r."eventId"
       from jsonb_to_recordset($2::jsonb) as r (
         "id" uuid, "deliveryId" uuid, "dedupeKey" text, "event" text, "occurredAt" timestamptz, "reason" text, "eventId" text)
     on conflict (tenant_id, delivery_id, dedupe_key) do nothing
     returning delivery_id as "deliveryId", event`,
    [tx.tenantId, JSON.stringify(rows), tx.now],
  );
}

/** Stores the new statuses of deliveries. */
export async function updateStatuses(tx: Tx, rows: readonly Pick<DeliveryRow, 'id' | 'status'>[]): Promise<void> {
  await tx.query(
    `update arbiter.deliveries d set status = n.status, updated_at = $4
       from unnest($2::uuid[], $3::text[]) as n (id, status) where d.tenant_id = $1 and d.id = n.id`,
    [tx.tenantId, rows.map(({ id }) => id), rows.map(({ status }) => status), tx.now],
  );
}
