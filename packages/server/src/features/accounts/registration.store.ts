import type { Tx } from '../../db/tx.ts';
import { emailKey } from '../users/index.ts';

/** A claim is for registrations at the same time; later ones find the user. */
const claimMs = 60_000;

/**
 * The tenant that the registration of an address is to make: `tenantId`, unless another registration of the address has just
 * named one. Needs a system transaction.
 */
export async function claimAddress(tx: Tx, email: string, tenantId: string): Promise<string> {
  const [row] = await tx.query<{ tenant_id: string }>(
    `insert into arbiter.registration_claims as claim (email_key, tenant_id, claimed_at) values ($1, $2, $3)
     on conflict (email_key) do update set
       tenant_id = case when claim.claimed_at < $4 then excluded.tenant_id else claim.tenant_id end,
       claimed_at = case when claim.claimed_at < $4 then excluded.claimed_at else claim.claimed_at end
     returning tenant_id`,
    [emailKey(email), tenantId, tx.now, new Date(tx.now.getTime() - claimMs)],
  );
  return row?.tenant_id ?? tenantId;
}

/** Deletes claims that were made before the instant. Needs a system transaction. */
export async function deleteOldClaims(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from arbiter.registration_claims where claimed_at < $1', [before]);
}
