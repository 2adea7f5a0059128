import { bytesArray, type Tx } from '../../../db/index.ts';

/** Notes that the customer was erased; a later erasure counts instead of an earlier one. */
export async function recordErasure(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    `insert into customer_erasures (tenant_id, customer_hash, erased_at, recorded_at) values ($1, $2, $3, clock_timestamp())
     on conflict (tenant_id, customer_hash) do update set erased_at = excluded.erased_at, recorded_at = excluded.recorded_at`,
    [tx.tenantId, hash, tx.now],
  );
}

/** When a customer was erased last; null: never. `hashes`: of the customer, by each key. */
export async function erasedAt(tx: Tx, hashes: readonly Buffer[]): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date | null }>(
    'select max(erased_at) as at from customer_erasures where tenant_id = $1 and customer_hash = any($2::bytea[])',
    [tx.tenantId, bytesArray(hashes)],
  );
  return row?.at ?? null;
}

/** When customers were erased last, by hash in hex; those that never were are left out. */
export async function readErasures(tx: Tx, hashes: readonly Buffer[]): Promise<ReadonlyMap<string, Date>> {
  const rows = await tx.query<{ hash: Buffer; at: Date }>(
    'select customer_hash as hash, erased_at as at from customer_erasures where tenant_id = $1 and customer_hash = any($2::bytea[])',
    [tx.tenantId, bytesArray(hashes)],
  );
  return new Map(rows.map(({ hash, at }) => [hash.toString('hex'), at]));
}

/** Returns a text that changes with every erasure at this instant or after it; null: there was none. */
export async function erasureMark(tx: Tx, since: Date): Promise<string | null> {
  const [row] = await tx.query<{ mark: string | null }>(
    `select case when count(*) > 0 then count(*) || ' ' || sum(extract(epoch from recorded_at)) end as mark
       from customer_erasures where tenant_id = $1 and erased_at >= $2`,
    [tx.tenantId, since],
  );
  return row?.mark ?? null;
}

/**
 * SQL: true while no customer of the tenant ($1) was erased since this transaction began. A customer that wasn't locked
 * when the transaction read its data may have been erased since, and that data must not be written again.
 */
export const noErasureMeanwhile = `not exists (
    select from customer_erasures e where e.tenant_id = $1 and e.recorded_at >= transaction_timestamp())`;
