import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import { storedRowsAmong, storedRowsFrom } from '../../deciding/interactions/index.ts';

const checkpoint = selectList(
  columns(table('export_checkpoints'), [
    'lowId',
    'nextLowId',
    'pendingAt',
    'pendingRows',
    'pendingFrom',
    'pendingItems',
    'lastFileAt',
  ]),
  computed({ nextLowXid: expression<string | null>('next_low_xid::text') }),
);

/** How far a tenant's export has come; see the migration. */
export type ExportCheckpoint = RowOf<typeof checkpoint>;

/** Locks the tenant's checkpoint, creating it if needed; null while another export holds it. */
export async function lockCheckpoint(tx: Tx): Promise<ExportCheckpoint | null> {
  const lock = () =>
    select(tx, checkpoint, 'from arbiter.export_checkpoints where tenant_id = $1 for update skip locked', [
      tx.tenantId,
    ]);
  const [found] = await lock();
  if (found !== undefined) return found;
  await tx.query('insert into arbiter.export_checkpoints (tenant_id) values ($1) on conflict do nothing', [
    tx.tenantId,
  ]);
  return (await lock())[0] ?? null;
}

/** Waits for the lock on the tenant's checkpoint. False if nothing of the tenant was ever exported. */
export async function waitForCheckpoint(tx: Tx): Promise<boolean> {
  const rows = await tx.query('select from arbiter.export_checkpoints where tenant_id = $1 for update', [tx.tenantId]);
  return rows.length > 0;
}

/**
 * Returns which transactions run: those below `oldest` have ended, and none of the current ones is at or above `next`.
 * As texts, because they exceed a number. `at`: epoch ms by the database's clock, which determines the age of ids.
 */
export async function runningTransactions(
  tx: Tx,
): Promise<{ readonly oldest: bigint; readonly next: bigint; readonly at: number }> {
  const [row] = await tx.query<{ oldest: string; next: string; at: number }>(
    // From a table, so that a cluster asks the worker where the tenant's rows are written.
    `select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as next,
       floor(extract(epoch from statement_timestamp()) * 1000)::float8 as at
     from arbiter.export_checkpoints where tenant_id = $1`,
    [tx.tenantId],
  );
  if (row === undefined) throw new Error('the checkpoint is locked first');
  return { oldest: BigInt(row.oldest), next: BigInt(row.next), at: row.at };
}

/** A stored history row with items to export: those after the first `from`, up to the first `items`. */
export interface RowToExport {
  readonly rowId: string;
  readonly from: number;
  readonly items: number;
}

/**
 * Returns rows that aren't fully exported, oldest first: those from an id on, and late ones below it. Forgets marks of
 * late rows that were deleted.
 */
export async function selectUnexported(tx: Tx, lowId: string, most: number): Promise<RowToExport[]> {
  const exported = `select from arbiter.exported_rows e
    where e.tenant_id = $1 and e.row_id = s.row_id and e.items >= s.items`;
  const lateRows = await tx.query<{ id: string }>(
    'select row_id as id from arbiter.export_late_rows where tenant_id = $1 and row_id < $2 order by row_id limit $3',
    [tx.tenantId, lowId, most],
  );
  const late = uuidArray(lateRows.map(({ id }) => id));
  if (lateRows.length > 0) {
    await tx.query(
      `delete from arbiter.export_late_rows l where l.tenant_id = $1 and l.row_id = any($2::uuid[])
         and not exists (select from (${storedRowsAmong('$2::uuid[]')}) s where s.row_id = l.row_id)`,
      [tx.tenantId, late],
    );
  }
  return tx.query<RowToExport>(
    `select s.row_id as "rowId", coalesce(e.items, 0)::int as "from", s.items::int as items
     from (${storedRowsFrom('$2::uuid', '$3', `not exists (${exported})`)}
           union all ${storedRowsAmong('$4::uuid[]')}) s
     left join arbiter.exported_rows e on e.tenant_id = $1 and e.row_id = s.row_id
     order by s.row_id limit $3`,
    [tx.tenantId, lowId, most, late],
  );
}

/** The checkpoint after a batch was chosen; without a batch, only its bounds move. */
export interface ChosenBatch {
  readonly lowId: string;
  readonly nextLowId: string | null;
  readonly nextLowXid: bigint | null;
  readonly at: Date | null;
  readonly rows: readonly RowToExport[];
  /** Those rows whose items are all in the batch. */
  readonly whole: readonly string[];
}

/**
 * Records a batch; the checkpoint is locked. From then on its rows are exported, whoever writes the file. If nothing is
 * left to export, the failure is cleared.
 */
export async function noteBatch(tx: Tx, { rows, whole, at, ...bounds }: ChosenBatch): Promise<void> {
  const ids = uuidArray(rows.map(({ rowId }) => rowId));
  const items = rows.map((row) => row.items);
  await tx.query(
    `update arbiter.export_checkpoints set low_id = $2, next_low_id = $3, next_low_xid = $4, pending_at = $5,
       pending_rows = case when $5::timestamptz is null then null else $6::uuid[] end,
       pending_from = case when $5::timestamptz is null then null else $7::smallint[] end,
       pending_items = case when $5::timestamptz is null then null else $8::smallint[] end,
       status = case when $5::timestamptz is null then 'ok' else status end,
       error = case when $5::timestamptz is null then null else error end
     where tenant_id = $1`,
    [
      tx.tenantId,
      bounds.lowId,
      bounds.nextLowId,
      bounds.nextLowXid === null ? null : String(bounds.nextLowXid),
      at,
      ids,
      rows.map((row) => row.from),
      items,
    ],
  );
  await tx.query('delete from arbiter.export_late_rows where tenant_id = $1 and row_id = any($2::uuid[])', [
    tx.tenantId,
    uuidArray(whole),
  ]);
  // A late row below the bound may be partly exported.
  const late = 'select from arbiter.export_late_rows l where l.tenant_id = $1 and l.row_id =';
  await tx.query(
    `delete from arbiter.exported_rows e where e.tenant_id = $1 and e.row_id < $2 and not exists (${late} e.row_id)`,
    [tx.tenantId, bounds.lowId],
  );
  if (rows.length === 0) return;
  await tx.query(
    `insert into arbiter.exported_rows as e (tenant_id, row_id, items)
     select $1, r.row_id, r.items from unnest($2::uuid[], $3::smallint[]) as r(row_id, items)
      where r.row_id >= $4 or exists (${late} r.row_id)
     on conflict (tenant_id, row_id) do update set items = excluded.items`,
    [tx.tenantId, ids, items, bounds.lowId],
  );
}

/** The file of the batch is whole. `fileAt`: null when it had no row left. */
export async function endBatch(tx: Tx, fileAt: Date | null): Promise<void> {
  await tx.query(
    `update arbiter.export_checkpoints set pending_at = null, pending_rows = null, pending_from = null, pending_items = null,
       status = 'ok', error = null, last_file_at = coalesce($2, last_file_at), exported_at = $3
     where tenant_id = $1`,
    [tx.tenantId, fileAt, tx.now],
  );
}

/** Marks the export as failed; everything else stays, so that the next call tries the same again. */
export async function markFailed(tx: Tx, error: string): Promise<void> {
  await tx.query(
    `insert into arbiter.export_checkpoints (tenant_id, status, error) values ($1, 'failed', $2)
     on conflict (tenant_id) do update set status = excluded.status, error = excluded.error`,
    [tx.tenantId, error],
  );
}

/** Returns the number of tenants whose last export failed, by reason. Needs a system transaction. */
export async function countFailedExports(
  tx: Tx,
): Promise<readonly { readonly error: string; readonly tenants: number }[]> {
  return tx.query(
    `select coalesce(error, 'failed') as error, count(*)::int as tenants
     from arbiter.export_checkpoints where status = 'failed' group by 1`,
  );
}

/** Customers whom files may still name, as hash in hex, with the instant up to which. */
export async function selectErasures(tx: Tx): Promise<{ readonly hash: string; readonly erasedAt: Date }[]> {
  return tx.query<{ hash: string; erasedAt: Date }>(
    `select encode(customer_hash, 'hex') as hash, erased_at as "erasedAt" from arbiter.export_erasures where tenant_id = $1`,
    [tx.tenantId],
  );
}

export async function insertErasure(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    `insert into arbiter.export_erasures (tenant_id, customer_hash, erased_at) values ($1, $2, $3)
     on conflict (tenant_id, customer_hash) do update set erased_at = excluded.erased_at`,
    [tx.tenantId, hash, tx.now],
  );
}

/** Forgets erasures that files reflect; one that was repeated in the meantime stays. */
export async function deleteErasure(tx: Tx, hash: string, erasedAt: Date): Promise<void> {
  await tx.query(
    `delete from arbiter.export_erasures where tenant_id = $1 and customer_hash = decode($2, 'hex') and erased_at = $3`,
    [tx.tenantId, hash, erasedAt],
  );
}

/** Returns the id below which all history is exported; null before the first export. */
export async function exportedBelow(tx: Tx): Promise<string | null> {
  const [row] = await select(tx, checkpoint, 'from arbiter.export_checkpoints where tenant_id = $1', [tx.tenantId]);
  return row?.lowId ?? null;
}

/** Keeps restored rows from being exported again. */
export async function forgetLateRows(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query('delete from arbiter.export_late_rows where tenant_id = $1 and row_id = any($2::uuid[])', [
    tx.tenantId,
    uuidArray(ids),
  ]);
}
