import type { Tx } from '../../../db/index.ts';

/** Subscriptions belong to the installation. */
const noTenant = '00000000-0000-0000-0000-000000000000';

/** Claims a subscription that waits to be confirmed. False if it is confirmed, or another process is at it. */
export async function claimSubscription(tx: Tx, messageId: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into arbiter.sns_subscriptions as s (tenant_id, message_id, claimed_at) values ($1, $2, $3)
     on conflict (tenant_id, message_id) do update set claimed_at = excluded.claimed_at
       where s.confirmed_at is null and s.claimed_at < excluded.claimed_at - interval '1 minute'
     returning 1 as claimed`,
    [noTenant, messageId, tx.now],
  );
  return rows.length > 0;
}

export async function confirmSubscription(tx: Tx, messageId: string): Promise<void> {
  await tx.query('update arbiter.sns_subscriptions set confirmed_at = $3 where tenant_id = $1 and message_id = $2', [
    noTenant,
    messageId,
    tx.now,
  ]);
}

/** Gives up a claim, so that the next request tries again. */
export async function releaseSubscription(tx: Tx, messageId: string): Promise<void> {
  await tx.query('delete from arbiter.sns_subscriptions where tenant_id = $1 and message_id = $2', [
    noTenant,
    messageId,
  ]);
}
