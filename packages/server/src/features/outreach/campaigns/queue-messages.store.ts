import type { Tx } from '../../../db/index.ts';
import type { StoredItem } from './results.store.ts';

/** Moves the run on behind the results whose messages are queued. False: another process has it. */
export async function movePlace(
  tx: Tx,
  run: { readonly id: string; readonly token: number },
  from: number,
  to: number,
): Promise<boolean> {
  const moved = await tx.query(
    `update arbiter.campaign_runs set queued_place = $5
      where tenant_id = $1 and id = $2 and token = $3 and queued_place = $4 and status = 'running' returning 1`,
    [tx.tenantId, run.id, run.token, from, to],
  );
  return moved.length > 0;
}

/** Writes the ids of queued messages into the items of results. */
export async function storeItems(
  tx: Tx,
  runId: string,
  rows: readonly { readonly place: number; readonly items: readonly StoredItem[] }[],
): Promise<void> {
  await tx.query(
    `update arbiter.campaign_results c set items = r.items
       from json_to_recordset($3::json) as r (place integer, items json)
      where c.tenant_id = $1 and c.run_id = $2 and c.place = r.place`,
    [tx.tenantId, runId, JSON.stringify(rows)],
  );
}
