import type { SeedDatasetStatus, SeedStep } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';

/** A 64-bit lock key for loading into one tenant. */
const lockKeyOf = (tenant: string): string => `hashtextextended('arbiter.seed:' || ${tenant}::text, 0)`;
const lockKey = lockKeyOf('$1');

/** Takes the right to load or unload, until the transaction ends; false while another one has it. */
export async function takeSeedLock(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lockKey}) as taken`, [
    tx.tenantId,
  ]);
  return row?.taken === true;
}

/** The same, waiting for a load or removal that is under way. */
export async function waitForSeedLock(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lockKey})`, [tx.tenantId]);
}

/** Notes where a load is. */
export async function upsertProgress(
  tx: Tx,
  at: { readonly key: string; readonly status: string; readonly step: SeedStep; readonly progress: number },
): Promise<void> {
  await tx.query(
    `insert into arbiter.seed_progress (tenant_id, key, status, step, progress, updated_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id) do update
       set key = excluded.key, status = excluded.status, step = excluded.step, progress = excluded.progress,
           updated_at = excluded.updated_at`,
    [tx.tenantId, at.key, at.status, at.step, at.progress, tx.now],
  );
}

/** Forgets the last load. */
export async function deleteProgress(tx: Tx): Promise<void> {
  await tx.query('delete from arbiter.seed_progress where tenant_id = $1', [tx.tenantId]);
}

/**
 * Returns the state of the tenant's load. A running load holds its lock; if nothing holds it, the loading process ended
 * or refused before it could say so: the load failed. Reading takes no lock, so it never causes a load to be refused.
 */
export async function readProgress(tx: Tx): Promise<SeedDatasetStatus | undefined> {
  const [row] = await tx.query<SeedDatasetStatus>(
    `select case when p.status = 'running' and not arbiter.is_lock_held(${lockKeyOf('p.tenant_id')})
                 then 'failed' else p.status end as status, p.step, p.progress
       from arbiter.seed_progress p where p.tenant_id = $1::uuid`,
    [tx.tenantId],
  );
  return row;
}
