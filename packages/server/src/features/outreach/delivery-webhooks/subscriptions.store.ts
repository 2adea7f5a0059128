import type { Tx } from '../../../db/tx.ts';

/** Claims the confirmation of a subscription. False if it was confirmed before. */
export async function claimSubscription(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    'insert into arbiter.webhook_subscriptions (id, confirmed_at) values ($1, $2) on conflict (tenant_id, id) do nothing returning id',
    [id, tx.now],
  );
  return rows.length > 0;
}

/** Gives a claim back, so that the next message can confirm. */
export async function releaseSubscription(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.webhook_subscriptions where id = $1', [id]);
}
