import type { Tx } from '../../db/tx.ts';
import { findKey, inProgress, type KeptAnswer, type KeyedCall, keepAnswer } from './idempotency.store.ts';

/**
 * How long a key stays taken without a sign of life from its process. Processes renew every few seconds, so a repeat
 * can take over within 30 s after the process ended (docs/design/quality.md 2, background work).
 */
const heldMs = 20_000;

/** Not the statement's own clock, which Citus can't run in an update. */
const heldUntil = (tx: Tx): Date => new Date(tx.latest() + heldMs);

/** Work under a key that this process may do. */
export interface Claim {
  readonly workId: string;
  /** Tells this claim from that of a process that had the work before. */
  readonly holderId: string;
  /** Another process had begun the work and ended. */
  readonly isAgain: boolean;
}

/** Stored until there's an answer. */
const unanswered = { status: 202, headers: {}, body: null };

/**
 * Returns the call's existing answer, or claims the key's work, with the work's earlier id if another process had begun
 * it. Throws like `findKey`, and 409 `idempotency_in_progress` while a process is doing it.
 */
export async function claimKey(
  tx: Tx,
  call: KeyedCall,
  fresh: { readonly workId: string; readonly holderId: string },
): Promise<KeptAnswer | Claim> {
  const row = await findKey(tx, call);
  if (row?.isHeld === true) throw inProgress();
  if (row !== null && row.body !== null) return row;
  if (row === null) await keepAnswer(tx, call, unanswered);
  const claim = { workId: row?.workId ?? fresh.workId, holderId: fresh.holderId, isAgain: row?.workId != null };
  await tx.query(
    `update idempotency_keys set work_id = $5, holder_id = $6, held_until = $7
      where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4`,
    [tx.tenantId, call.credentialId, call.route, call.key, claim.workId, claim.holderId, heldUntil(tx)],
  );
  return claim;
}

/** Renews the claim while this process works. Returns false when the claim no longer exists. */
export async function renewClaim(tx: Tx, call: KeyedCall, { holderId }: Claim): Promise<boolean> {
  const rows = await tx.query(
    `update idempotency_keys set held_until = $6
      where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4 and holder_id = $5 returning 1`,
    [tx.tenantId, call.credentialId, call.route, call.key, holderId, heldUntil(tx)],
  );
  return rows.length > 0;
}

/** Stores the work's answer, whoever did it. Does nothing when it already has one. */
export async function keepWorkAnswer(tx: Tx, call: KeyedCall, { workId }: Claim, body: string): Promise<void> {
  await tx.query(
    `update idempotency_keys set status = 200, body = $6, work_id = null, holder_id = null, held_until = null
      where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4 and work_id = $5`,
    [tx.tenantId, call.credentialId, call.route, call.key, workId, body],
  );
}

/** Releases the key. Does nothing when another process has taken the work over. */
export async function releaseKey(tx: Tx, call: KeyedCall, { holderId }: Claim): Promise<void> {
  await tx.query(
    `delete from idempotency_keys
      where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4 and holder_id = $5`,
    [tx.tenantId, call.credentialId, call.route, call.key, holderId],
  );
}
