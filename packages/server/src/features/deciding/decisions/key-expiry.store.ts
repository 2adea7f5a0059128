import type { Tx } from '../../../db/index.ts';
import { recordExists } from '../sealed-records/index.ts';

/**
 * Hours to keep the answer of a repeated response: 7 days (docs/design/api-decisioning.md 3), plus an hour, because the
 * node that looks it up may have a slower clock than the one that deletes it.
 */
const keptHours = 7 * 24 + 1;
const hourMs = 3_600_000;
/** Rows per transaction, so that concurrent decisions don't wait. */
const rowsPerSlice = 1_000;

/**
 * Deletes expired keys of responses, oldest first. Returns true when there may be more; call it again in another
 * transaction.
 */
export async function expireResponseKeys(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with oldest as (
       select key_hash from response_keys where tenant_id = $1 and created_at < $2 order by created_at limit $3
       for update skip locked),
     gone as (delete from response_keys k using oldest where k.tenant_id = $1 and k.key_hash = oldest.key_hash returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, new Date(tx.now.getTime() - keptHours * hourMs), rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}

/**
 * Deletes answers stored for client-chosen requestIds whose sealed records are deleted: a requestId is unique as long
 * as its record lives (docs/design/api-decisioning.md 2). Records are deleted by age, so this checks only the oldest
 * answers. Returns true when there may be more; call it again in another transaction.
 */
export async function expireRequests(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with oldest as materialized (
       select request_id, decision_id from decision_requests where tenant_id = $1 order by created_at limit $2),
     orphaned as materialized (
       select request_id from oldest o
       where not ${recordExists('$1', 'o.decision_id')}),
     gone as (
       delete from decision_requests r using orphaned o where r.tenant_id = $1 and r.request_id = o.request_id returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
