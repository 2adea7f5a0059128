import type { Tx } from '../../db/tx.ts';
import { findKey, inProgress, type KeptAnswer, type KeyedCall, keepAnswer } from './idempotency.store.ts';

/**
 * How long a key is held for a process that does not say that it is still at work. It says so every few seconds, so that a
 * repeat can take the work over within 30 s after the process ended (docs/design/quality.md 2, background work).
 */
const heldSeconds = 20;

/** Work under a key that this process may do. */
export interface Claim {
  readonly workId: string;
  /** This claim, unlike that of a process which had the work before. */
  readonly holderId: string;
  /** Another process had begun the work, and is gone. */
  readonly isAgain: boolean;
}

/** While there is no answer. */
const unanswered = { status: 202, headers: {}, body: null };

/**
 * The answer that the call has already; else the claim to the work of the key, with the id that the work had before if another
 * process had begun it. Throws as `findKey`, and 409 `idempotency_in_progress` while a process is at it.
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
    `update idempotency_keys set work_id = $4, holder_id = $5,
       held_until = clock_timestamp() + make_interval(secs => ${heldSeconds})
      where credential_id = $1 and route = $2 and key = $3`,
    [call.credentialId, call.route, call.key, claim.workId, claim.holderId],
  );
  return claim;
}

/** Says that this process is still at work. False when there is no such claim any more. */
export async function renewClaim(tx: Tx, call: KeyedCall, { holderId }: Claim): Promise<boolean> {
  const rows = await tx.query(
    `update idempotency_keys set held_until = clock_timestamp() + make_interval(secs => ${heldSeconds})
      where credential_id = $1 and route = $2 and key = $3 and holder_id = $4 returning 1`,
    [call.credentialId, call.route, call.key, holderId],
  );
  return rows.length > 0;
}

/** Keeps the answer of the work, whoever did it. Does nothing when it has one. */
export async function keepWorkAnswer(tx: Tx, call: KeyedCall, { workId }: Claim, body: string): Promise<void> {
  await tx.query(
    `update idempotency_keys set status = 200, body = $5, work_id = null, holder_id = null, held_until = null
      where credential_id = $1 and route = $2 and key = $3 and work_id = $4`,
    [call.credentialId, call.route, call.key, workId, body],
  );
}

/** Gives the key free. Does nothing when another process has taken the work over. */
export async function releaseKey(tx: Tx, call: KeyedCall, { holderId }: Claim): Promise<void> {
  await tx.query(
    'delete from idempotency_keys where credential_id = $1 and route = $2 and key = $3 and holder_id = $4',
    [call.credentialId, call.route, call.key, holderId],
  );
}
