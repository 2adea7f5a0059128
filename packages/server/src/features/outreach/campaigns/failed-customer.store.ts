import type { Tx } from '../../../db/index.ts';
import type { Member } from './results.store.ts';

/** Writes down that a customer's decision failed, if the run is still this process's and at this place. */
export async function insertFailure(
  tx: Tx,
  run: { readonly id: string; readonly token: number },
  { place, customerId }: Member,
  error: string,
): Promise<boolean> {
  const moved = await tx.query(
    `update arbiter.campaign_runs set next_place = $4 + 1, failed_customers = failed_customers + 1
      where tenant_id = $1 and id = $2 and token = $3 and status = 'running' and next_place <= $4 returning 1`,
    [tx.tenantId, run.id, run.token, place],
  );
  if (moved.length === 0) return false;
  await tx.query(
    `insert into arbiter.campaign_results (tenant_id, run_id, place, customer_id, status, error, processed_at)
     select tenant_id, run_id, place, customer_id, 'failed', $4, $5 from arbiter.campaign_members
      where tenant_id = $1 and run_id = $2 and place = $3 and customer_id = $6`,
    [tx.tenantId, run.id, place, error, tx.now, customerId],
  );
  return true;
}
