import { columns, computed, expression, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';

const pieceName = computed({ name: expression<string>("encode(hash, 'hex')") });

/** Body of a plan by its hash; null when the tenant has none. */
export async function findPlanBody(tx: Tx, hash: Buffer): Promise<Buffer | null> {
  const body = columns(table('plans'), ['body']);
  const [row] = await select(tx, body, 'from plans where tenant_id = $1 and hash = $2', [tx.tenantId, hash]);
  return row?.body ?? null;
}

/** Bodies of pieces by their hashes in hex; those that are missing are left out. */
export async function findPieces(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await select(
    tx,
    selectList(pieceName, columns(table('plan_pieces'), ['body'])),
    'from plan_pieces where tenant_id = $1 and hash = any($2::bytea[])',
    [tx.tenantId, names.map((name) => Buffer.from(name, 'hex'))],
  );
  return new Map(rows.map(({ name, body }) => [name, body]));
}

/** Returns which of these hashes (hex) are stored. */
export async function knownPieces(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await select(tx, pieceName, 'from plan_pieces where tenant_id = $1 and hash = any($2::bytea[])', [
    tx.tenantId,
    names.map((name) => Buffer.from(name, 'hex')),
  ]);
  return new Set(rows.map(({ name }) => name));
}

/** Stores pieces; those that another node was quicker with stay as they are. */
export async function insertPieces(
  tx: Tx,
  pieces: readonly { readonly hash: Buffer; readonly body: Buffer }[],
): Promise<void> {
  await tx.query(
    `insert into plan_pieces (tenant_id, hash, body, created_at, stored_at)
     select $1, u.hash, u.body, $4, $4 from unnest($2::bytea[], $3::bytea[]) as u(hash, body) order by u.hash
     on conflict do nothing`,
    [tx.tenantId, pieces.map(({ hash }) => hash), pieces.map(({ body }) => body), tx.now],
  );
}

/** Marks these pieces (hex) as used by a stored plan. Those already marked today don't change. */
export async function touchPieces(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query(
    `update plan_pieces p set stored_at = $3 from (
       select hash from plan_pieces
       where tenant_id = $1 and hash = any($2::bytea[]) and stored_at < $3::timestamptz - interval '1 day'
       order by hash for update) old
     where p.tenant_id = $1 and p.hash = old.hash`,
    [tx.tenantId, names.map((name) => Buffer.from(name, 'hex')), tx.now],
  );
}

/** Stores a plan that a catalogue of this version decides with, or marks the stored one. */
export async function insertPlan(tx: Tx, hash: Buffer, body: Buffer, version: number): Promise<void> {
  await tx.query(
    `insert into plans as known (tenant_id, hash, body, created_at, stored_at, config_version)
     values ($1, $2, $3, $4, $4, $5)
     on conflict (tenant_id, hash) do update set
       stored_at = greatest(known.stored_at, excluded.stored_at),
       config_version = greatest(known.config_version, excluded.config_version), retired_at = null`,
    [tx.tenantId, hash, body, tx.now, version],
  );
}

/** Held by everyone who stores plans, so that pieces they rely on aren't deleted. */
export async function keepPieces(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('arbiter.plans:' || $1, 0))`, [tx.tenantId]);
}
