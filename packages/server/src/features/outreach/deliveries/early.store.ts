import type { DeliveryEventName, DeliveryReason } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';

/** An event to hold until a delivery has its message id. */
export interface EarlyEvent {
  readonly messageId: string;
  readonly dedupeKey: string;
  readonly event: DeliveryEventName;
  readonly occurredAt: Date;
  readonly reason: DeliveryReason | null;
  readonly eventId: string | null;
}

/** Holds events. One that is held already stays as it is. Needs a system transaction, like the functions below. */
export async function insertEarlyEvents(tx: Tx, rows: readonly EarlyEvent[]): Promise<void> {
  await tx.query(
    `insert into arbiter.early_delivery_events (message_id, dedupe_key, event, occurred_at, received_at, reason, event_id)
     select r."messageId", r."dedupeKey", r."event", r."occurredAt", $2, r."reason", r."eventId"
       from jsonb_to_recordset($1::jsonb) as r (
         "messageId" text, "dedupeKey" text, "event" text, "occurredAt" timestamptz, "reason" text, "eventId" text)
     on conflict (tenant_id, message_id, dedupe_key) do nothing`,
    [JSON.stringify(rows), tx.now],
  );
}

const earlyColumns = columns(
  table<'early_delivery_events', { event: DeliveryEventName; reason: DeliveryReason | null }>('early_delivery_events'),
  ['event', 'occurredAt', 'reason', 'eventId'],
);

export async function selectEarlyEvents(tx: Tx, messageId: string): Promise<RowOf<typeof earlyColumns>[]> {
  return select(tx, earlyColumns, 'from arbiter.early_delivery_events where message_id = $1 order by received_at', [
    messageId,
  ]);
}

export async function deleteEarlyEvents(tx: Tx, messageId: string): Promise<void> {
  await tx.query('delete from arbiter.early_delivery_events where message_id = $1', [messageId]);
}

const rowsPerSlice = 1_000;

/** Deletes events whose message stayed unknown for an hour: it is another system's. */
export async function expireEarlyEvents(tx: Tx): Promise<Removed> {
  const [row] = await tx.query<{ rows: number }>(
    `with due as (
       select tenant_id, message_id, dedupe_key from arbiter.early_delivery_events
        where received_at < $1::timestamptz - interval '1 hour' order by received_at limit $2),
     deleted as (delete from arbiter.early_delivery_events e using due
       where (e.tenant_id, e.message_id, e.dedupe_key) = (due.tenant_id, due.message_id, due.dedupe_key) returning 1)
     select count(*)::int as rows from deleted`,
    [tx.now, rowsPerSlice],
  );
  const rows = row?.rows ?? 0;
  return { rows, more: rows === rowsPerSlice };
}
