import type { Tx } from '../../../db/tx.ts';

/** A claim is for registrations at the same time; later ones find the user. */
const claimMs = 60_000;

/**
 * Returns the tenant for a first sign-up: `tenantId`, unless another one of the same person has just claimed one.
 * `who`: the key of the address (`emailKey`), or something else that identifies the person and isn't an address. Needs
 * a system transaction.
 */
export async function claimTenant(tx: Tx, who: string, tenantId: string): Promise<string> {
  const [row] = await tx.query<{ tenant_id: string }>(
    `insert into arbiter.registration_claims as claim (email_key, tenant_id, claimed_at) values ($1, $2, $3)
     on conflict (email_key) do update set
       tenant_id = case when claim.claimed_at < $4 then excluded.tenant_id else claim.tenant_id end,
       claimed_at = case when claim.claimed_at < $4 then excluded.claimed_at else claim.claimed_at end
     returning tenant_id`,
    [who, tenantId, tx.now, new Date(tx.now.getTime() - claimMs)],
  );
  return row?.tenant_id ?? tenantId;
}

/** Deletes claims older than the instant. Needs a system transaction. */
export async function deleteOldClaims(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from arbiter.registration_claims where claimed_at < $1', [before]);
}
