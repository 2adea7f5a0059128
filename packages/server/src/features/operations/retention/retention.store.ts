import type { DataClass } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';

const configColumns = columns(table<'retention_configs', { dataClass: DataClass }>('retention_configs'), [
  'id',
  'dataClass',
  'retentionDays',
  'legalHold',
  'version',
]);

export type RetentionConfig = RowOf<typeof configColumns>;

export async function findConfig(tx: Tx, dataClass: string): Promise<RetentionConfig | null> {
  const [row] = await select(
    tx,
    configColumns,
    'from arbiter.retention_configs where tenant_id = $1 and data_class = $2',
    [tx.tenantId, dataClass],
  );
  return row ?? null;
}

/** The same, held against other changes until the transaction ends, also while there is no row that could be locked. */
export async function lockConfig(tx: Tx, dataClass: string): Promise<RetentionConfig | null> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('retention:' || $1::text || ':' || $2::text, 0))`, [
    tx.tenantId,
    dataClass,
  ]);
  const [row] = await select(
    tx,
    configColumns,
    'from arbiter.retention_configs where tenant_id = $1 and data_class = $2 for update',
    [tx.tenantId, dataClass],
  );
  return row ?? null;
}

/** All of the tenant, by class. */
export async function listConfigs(tx: Tx): Promise<RetentionConfig[]> {
  return select(tx, configColumns, 'from arbiter.retention_configs where tenant_id = $1 order by data_class', [
    tx.tenantId,
  ]);
}

export async function insertConfig(tx: Tx, config: RetentionConfig): Promise<void> {
  await tx.query(
    `insert into retention_configs (tenant_id, id, data_class, retention_days, legal_hold, version, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [tx.tenantId, config.id, config.dataClass, config.retentionDays, config.legalHold, config.version, tx.now],
  );
}

export async function updateConfig(tx: Tx, config: RetentionConfig): Promise<void> {
  await tx.query(
    `update retention_configs set retention_days = $3, legal_hold = $4, version = $5, updated_at = $6
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, config.id, config.retentionDays, config.legalHold, config.version, tx.now],
  );
}

/** Records that data stored before an instant was deleted. */
export async function noteRemoval(tx: Tx, dataClass: DataClass, before: Date): Promise<void> {
  await tx.query(
    `insert into retention_removals as r (tenant_id, data_class, removed_before) values ($1, $2, $3)
     on conflict (tenant_id, data_class) do update set removed_before = excluded.removed_before
       where r.removed_before < excluded.removed_before`,
    [tx.tenantId, dataClass, before],
  );
}

const removal = columns(table('retention_removals'), ['removedBefore']);

/** Returns the instant before which data of a class was deleted; null if none was. */
export async function findRemoval(tx: Tx, dataClass: DataClass): Promise<Date | null> {
  const [row] = await select(tx, removal, 'from arbiter.retention_removals where tenant_id = $1 and data_class = $2', [
    tx.tenantId,
    dataClass,
  ]);
  return row?.removedBefore ?? null;
}
