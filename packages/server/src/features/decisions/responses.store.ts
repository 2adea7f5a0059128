import { columns, type RowOf, select, table } from '../../db/columns.ts';
import type { Tx } from '../../db/index.ts';

const responseKeys = table<'response_keys', { answer: Readonly<Record<string, unknown>> | null }>('response_keys');
const keptColumns = columns(responseKeys, ['payloadHash', 'answer']);
export type KeptResponse = RowOf<typeof keptColumns>;

/** The answer kept under a key within the last 7 days. */
export async function findResponse(tx: Tx, keyHash: Buffer): Promise<KeptResponse | null> {
  const [row] = await select(
    tx,
    keptColumns,
    `from response_keys where tenant_id = $1 and key_hash = $2 and created_at > $3::timestamptz - interval '7 days'`,
    [tx.tenantId, keyHash, tx.now],
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

/** Keeps the answer under a key. False: another transaction has kept one under it meanwhile. */
export async function keepResponse(
  tx: Tx,
  row: { readonly keyHash: Buffer; readonly payloadHash: Buffer; readonly customerId: string; readonly answer: string },
): Promise<boolean> {
  const kept = await tx.query(
    `insert into response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at) values ($1, $2, $3, $4, $5::jsonb, $6)
     on conflict (tenant_id, key_hash) do update set payload_hash = excluded.payload_hash, customer_id = excluded.customer_id,
       answer = excluded.answer, created_at = excluded.created_at
     where response_keys.created_at <= excluded.created_at - interval '7 days' returning 1`,
    [tx.tenantId, row.keyHash, row.payloadHash, row.customerId, row.answer, tx.now],
  );
  return kept.length > 0;
}
