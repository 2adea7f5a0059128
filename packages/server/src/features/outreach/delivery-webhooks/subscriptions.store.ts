import type { Tx } from '../../../db/tx.ts';

/** True if the subscription was confirmed before. */
export async function isConfirmed(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('select from arbiter.webhook_subscriptions where id = $1', [id]);
  return rows.length > 0;
}

/** Stores that SNS confirmed a subscription. */
export async function insertSubscription(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'insert into arbiter.webhook_subscriptions (id, confirmed_at) values ($1, $2) on conflict (tenant_id, id) do nothing',
    [id, tx.now],
  );
}
