import type { Database } from './database.ts';
import type { Tx } from './tx.ts';

/** Reads catalogue versions. A transaction that changed a catalogue raises its version at the end (transaction.ts). */

/**
 * SQL for the newest version of the tenant's catalogue, 0 before the first change. `tenantId` is a parameter such as
 * `$1`.
 */
export const catalogueVersionOf = (tenantId: string): string =>
  `coalesce((select version from catalogue_versions where tenant_id = ${tenantId}), 0)`;

/** Returns the current catalogue version of the transaction's tenant; 0 before the first change. */
export async function readCatalogueVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: number }>(`select ${catalogueVersionOf('$1')} as version`, [tx.tenantId]);
  return Number(row?.version ?? 0);
}

/**
 * Like `readCatalogueVersion`, and keeps other transactions of the tenant from raising the version until this one ends.
 * Call it last, in `beforeCommit`: everyone who changes the catalogue waits from here on.
 */
export async function lockCatalogueVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    'select version from catalogue_versions where tenant_id = $1 for update',
    [tx.tenantId],
  );
  return Number(row?.version ?? 0);
}

/** Returns the newest catalogue version of any tenant; 0 before the first change. */
export async function readNewestCatalogueVersion(database: Pick<Database, 'withSystem'>): Promise<number> {
  const [row] = await database.withSystem('start', (tx) =>
    tx.query<{ newest: number }>('select coalesce(max(version), 0) as newest from catalogue_versions'),
  );
  return row?.newest ?? 0;
}

/** A tenant that has a catalogue. */
export interface UsedTenant {
  readonly id: string;
  readonly usedAt: Date | null;
}

/**
 * Returns up to `most` tenants that have a catalogue: those used last first, then those that were never used, by their
 * latest change. `lastUse`: SQL of a subquery of one row, `at` and `amount`, for the tenant `v.tenant_id`. Needs a
 * system transaction.
 */
export async function tenantsUsedLast(tx: Tx, lastUse: string, most: number): Promise<UsedTenant[]> {
  return tx.query<UsedTenant>(
    `select v.tenant_id as id, used.at as "usedAt"
     from catalogue_versions v left join lateral (${lastUse}) used on true
     order by used.at desc nulls last, used.amount desc, v.updated_at desc, v.tenant_id limit $1`,
    [most],
  );
}
