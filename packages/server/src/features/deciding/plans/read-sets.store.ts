import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';

/** Number of the read set with this hash: the one that is stored, or a new one. A catalogue of this version decides with it. */
export async function storeReadSet(tx: Tx, hash: Buffer, names: string, version: number): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into read_sets as known (tenant_id, hash, names, config_version) values ($1, $2, $3::jsonb, $4)
     on conflict (tenant_id, hash) do update
       set config_version = greatest(known.config_version, excluded.config_version), retired_at = null
     returning id`,
    [tx.tenantId, hash, names, version],
  );
  return Number(row!.id);
}

/** Names of a read set, as they are stored; null when the tenant has none of this number. */
export async function findReadSet(tx: Tx, id: number): Promise<unknown> {
  const names = columns(table('read_sets'), ['names']);
  const [row] = await select(tx, names, 'from read_sets where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return row?.names ?? null;
}
