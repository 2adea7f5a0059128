import type { DeliveryEventName, DeliveryStatus } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';

/** A delivery that has a provider's message id. */
export interface KnownMessage {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly channelId: string;
  readonly messageId: string;
}

/** Returns the deliveries of these messages, of all tenants: providers name a message by its id alone. */
export async function selectMessages(tx: Tx, messageIds: readonly string[]): Promise<readonly KnownMessage[]> {
  return tx.query<KnownMessage>(
    `select tenant_id as "tenantId", id as "deliveryId", channel_id as "channelId", provider_message_id as "messageId"
       from arbiter.deliveries where provider_message_id = any($1::text[])`,
    [messageIds],
  );
}

/** An event to store. */
export interface NewDeliveryEvent {
  readonly id: string;
  readonly deliveryId: string;
  readonly dedupeKey: string;
  readonly event: DeliveryEventName;
  readonly occurredAt: Date;
  readonly reason: string | null;
  readonly eventId: string | null;
}

/** Stores events that are new. Returns them. */
export async function insertEvents(
  tx: Tx,
  events: readonly NewDeliveryEvent[],
): Promise<readonly Pick<NewDeliveryEvent, 'deliveryId' | 'event'>[]> {
  return tx.query<Pick<NewDeliveryEvent, 'deliveryId' | 'event'>>(
    `insert into arbiter.delivery_events (tenant_id, delivery_id, dedupe_key, id, event, occurred_at, received_at, reason, event_id)
     select $1, e."deliveryId", e."dedupeKey", e."id", e."event", e."occurredAt", $3, e."reason", e."eventId"
       from jsonb_to_recordset($2::jsonb) as e ("deliveryId" uuid, "dedupeKey" text, "id" uuid, "event" text,
         "occurredAt" timestamptz, "reason" text, "eventId" text)
     on conflict (tenant_id, delivery_id, dedupe_key) do nothing
     returning delivery_id as "deliveryId", event`,
    [tx.tenantId, JSON.stringify(events), tx.now],
  );
}

/** Sets the statuses of deliveries. */
export async function updateStatuses(
  tx: Tx,
  changes: readonly { readonly id: string; readonly status: DeliveryStatus }[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `update arbiter.deliveries d set status = c.status, updated_at = $4
       from unnest($2::uuid[], $3::text[]) as c (id, status) where d.tenant_id = $1 and d.id = c.id`,
    [tx.tenantId, changes.map(({ id }) => id), changes.map(({ status }) => status), tx.now],
  );
}
