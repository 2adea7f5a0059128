import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type HotStatement, readCatalogueVersion } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';

const tenants = table('tenants');
const tenantColumns = columns(tenants, ['id', 'name', 'isPlayground', 'createdAt']);

export type TenantRow = RowOf<typeof tenantColumns>;

/** The tenant of the transaction. */
export async function selectTenant(tx: Tx): Promise<TenantRow | undefined> {
  const [row] = await select(tx, tenantColumns, 'from arbiter.tenants where id = $1 and deleted_at is null', [
    tx.tenantId,
  ]);
  return row;
}

export async function lockTenant(tx: Tx): Promise<TenantRow | undefined> {
  const [row] = await select(
    tx,
    tenantColumns,
    'from arbiter.tenants where id = $1 and deleted_at is null for update',
    [tx.tenantId],
  );
  return row;
}

export async function insertTenant(tx: Tx, row: TenantRow, bootstrapName: string | null): Promise<void> {
  await tx.query(
    'insert into arbiter.tenants (id, name, is_playground, bootstrap_name, created_at) values ($1, $2, $3, $4, $5)',
    [row.id, row.name, row.isPlayground, bootstrapName, row.createdAt],
  );
  if (row.isPlayground) await tx.query('insert into arbiter.playground_quotas (tenant_id) values ($1)', [row.id]);
}

export async function updateName(tx: Tx, name: string): Promise<void> {
  await tx.query('update arbiter.tenants set name = $2 where id = $1', [tx.tenantId, name]);
}

/** Decisions that the playground of the transaction has used up; null for other tenants. */
export async function selectQuotaUsed(tx: Tx): Promise<number | null> {
  const used = columns(table('playground_quotas'), ['used']);
  const [row] = await select(tx, used, 'from arbiter.playground_quotas where tenant_id = $1', [tx.tenantId]);
  return row?.used ?? null;
}

/** Sets the counter to 0, and notes which version of the catalogue is the first one after the reset. */
export async function resetQuota(tx: Tx): Promise<void> {
  const next = (await readCatalogueVersion(tx)) + 1;
  await tx.query('update arbiter.playground_quotas set used = 0, reset_version = $2 where tenant_id = $1', [
    tx.tenantId,
    next,
  ]);
}

/** The first version of the catalogue after the last reset; 0 for a tenant that was never reset. */
export async function selectResetVersion(tx: Tx): Promise<number> {
  const version = columns(table('playground_quotas'), ['resetVersion']);
  const [row] = await select(tx, version, 'from arbiter.playground_quotas where tenant_id = $1', [tx.tenantId]);
  return Number(row?.resetVersion ?? 0);
}

/**
 * Reads how many decisions a playground has used up, and which version of the catalogue is the first after its last reset. `hold`: and keeps others from raising it until the commit. */
export const readQuota = (tenantId: string, hold: boolean): HotStatement => ({
  name: hold ? 'tenants.quota.hold' : 'tenants.quota.read',
  text: `select used, reset_version from playground_quotas where tenant_id = $1${hold ? ' for update' : ''}`,
  values: [tenantId],
});

/** Adds decisions to those that a playground has used up; changes nothing when they would be more than `most`. */
export const raiseQuota = (tenantId: string, decisions: number, most: number): HotStatement => ({
  name: 'tenants.quota.raise',
  text: 'update playground_quotas set used = used + $2::integer where tenant_id = $1 and used + $2::integer <= $3::integer',
  values: [tenantId, decisions, most],
});

/** SQL: joins the tenant of a row, when it was not deleted. `tenantId` is the row's column, such as `k.tenant_id`. */
export const joinLivingTenant = (tenantId: string): string =>
  `join arbiter.tenants living on living.id = ${tenantId} and living.deleted_at is null`;

/** IDs of all tenants that were not deleted, oldest first. Needs a system transaction. */
export async function selectTenantIds(tx: Tx): Promise<string[]> {
  const rows = await select(tx, columns(tenants, ['id']), 'from arbiter.tenants where deleted_at is null order by id');
  return rows.map((row) => row.id);
}

/** The same with their names. Needs a system transaction. */
export async function selectTenantNames(tx: Tx): Promise<Pick<TenantRow, 'id' | 'name'>[]> {
  return select(tx, columns(tenants, ['id', 'name']), 'from arbiter.tenants where deleted_at is null order by id');
}

/** Finds a tenant by the operator's name for it, or by its ID. Returns its ID. Needs a system transaction. */
export async function selectIdByBootstrapName(tx: Tx, name: string): Promise<string | undefined> {
  const [row] = await select(
    tx,
    columns(tenants, ['id']),
    'from arbiter.tenants where (bootstrap_name = $1 or id::text = lower($1)) and deleted_at is null',
    [name],
  );
  return row?.id;
}

/** True when the database holds any tenant at all. Needs a system transaction. */
export async function selectAnyTenant(tx: Tx): Promise<boolean> {
  return (await tx.query('select from arbiter.tenants limit 1')).length > 0;
}
