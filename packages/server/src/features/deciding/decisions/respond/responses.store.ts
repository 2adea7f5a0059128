import { columns, type RowOf, select, table } from '../../../../db/columns.ts';
import type { Tx } from '../../../../db/index.ts';

const responseKeys = table<'response_keys', { answer: Readonly<Record<string, unknown>> | null }>('response_keys');
const keptColumns = columns(responseKeys, ['payloadHash', 'answer']);
export type KeptResponse = RowOf<typeof keptColumns>;

/**
 * Takes a key for this transaction. False: another transaction that is still running has it. Waiting for it at the
 * insert would block the whole batch, and two batches with the same keys in a different order would deadlock.
 */
export async function takeKey(tx: Tx, keyHash: Buffer): Promise<boolean> {
  const [lock] = await tx.query<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('arbiter.response:' || $1 || encode($2, 'hex'), 0)) as taken`,
    [tx.tenantId, keyHash],
  );
  return lock?.taken === true;
}

/** Returns the answer stored under one of the keys within the last 7 days. */
export async function findResponse(tx: Tx, keyHashes: readonly Buffer[]): Promise<KeptResponse | null> {
  const [row] = await select(
    tx,
    keptColumns,
    // `is true` keeps the planner from the index on created_at (docs/adr/0102).
    `from response_keys where tenant_id = $1 and key_hash = any($2::bytea[])
       and (created_at > $3::timestamptz - interval '7 days') is true limit 1`,
    [tx.tenantId, keyHashes, tx.now],
  );
  return row ?? null;
}

/**
 * Leaves nothing but the keys of the answers that were given about a customer: a repeat of one of them is not taken for
 * something new.
 */
export async function blankResponses(tx: Tx, customerId: string): Promise<void> {
  await tx.query(
    `update response_keys set customer_id = '', payload_hash = '', answer = 'null'::jsonb
     where tenant_id = $1 and customer_id = $2`,
    [tx.tenantId, customerId],
  );
}

/** Stores the answer under a key. Returns false when another transaction has stored one under it. */
export async function keepResponse(
  tx: Tx,
  row: { readonly keyHash: Buffer; readonly payloadHash: Buffer; readonly customerId: string; readonly answer: string },
): Promise<boolean> {
  const stored = await tx.query(
    `insert into response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at) values ($1, $2, $3, $4, $5::jsonb, $6)
     on conflict (tenant_id, key_hash) do update set payload_hash = excluded.payload_hash, customer_id = excluded.customer_id,
       answer = excluded.answer, created_at = excluded.created_at
     where excluded.created_at - response_keys.created_at >= interval '7 days' returning 1`,
    [tx.tenantId, row.keyHash, row.payloadHash, row.customerId, row.answer, tx.now],
  );
  return stored.length > 0;
}
