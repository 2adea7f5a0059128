import { bytesArray, type Tx } from '../../../db/index.ts';

/** Those of the keys, by their hashes, that were imported before, in hex. */
export async function findImported(tx: Tx, hashes: readonly Buffer[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ hash: string }>(
    `select encode(key_hash, 'hex') as hash from import_keys where tenant_id = $1 and key_hash = any($2::bytea[])`,
    [tx.tenantId, bytesArray(hashes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Stores keys permanently, and returns the new ones in hex. */
export async function noteImported(tx: Tx, hashes: readonly Buffer[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ hash: string }>(
    `insert into import_keys (tenant_id, key_hash) select $1, u.hash from unnest($2::bytea[]) as u(hash) order by u.hash
     on conflict do nothing returning encode(key_hash, 'hex') as hash`,
    [tx.tenantId, bytesArray(hashes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}
