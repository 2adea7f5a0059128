import {
  type ConnectorCategory,
  type ConnectorReason,
  connectorResource,
  connectorTypeInfo,
  connectorTypeNames,
} from '@arbiter/contract';
import type { SqlBool } from 'kysely';
import { uuidArray } from '../../../db/index.ts';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';
import type { ConnectorValues } from './secrets.rules.ts';

/** Numbers beyond 32 bits, and types of JSON columns. */
type StoredConnector = { config: ConnectorValues; lastSyncRowCount: number | null };

export type ConnectorRow = RecordRow<typeof connectorResource, StoredConnector>;

export const connectorSpec = recordSpec<typeof connectorResource, StoredConnector>(connectorResource, {
  unaudited: ['lastTestedAt', 'lastError', 'lastSyncAt', 'lastSyncRowCount'],
});

/** Condition of a list: connectors whose type is in a category. */
export const ofCategory = (category: ConnectorCategory) =>
  sql<SqlBool>`type = any(${connectorTypeNames.filter((type) => connectorTypeInfo(type).category === category)}::text[])`;

/** Names of the credentials that these connectors have, by connector. */
export async function selectAuthFields(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const rows = await tx.query<{ id: string; names: string[] }>(
    `select connector_id as id, names from arbiter.connector_secrets
     where tenant_id = $1 and connector_id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, names }) => [id, names]));
}

/** The sealed credentials of a connector. Undefined if it has none. */
export async function selectSealed(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(
    'select sealed from arbiter.connector_secrets where tenant_id = $1 and connector_id = $2',
    [tx.tenantId, id],
  );
  return row?.sealed;
}

/** Replaces the sealed credentials. */
export async function replaceSealed(tx: Tx, id: string, sealed: Buffer, names: readonly string[]): Promise<void> {
  await tx.query(
    `insert into arbiter.connector_secrets (tenant_id, connector_id, sealed, names) values ($1, $2, $3, $4)
     on conflict (tenant_id, connector_id) do update set sealed = excluded.sealed, names = excluded.names`,
    [tx.tenantId, id, sealed, names],
  );
}

/** Removes the sealed credentials. */
export async function deleteSealed(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.connector_secrets where tenant_id = $1 and connector_id = $2', [tx.tenantId, id]);
}

/** Notes a test at the connector. */
export async function updateTested(tx: Tx, id: string, lastError: ConnectorReason | null): Promise<void> {
  await tx.query(
    'update arbiter.connectors set last_tested_at = $3, last_error = $4 where tenant_id = $1 and id = $2',
    [tx.tenantId, id, tx.now, lastError],
  );
}

/** Notes how many rows were read. */
export async function updateSynced(tx: Tx, id: string, rowCount: number): Promise<void> {
  await tx.query(
    'update arbiter.connectors set last_sync_at = $3, last_sync_row_count = $4 where tenant_id = $1 and id = $2',
    [tx.tenantId, id, tx.now, rowCount],
  );
}
