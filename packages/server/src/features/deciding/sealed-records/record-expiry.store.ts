import type { Tx } from '../../../db/index.ts';
import type { Removed } from '../../../jobs/index.ts';
import { firstIdAt, instantOfId } from '../../../platform/ids.ts';
import { firstArchivedId } from '../archived-months/index.ts';

const dayMs = 86_400_000;
/** Rows per transaction, so that concurrent decisions don't wait. */
const rowsPerSlice = 1_000;

/**
 * Deletes records that were stored more than this many days ago, the oldest first. Says whether there may be more; call
 * it again in another transaction.
 */
export async function expireRecords(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with oldest as (
       select id from decisions where tenant_id = $1 and id < $2 order by id limit $3),
     gone as (
       delete from decisions d using oldest where d.tenant_id = $1 and d.id = oldest.id and d.id < $2 returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs)), rowsPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows === rowsPerSlice };
}

/** Returns the time of the tenant's oldest record, including archived ones. Without records, returns now. */
export async function oldestRecordAt(tx: Tx): Promise<Date> {
  const [row] = await tx.query<{ id: string }>('select id from decisions where tenant_id = $1 order by id limit 1', [
    tx.tenantId,
  ]);
  const ids = [row?.id, await firstArchivedId(tx, 'decisions')].flatMap((id) => (id == null ? [] : [id]));
  return new Date(Math.min(tx.now.getTime(), ...ids.map(instantOfId)));
}
