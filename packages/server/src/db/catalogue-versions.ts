import type { Database } from './database.ts';
import type { Tx } from './tx.ts';

/** Reading the versions of catalogues; they are raised at the end of the transaction that changed one (transaction.ts). */

/** SQL: the newest version of the tenant's catalogue, 0 before the first change. `tenantId` is a parameter, such as `$1`. */
export const catalogueVersionOf = (tenantId: string): string =>
  `coalesce((select version from catalogue_versions where tenant_id = ${tenantId}), 0)`;

/** The version of the transaction's tenant now; 0 before the first change. */
export async function readCatalogueVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: number }>(`select ${catalogueVersionOf('$1')} as version`, [tx.tenantId]);
  return Number(row?.version ?? 0);
}

/**
 * The same, and no other transaction of the tenant raises it before this one ends. Call it last, in `beforeCommit`: whoever
 * changes the catalogue waits from here on.
 */
export async function lockCatalogueVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    'select version from catalogue_versions where tenant_id = $1 for update',
    [tx.tenantId],
  );
  return Number(row?.version ?? 0);
}

/** The newest version of any tenant's catalogue; 0 before the first change. */
export async function readNewestCatalogueVersion(database: Pick<Database, 'withSystem'>): Promise<number> {
  const [row] = await database.withSystem('start', (tx) =>
    tx.query<{ newest: number }>('select coalesce(max(version), 0) as newest from catalogue_versions'),
  );
  return row?.newest ?? 0;
}

/** The tenants whose catalogues changed last, latest first, at most so many. In a system transaction. */
export async function tenantsChangedLast(tx: Tx, most: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select tenant_id as id from catalogue_versions order by updated_at desc, tenant_id limit $1',
    [most],
  );
  return rows.map(({ id }) => id);
}
