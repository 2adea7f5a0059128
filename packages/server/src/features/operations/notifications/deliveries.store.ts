import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { OutgoingMessage } from './message.rules.ts';

/** An address given directly in a rule, instead of a destination. */
export interface InlineTarget {
  readonly type: 'webhook' | 'email';
  readonly target: string;
}

/** The content, without what's only known when it's sent. */
export type UnsentMessage = Omit<OutgoingMessage, 'id' | 'type' | 'tenantId'>;

const deliveryColumns = columns(
  table<'notification_deliveries', { target: InlineTarget | null; message: UnsentMessage }>('notification_deliveries'),
  ['id', 'providerId', 'target', 'message', 'type', 'originId', 'channel', 'createdAt'],
);

/** A message that waits for its destination. */
export type DeliveryRow = RowOf<typeof deliveryColumns>;

export async function insertDelivery(tx: Tx, row: DeliveryRow): Promise<void> {
  await tx.query(
    `insert into arbiter.notification_deliveries (tenant_id, id, provider_id, target, message, type, origin_id, channel, created_at)
     values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7, $8, $9)`,
    [
      tx.tenantId,
      row.id,
      row.providerId,
      row.target === null ? null : JSON.stringify(row.target),
      JSON.stringify(row.message),
      row.type,
      row.originId,
      row.channel,
      row.createdAt,
    ],
  );
}

/** Messages of the tenant that wait since an hour at most, counted up to `most`. Older ones are those that fail. */
export async function countWaiting(tx: Tx, most: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from (
       select from arbiter.notification_deliveries
        where tenant_id = $1 and created_at > $2::timestamptz - interval '1 hour' limit $3) waiting`,
    [tx.tenantId, tx.now, most],
  );
  return row?.count ?? 0;
}

/** Undefined for one that was delivered, or given up. */
export async function selectDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await select(
    tx,
    deliveryColumns,
    'from arbiter.notification_deliveries where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row;
}

export async function deleteDelivery(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.notification_deliveries where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}

const rowsPerSlice = 500;

/** Deletes messages as old as dead letters become. True when there may be more. */
export async function expireDeliveries(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.notification_deliveries
        where tenant_id = $1 and created_at < $2::timestamptz - interval '30 days' order by created_at limit $3
        for update skip locked),
     gone as (delete from arbiter.notification_deliveries d using due
               where d.tenant_id = $1 and d.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, tx.now, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
