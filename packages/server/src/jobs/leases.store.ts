import { columns, computed, expression, select, selectList, table } from '../db/columns.ts';
import type { Tx } from '../db/index.ts';

/** The `tenant_id` of rows of the machinery that belong to no tenant. */
export const installation = '00000000-0000-0000-0000-000000000000';

/**
 * How long a lease lasts without renewal. It's renewed every few seconds, so another process can take it within 30 s
 * after its holder ended (docs/design/quality.md 2, background work).
 */
export const leaseSeconds = 20;

/** Begins the names of the leases of workers that live. */
export const workerLease = 'worker:';

const leases = table<'leases', { token: number }>('leases');
const standingLease = selectList(
  columns(leases, ['holder', 'token']),
  computed<{ secondsLeft: number }>({
    secondsLeft: expression('extract(epoch from expires_at - clock_timestamp())::float8'),
  }),
);

/** The right of one process to do work that only one process may do at a time. */
export interface Lease {
  readonly name: string;
  /** The process that has it. */
  readonly holder: string;
  /** Higher for each new holder, and when a holder regains a lost lease. */
  readonly token: number;
}

/** A lease with more seconds left than this is not renewed yet, which saves a write. */
const renewedBelowSeconds = 14;

/**
 * SQL: whether the lease is held. One that expires later than any lease can was taken while the database's clock was
 * ahead, so it's over.
 */
const isStanding = `l.expires_at > clock_timestamp() and l.expires_at <= clock_timestamp() + make_interval(secs => $4)`;

/**
 * Takes a lease, or renews it for its holder; null while another process holds it. Expiry is judged by the database's
 * clock. To be called in a system transaction, every few seconds.
 */
export async function takeLease(tx: Tx, name: string, holder: string): Promise<Lease | null> {
  const [standing] = await select(tx, standingLease, 'from arbiter.leases where tenant_id = $1 and name = $2', [
    installation,
    name,
  ]);
  if (standing !== undefined && standing.secondsLeft > 0 && standing.secondsLeft <= leaseSeconds) {
    if (standing.holder !== holder) return null;
    if (standing.secondsLeft > renewedBelowSeconds) return { name, holder, token: standing.token };
  }
  const [row] = await tx.query<{ token: number }>(
    `insert into arbiter.leases as l (tenant_id, name, holder, token, expires_at)
     values ($1, $2, $3, 1, clock_timestamp() + make_interval(secs => $4))
     on conflict (tenant_id, name) do update
       set holder = excluded.holder, expires_at = excluded.expires_at,
           token = l.token + case when ${isStanding} then 0 else 1 end
       where l.holder = excluded.holder or not (${isStanding})
     returning token`,
    [installation, name, holder, leaseSeconds],
  );
  return row === undefined ? null : { name, holder, token: row.token };
}

/** Releases a lease, so that other processes need not wait until it runs out. Does nothing when another process holds it by now. */
export async function releaseLease(tx: Tx, lease: Lease): Promise<void> {
  await tx.query(
    `update arbiter.leases set expires_at = clock_timestamp()
     where tenant_id = $1 and name = $2 and holder = $3 and token = $4`,
    [installation, lease.name, lease.holder, lease.token],
  );
}

/** True while the lease is the holder's. */
export async function holdsLease(tx: Tx, lease: Lease): Promise<boolean> {
  const [row] = await tx.query<{ held: boolean }>(
    `select exists (select from arbiter.leases where tenant_id = $1 and name = $2 and holder = $3 and token = $4
       and expires_at > clock_timestamp()) as held`,
    [installation, lease.name, lease.holder, lease.token],
  );
  return row?.held === true;
}

/** Returns the holders of leases whose name starts with `prefix`. */
export async function selectHolders(tx: Tx, prefix: string): Promise<string[]> {
  const rows = await select(
    tx,
    columns(leases, ['holder']),
    `from arbiter.leases
     where tenant_id = $1 and starts_with(name, $2) and expires_at > clock_timestamp()`,
    [installation, prefix],
  );
  return rows.map(({ holder }) => holder);
}

/** Deletes expired leases whose name starts with `prefix`. Their tokens restart at 1. */
export async function forgetLeases(tx: Tx, prefix: string): Promise<void> {
  await tx.query(
    'delete from arbiter.leases where tenant_id = $1 and starts_with(name, $2) and expires_at < clock_timestamp()',
    [installation, prefix],
  );
}
