import { columns, type RowOf, select, table } from '../../../../db/columns.ts';
import { bytesArray, type Tx, textArray, textsArray } from '../../../../db/index.ts';

const responseKeys = table<'response_keys', { answer: Readonly<Record<string, unknown>> | null }>('response_keys');
const keptColumns = columns(responseKeys, ['keyHash', 'payloadHash', 'answer']);
/** An answer that's stored under a key; null: only the key remains, because the customer was erased. */
export type KeptResponse = RowOf<typeof keptColumns>;

/**
 * Takes keys for this transaction. Returns those that it got, in hex; another transaction that is still running has the
 * others. Waiting for those at the insert would block the whole batch, and two batches with the same keys in a different
 * order would deadlock.
 */
export async function takeKeys(tx: Tx, keyHashes: readonly Buffer[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ key: string; isTaken: boolean }>(
    `select encode(key, 'hex') as key,
       pg_try_advisory_xact_lock(hashtextextended('arbiter.response:' || $1 || encode(key, 'hex'), 0)) as "isTaken"
     from unnest($2::bytea[]) as key`,
    [tx.tenantId, bytesArray(keyHashes)],
  );
  return new Set(rows.filter(({ isTaken }) => isTaken).map(({ key }) => key));
}

/** Returns the answers stored under these keys within the last 7 days. */
export async function findResponses(tx: Tx, keyHashes: readonly Buffer[]): Promise<KeptResponse[]> {
  return select(
    tx,
    keptColumns,
    // `is true` keeps the planner from the index on created_at (docs/adr/0102).
    `from response_keys where tenant_id = $1 and key_hash = any($2::bytea[])
       and (created_at > $3::timestamptz - interval '7 days') is true`,
    [tx.tenantId, bytesArray(keyHashes), tx.now],
  );
}

/**
 * Leaves nothing but the keys of the answers that were given about a customer: a repeat of one of them isn't
 * mistaken for something new.
 */
export async function blankResponses(tx: Tx, customerId: string): Promise<void> {
  await tx.query(
    `update response_keys set customer_id = '', payload_hash = '', answer = 'null'::jsonb
     where tenant_id = $1 and customer_id = $2`,
    [tx.tenantId, customerId],
  );
}

/** An answer to store under a key. */
export interface NewResponseKey {
  readonly keyHash: Buffer;
  readonly payloadHash: Buffer;
  readonly customerId: string;
  /** JSON text. */
  readonly answer: string;
}

/** Stores answers under their keys. Returns false when another transaction has stored one under one of them. */
export async function keepResponses(tx: Tx, rows: readonly NewResponseKey[]): Promise<boolean> {
  const stored = await tx.query(
    `insert into response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at)
     select $1, u.key_hash, u.payload_hash, u.customer_id, u.answer::jsonb, $6
     from unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[]) as u(key_hash, payload_hash, customer_id, answer)
     on conflict (tenant_id, key_hash) do update set payload_hash = excluded.payload_hash, customer_id = excluded.customer_id,
       answer = excluded.answer, created_at = excluded.created_at
     where excluded.created_at - response_keys.created_at >= interval '7 days' returning 1`,
    [
      tx.tenantId,
      bytesArray(rows.map((row) => row.keyHash)),
      bytesArray(rows.map((row) => row.payloadHash)),
      textArray(rows.map((row) => row.customerId)),
      textsArray(rows.map((row) => row.answer)),
      tx.now,
    ],
  );
  return stored.length === rows.length;
}
