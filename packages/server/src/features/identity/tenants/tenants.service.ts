import type { Tenant, TenantStatus } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { OnTenantCreated } from '../../../feature.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { readSettings } from '../settings/index.ts';
import {
  insertTenant,
  lockTenant,
  selectAnyTenant,
  selectIdByBootstrapName,
  selectQuotaUsed,
  selectTenant,
  type TenantRow,
  updateName,
} from './tenants.store.ts';

/** Decisions that a playground may make in all. */
export const playgroundQuota = 5000;

export interface NewTenant {
  readonly name: string;
  readonly isPlayground: boolean;
  /** Name by which the operator's file finds it again; null for tenants that are not the operator's. */
  readonly bootstrapName: string | null;
}

/**
 * Creates the tenant of the transaction: open it with `withTenant` on a new id. The hooks run in the order given.
 */
export async function createTenant(tx: Tx, wanted: NewTenant, hooks: readonly OnTenantCreated[]): Promise<void> {
  const row = { id: tx.tenantId, name: wanted.name, isPlayground: wanted.isPlayground, createdAt: tx.now };
  await insertTenant(tx, row, wanted.bootstrapName);
  await recordAudit(tx, {
    action: 'create',
    entityType: 'tenant',
    entityId: row.id,
    entityName: row.name,
    after: row,
  });
  for (const hook of hooks) await hook(tx);
}

/** Finds a tenant by its name in the bootstrap file, or by its ID. Returns its ID; null without a match. */
export async function findOperatorTenant(database: Database, name: string): Promise<string | null> {
  return (await database.withSystem('bootstrap', (tx) => selectIdByBootstrapName(tx, name))) ?? null;
}

/** True when there is any tenant; a database without one gets the demo (docs/design/api-access.md 5.1). */
export async function hasTenants(database: Database): Promise<boolean> {
  return database.withSystem('start', selectAnyTenant);
}

const tenantNotFound = () => new AppError('not_found', { detail: 'This tenant does not exist.' });

async function showTenant(tx: Tx, row: TenantRow): Promise<Tenant> {
  const { timezone } = await readSettings(tx);
  return { ...row, timezone, createdAt: row.createdAt.toISOString() };
}

/** The caller's tenant. */
export async function getTenant(tx: Tx): Promise<Tenant> {
  const row = await selectTenant(tx);
  if (row === undefined) throw tenantNotFound();
  return showTenant(tx, row);
}

/** True while the tenant of the transaction exists. */
export async function isLivingTenant(tx: Tx): Promise<boolean> {
  return (await selectTenant(tx)) !== undefined;
}

/** Changes the display label; isolation and routing do not depend on it. */
export async function renameTenant(tx: Tx, name: string): Promise<Tenant> {
  const before = await lockTenant(tx);
  if (before === undefined) throw tenantNotFound();
  const after = { ...before, name };
  await updateName(tx, name);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'tenant',
    entityId: after.id,
    entityName: after.name,
    before,
    after,
  });
  return showTenant(tx, after);
}

/** State of the tenant; the quota is null unless the tenant is a playground (docs/design/api-access.md 5.3). */
export async function readTenantStatus(
  tx: Tx,
  facts: { readonly isDemoMode: boolean; readonly hasData: boolean },
): Promise<TenantStatus> {
  const row = await selectTenant(tx);
  if (row === undefined) throw tenantNotFound();
  const used = row.isPlayground ? ((await selectQuotaUsed(tx)) ?? 0) : null;
  return {
    tenantId: row.id,
    isPlayground: row.isPlayground,
    ...facts,
    quotaUsed: used,
    quotaLimit: used === null ? null : playgroundQuota,
    quotaRemaining: used === null ? null : Math.max(0, playgroundQuota - used),
    quotaExceeded: used === null ? null : used >= playgroundQuota,
  };
}
