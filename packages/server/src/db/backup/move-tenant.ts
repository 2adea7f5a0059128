import type pg from 'pg';
import { BackupError } from './backup-file.ts';
import { findTenant, type TenantOfBackup } from './contents.ts';
import { withAdmin } from './restore-database.ts';

export interface MovedTenant {
  readonly tenant: TenantOfBackup;
  /** Activates the tenant again, because its backup failed. */
  takeBack(): Promise<void>;
}

/**
 * Finds the tenant to back up, by id or by its name in the operator's files, and deactivates it if it's to be moved: its
 * credentials stop working. Throws BackupError if no active tenant has this id or name.
 */
export async function moveTenantOut(adminUrl: string, idOrName: string, isMoved: boolean): Promise<MovedTenant> {
  const setDeleted = (id: string, to: 'now()' | 'null') =>
    withAdmin(adminUrl, async (client) => {
      await client.query('begin');
      await client.query(`update arbiter.tenants set deleted_at = ${to} where id = $1`, [id]);
      await announce(client, id);
      await client.query('commit');
    });
  const found = await withAdmin(adminUrl, (client) => findTenant(client, idOrName));
  if (found === null) throw new BackupError(`There is no active tenant with the ID or name ${idOrName}`);
  if (isMoved) await setDeleted(found.id, 'now()');
  return {
    tenant: { ...found, isMoved },
    takeBack: async () => {
      if (isMoved) await setDeleted(found.id, 'null');
    },
  };
}

/** Lets servers forget what they know of the tenant's credentials. On a cluster, the table's trigger runs where nobody listens. */
export async function announce(client: pg.ClientBase, tenantId: string): Promise<void> {
  await client.query(`select pg_notify('arbiter_credentials', $1)`, [tenantId]);
}
