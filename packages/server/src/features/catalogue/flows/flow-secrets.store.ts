import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

/** Number under which the values of the draft are kept. */
export const draftVersion = 0;

const flowSecrets = table('flow_secrets');
const secretColumns = columns(flowSecrets, ['nodeId', 'path', 'origin', 'sealed']);

/** A hidden value as it is stored. */
export type SecretRow = RowOf<typeof secretColumns>;

/** The hidden values of one version, or of the draft. */
export async function selectSecrets(tx: Tx, flowId: string, version: number): Promise<SecretRow[]> {
  return select(tx, secretColumns, 'from arbiter.flow_secrets where tenant_id = $1 and flow_id = $2 and version = $3', [
    tx.tenantId,
    flowId,
    version,
  ]);
}

/** Makes these the hidden values of the draft. */
export async function replaceDraftSecrets(tx: Tx, flowId: string, rows: readonly SecretRow[]): Promise<void> {
  await deleteSecrets(tx, flowId, draftVersion);
  if (rows.length === 0) return;
  await tx.query(
    `insert into arbiter.flow_secrets (tenant_id, flow_id, version, node_id, path, origin, sealed)
     select $1, $2, $3, node_id, path, origin, decode(sealed, 'base64')
     from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as given (node_id, path, origin, sealed)`,
    [
      tx.tenantId,
      flowId,
      draftVersion,
      rows.map(({ nodeId }) => nodeId),
      rows.map(({ path }) => path),
      rows.map(({ origin }) => origin),
      rows.map(({ sealed }) => Buffer.from(sealed).toString('base64')),
    ],
  );
}

/** Gives one version the hidden values of another. */
export async function copySecrets(tx: Tx, flowId: string, from: number, to: number): Promise<void> {
  await deleteSecrets(tx, flowId, to);
  await tx.query(
    `insert into arbiter.flow_secrets (tenant_id, flow_id, version, node_id, path, origin, sealed)
     select tenant_id, flow_id, $4, node_id, path, origin, sealed
     from arbiter.flow_secrets where tenant_id = $1 and flow_id = $2 and version = $3`,
    [tx.tenantId, flowId, from, to],
  );
}

async function deleteSecrets(tx: Tx, flowId: string, version: number): Promise<void> {
  await tx.query('delete from arbiter.flow_secrets where tenant_id = $1 and flow_id = $2 and version = $3', [
    tx.tenantId,
    flowId,
    version,
  ]);
}
