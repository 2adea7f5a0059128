import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const secretColumns = columns(table('model_secrets'), ['origin', 'sealed']);

/** Returns the sealed secret of a model's endpoint with the origin it was entered for; null for none. */
export async function findSecret(tx: Tx, modelId: string) {
  const [row] = await select(tx, secretColumns, 'from arbiter.model_secrets where tenant_id = $1 and model_id = $2', [
    tx.tenantId,
    modelId,
  ]);
  return row ?? null;
}

export async function putSecret(tx: Tx, modelId: string, origin: string, sealed: Uint8Array): Promise<void> {
  await tx.query(
    `insert into arbiter.model_secrets (tenant_id, model_id, origin, sealed) values ($1, $2, $3, $4)
     on conflict (tenant_id, model_id) do update set origin = excluded.origin, sealed = excluded.sealed`,
    [tx.tenantId, modelId, origin, sealed],
  );
}

export async function deleteSecret(tx: Tx, modelId: string): Promise<void> {
  await tx.query('delete from arbiter.model_secrets where tenant_id = $1 and model_id = $2', [tx.tenantId, modelId]);
}
