import type { NotificationKind } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { DestinationConfig } from './config.rules.ts';

const providerColumns = columns(
  table<'notification_providers', { kind: NotificationKind; config: DestinationConfig }>('notification_providers'),
  [
    'id',
    'kind',
    'name',
    'enabled',
    'config',
    'configSummary',
    'lastOk',
    'lastAt',
    'lastError',
    'createdAt',
    'updatedAt',
  ],
);

export type ProviderRow = RowOf<typeof providerColumns>;

/** The newest destinations, behind the one with this id. */
export async function selectProviders(tx: Tx, before: string | null, most: number): Promise<ProviderRow[]> {
  return select(
    tx,
    providerColumns,
    'from arbiter.notification_providers where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3',
    [tx.tenantId, before, most],
  );
}

export async function countProviders(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.notification_providers where tenant_id = $1',
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

/** Undefined for an ID that isn't a destination of the tenant. `lock`: until the transaction ends. */
export async function selectProvider(tx: Tx, id: string, lock = false): Promise<ProviderRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(
    tx,
    providerColumns,
    `from arbiter.notification_providers where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
    [tx.tenantId, id],
  );
  return row;
}

/** Returns those of the ids that are destinations of the tenant. */
export async function providersAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    'select id from arbiter.notification_providers where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** IDs of the tenant's destinations that are on, oldest first. */
export async function enabledProviders(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from arbiter.notification_providers where tenant_id = $1 and enabled order by id',
    [tx.tenantId],
  );
  return rows.map(({ id }) => id);
}

export async function insertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  await tx.query(
    `insert into arbiter.notification_providers (tenant_id, id, kind, name, enabled, config, config_summary, created_at,
       updated_at) values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $8)`,
    [
      tx.tenantId,
      row.id,
      row.kind,
      row.name,
      row.enabled,
      JSON.stringify(row.config),
      row.configSummary,
      row.createdAt,
    ],
  );
}

export async function updateProvider(tx: Tx, row: ProviderRow): Promise<void> {
  await tx.query(
    `update arbiter.notification_providers set name = $3, enabled = $4, config = $5::jsonb, config_summary = $6,
       updated_at = $7 where tenant_id = $1 and id = $2`,
    [tx.tenantId, row.id, row.name, row.enabled, JSON.stringify(row.config), row.configSummary, row.updatedAt],
  );
}

/** Notes the result of a message. */
export async function updateLastResult(tx: Tx, id: string, error: string | null): Promise<void> {
  await tx.query(
    `update arbiter.notification_providers set last_ok = $3, last_at = $4, last_error = $5
      where tenant_id = $1 and id = $2 and (last_at is null or last_at <= $4)`,
    [tx.tenantId, id, error === null, tx.now, error],
  );
}

export async function deleteProvider(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.notification_secrets where tenant_id = $1 and provider_id = $2', [
    tx.tenantId,
    id,
  ]);
  await tx.query('delete from arbiter.notification_providers where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}

/** The sealed secrets of a destination; undefined when it has none. */
export async function selectSealed(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(
    'select sealed from arbiter.notification_secrets where tenant_id = $1 and provider_id = $2',
    [tx.tenantId, id],
  );
  return row?.sealed;
}

/** Null removes the secrets. */
export async function replaceSealed(tx: Tx, id: string, sealed: Buffer | null): Promise<void> {
  if (sealed === null) {
    await tx.query('delete from arbiter.notification_secrets where tenant_id = $1 and provider_id = $2', [
      tx.tenantId,
      id,
    ]);
    return;
  }
  await tx.query(
    `insert into arbiter.notification_secrets (tenant_id, provider_id, sealed) values ($1, $2, $3)
     on conflict (tenant_id, provider_id) do update set sealed = excluded.sealed`,
    [tx.tenantId, id, sealed],
  );
}
