import { catalogueVersionOf, type Tx } from '../../../db/index.ts';

/**
 * Plans, pieces and read sets live as long as a record may name them. No index tells which are named, and none is
 * needed: batches decide only with the newest catalogue, so no record names an older version's plans after the moment
 * that's noticed (`retired_at`), except for running batches. Once the tenant's oldest record is more than a day younger
 * than that moment, no record names it.
 */
const graceDays = 1;
/** Rows of one transaction, so that what waits for them waits for nothing long. */
const rowsPerSlice = 500;

const storedFor = ['plans', 'read_sets'] as const;

/** Marks plans that no process uses now, because a newer catalogue exists without them. */
export async function retirePlans(tx: Tx): Promise<boolean> {
  for (const table of storedFor) {
    await tx.query(
      `update ${table} set retired_at = $2
       where tenant_id = $1 and retired_at is null and config_version < ${catalogueVersionOf('$1')}`,
      [tx.tenantId, tx.now],
    );
  }
  return false;
}

/**
 * Deletes plans and read sets that no record names, the oldest record being of `oldest`, except the plans in use elsewhere.
 * True when there may be more.
 */
export async function expirePlans(tx: Tx, oldest: Date, inUse: readonly Buffer[]): Promise<boolean> {
  let more = false;
  for (const table of storedFor) {
    const isPlans = table === 'plans';
    const key = isPlans ? 'hash' : 'id';
    const isUnused = isPlans ? 'and hash <> all($5::bytea[])' : '';
    const [row] = await tx.query<{ deleted: number }>(
      `with due as (
         select ${key} as key from ${table}
         where tenant_id = $1 and retired_at < $2::timestamptz - make_interval(days => $3) ${isUnused} order by key limit $4
         for update skip locked),
       gone as (
         delete from ${table} t using due where t.tenant_id = $1 and t.${key} = due.key
           and t.retired_at < $2::timestamptz - make_interval(days => $3) returning 1)
       select count(*) as deleted from gone`,
      [tx.tenantId, oldest, graceDays, rowsPerSlice, ...(isPlans ? [inUse] : [])],
    );
    more ||= row?.deleted === rowsPerSlice;
  }
  return more;
}

/**
 * Deletes pieces that no plan names: those last marked as in use well before any stored plan. Waits for transactions
 * that store plans, and they wait for it. Returns true when there may be more.
 */
export async function expirePieces(tx: Tx): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.plans:' || $1, 0))`, [tx.tenantId]);
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select hash from plan_pieces
       where tenant_id = $1 and stored_at < coalesce((select min(stored_at) from plans where tenant_id = $1), $2::timestamptz)
         - make_interval(days => 1 + $3)
       order by hash limit $4),
     gone as (delete from plan_pieces p using due where p.tenant_id = $1 and p.hash = due.hash returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, tx.now, graceDays, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
