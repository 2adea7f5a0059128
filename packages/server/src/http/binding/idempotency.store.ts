import { createHash } from 'node:crypto';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';

/** A sent answer. A repeat of the call gets it byte for byte. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** One call with an Idempotency-Key. Scope: tenant (the transaction's), credential, route, key. */
export interface KeyedCall {
  readonly credentialId: string;
  readonly route: string;
  readonly key: string;
  /** From `payloadHash`. */
  readonly payloadHash: Buffer;
}

/**
 * Returns the SHA-256 over everything that makes two calls the same: path parameters, query and body, regardless of
 * member order.
 */
export function payloadHash(params: unknown, query: unknown, body: unknown): Buffer {
  return createHash('sha256')
    .update(stableJson([params, query, body ?? null]))
    .digest();
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

const keptDays = 7;
/** Expired rows that each call deletes: more than the one it adds, so the table doesn't grow. */
const sweptPerCall = 20;

/** A known call with the same key. */
export interface KeyRow extends KeptAnswer {
  /** The work that was begun under the key and has no answer yet. */
  readonly workId: string | null;
  /** A process is doing that work. */
  readonly isHeld: boolean;
}

/**
 * Takes the key for this transaction and looks for an earlier call. Null means this call is the first. Throws 409
 * `idempotency_in_progress` while another transaction has the key, and 422 `idempotency_key_reused` for another
 * payload.
 */
export async function findKey(tx: Tx, call: KeyedCall): Promise<KeyRow | null> {
  // Only try the lock: waiting for the twin would hold a connection per repeat.
  const [lock] = await tx.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as taken', [
    lockNumber(tx.tenantId, call),
  ]);
  // A separate statement: its snapshot must be newer than the lock, or it misses a twin that just committed.
  const [row] = await tx.query<KeyRow & { payload_hash: Buffer; fresh: boolean }>(
    `select payload_hash, status, headers, body, work_id as "workId",
            coalesce(held_until > clock_timestamp(), false) as "isHeld",
            created_at > $5::timestamptz - make_interval(days => ${keptDays}) as fresh
       from idempotency_keys where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4`,
    [tx.tenantId, call.credentialId, call.route, call.key, tx.now],
  );
  const isOver = row !== undefined && !row.fresh && !row.isHeld;
  // If the key has an answer, whoever holds its lock is a repeat too, so don't wait.
  if (lock?.taken !== true && (row === undefined || isOver || row.workId !== null)) throw inProgress();
  if (row === undefined) return null;
  if (isOver) {
    await tx.query(
      'delete from idempotency_keys where tenant_id = $1 and credential_id = $2 and route = $3 and key = $4',
      [tx.tenantId, call.credentialId, call.route, call.key],
    );
    return null;
  }
  if (!call.payloadHash.equals(row.payload_hash)) {
    throw new AppError('idempotency_key_reused', {
      detail: 'This Idempotency-Key was already used with a different payload.',
    });
  }
  return row;
}

/**
 * Takes the key for this transaction and looks for an earlier call's answer. Null means this call is the first: do the
 * work, then `keepAnswer` in the same transaction. Throws like `findKey`.
 */
export async function findAnswer(tx: Tx, call: KeyedCall): Promise<KeptAnswer | null> {
  const row = await findKey(tx, call);
  return row === null ? null : { status: row.status, headers: row.headers, body: row.body };
}

/** Another call with the key is in progress. */
export const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', {
    detail: 'A request with this Idempotency-Key is still in progress. Try again in a moment.',
  });

/** Stores the answer of a call whose effect is in the same transaction. */
export async function keepAnswer(tx: Tx, call: KeyedCall, answer: KeptAnswer): Promise<void> {
  await tx.query(
    `insert into idempotency_keys
       (tenant_id, credential_id, route, key, payload_hash, status, headers, body, created_at)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)`,
    [
      tx.tenantId,
      call.credentialId,
      call.route,
      call.key,
      call.payloadHash,
      answer.status,
      JSON.stringify(answer.headers),
      answer.body,
      tx.now,
    ],
  );
  await tx.query(
    `delete from idempotency_keys where tenant_id = $1 and (credential_id, route, key) in (
       select credential_id, route, key from idempotency_keys
        where tenant_id = $1 and created_at < $2::timestamptz - make_interval(days => ${keptDays})
        order by created_at limit ${sweptPerCall} for update skip locked)`,
    [tx.tenantId, tx.now],
  );
}

/** Returns 64 bits of a hash. If two keys share them, the worst case is one unnecessary 409. */
function lockNumber(tenantId: string, call: KeyedCall): string {
  const scope = JSON.stringify(['idempotency', tenantId, call.credentialId, call.route, call.key]);
  return createHash('sha256').update(scope).digest().readBigInt64BE(0).toString();
}

/** Deletes stored answers that name the customer. */
export async function eraseKeptAnswers(tx: Tx, customerId: string): Promise<void> {
  await tx.query('delete from idempotency_keys where tenant_id = $1 and position($2 in body) > 0', [
    tx.tenantId,
    `"customerId":${JSON.stringify(customerId)}`,
  ]);
}
