import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

/** Resource to the ids of the pack's rows, in the order of the pack. */
export type PackRecords = Readonly<Record<string, readonly string[]>>;

const packColumns = columns(table<'seed_packs', { counts: Readonly<Record<string, number>> }>('seed_packs'), [
  'key',
  'version',
  'counts',
]);

export type LoadedPack = RowOf<typeof packColumns>;

/** Notes a pack as loaded. A second load of the same pack breaks the primary key. */
export async function insertLoadedPack(tx: Tx, pack: LoadedPack, records: PackRecords): Promise<void> {
  await tx.query(
    `insert into arbiter.seed_packs (tenant_id, key, version, counts, records, loaded_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [tx.tenantId, pack.key, pack.version, JSON.stringify(pack.counts), JSON.stringify(records), tx.now],
  );
}

/** The tenant's packs, by key. */
export async function selectLoadedPacks(tx: Tx): Promise<LoadedPack[]> {
  return select(tx, packColumns, 'from arbiter.seed_packs where tenant_id = $1 order by key', [tx.tenantId]);
}

/** A point of the transaction to which `backToSavepoint` returns after a statement that failed. */
export async function setSavepoint(tx: Tx): Promise<void> {
  await tx.query('savepoint pack_record');
}

export async function backToSavepoint(tx: Tx): Promise<void> {
  await tx.query('rollback to savepoint pack_record');
}

/** Keeps the work since `setSavepoint`. */
export async function releaseSavepoint(tx: Tx): Promise<void> {
  await tx.query('release savepoint pack_record');
}

/** Returns what the load of a pack created. */
export async function selectPackRecords(tx: Tx, key: string): Promise<PackRecords> {
  const [row] = await tx.query<{ records: PackRecords }>(
    'select records from arbiter.seed_packs where tenant_id = $1 and key = $2',
    [tx.tenantId, key],
  );
  return row?.records ?? {};
}

/** Notes a pack as no longer loaded. */
export async function deletePackRow(tx: Tx, key: string): Promise<void> {
  await tx.query('delete from arbiter.seed_packs where tenant_id = $1 and key = $2', [tx.tenantId, key]);
}
