import type { Tx } from '../../db/index.ts';

/** Body of a plan by its hash; null when the tenant has none. */
export async function findPlanBody(tx: Tx, hash: Buffer): Promise<Buffer | null> {
  const [row] = await tx.query<{ body: Buffer }>('select body from plans where tenant_id = $1 and hash = $2', [
    tx.tenantId,
    hash,
  ]);
  return row?.body ?? null;
}

/** Bodies of pieces by their hashes in hex; those that are missing are left out. */
export async function findPieces(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await tx.query<{ name: string; body: Buffer }>(
    `select encode(hash, 'hex') as name, body from plan_pieces where tenant_id = $1 and hash = any($2::bytea[])`,
    [tx.tenantId, names.map((name) => Buffer.from(name, 'hex'))],
  );
  return new Map(rows.map(({ name, body }) => [name, body]));
}

/** Which of these hashes (hex) are stored. */
export async function knownPieces(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await tx.query<{ name: string }>(
    `select encode(hash, 'hex') as name from plan_pieces where tenant_id = $1 and hash = any($2::bytea[])`,
    [tx.tenantId, names.map((name) => Buffer.from(name, 'hex'))],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Stores pieces; those that another node was quicker with stay as they are. */
export async function insertPieces(
  tx: Tx,
  pieces: readonly { readonly hash: Buffer; readonly body: Buffer }[],
): Promise<void> {
  await tx.query(
    `insert into plan_pieces (tenant_id, hash, body, created_at)
     select $1, u.hash, u.body, $4 from unnest($2::bytea[], $3::bytea[]) as u(hash, body) order by u.hash
     on conflict do nothing`,
    [tx.tenantId, pieces.map(({ hash }) => hash), pieces.map(({ body }) => body), tx.now],
  );
}

export async function insertPlan(tx: Tx, hash: Buffer, body: Buffer): Promise<void> {
  await tx.query(
    'insert into plans (tenant_id, hash, body, created_at) values ($1, $2, $3, $4) on conflict do nothing',
    [tx.tenantId, hash, body, tx.now],
  );
}
