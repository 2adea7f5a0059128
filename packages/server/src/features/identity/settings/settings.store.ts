import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Overrides } from './settings.rules.ts';

const settingsColumns = columns(table<'tenant_settings', { overrides: Overrides }>('tenant_settings'), [
  'version',
  'overrides',
]);

export type StoredSettings = RowOf<typeof settingsColumns>;

// A tenant that never changed anything has no row: version 1, no overrides.
const untouched: StoredSettings = { version: 1, overrides: {} };

export async function selectSettings(tx: Tx): Promise<StoredSettings> {
  const [row] = await select(tx, settingsColumns, 'from arbiter.tenant_settings where tenant_id = $1', [tx.tenantId]);
  return row ?? untouched;
}

/** The same, with the row locked until the transaction ends, so that two merges cannot lose one another. */
export async function lockSettings(tx: Tx): Promise<StoredSettings> {
  await tx.query(
    `insert into arbiter.tenant_settings (tenant_id, version, overrides, updated_at) values ($1, 1, '{}', $2)
     on conflict (tenant_id) do nothing`,
    [tx.tenantId, tx.now],
  );
  const [row] = await select(tx, settingsColumns, 'from arbiter.tenant_settings where tenant_id = $1 for update', [
    tx.tenantId,
  ]);
  return row ?? untouched;
}

export async function updateSettings(tx: Tx, settings: StoredSettings): Promise<void> {
  await tx.query(
    'update arbiter.tenant_settings set version = $2, overrides = $3, updated_at = $4 where tenant_id = $1',
    [tx.tenantId, settings.version, JSON.stringify(settings.overrides), tx.now],
  );
}
