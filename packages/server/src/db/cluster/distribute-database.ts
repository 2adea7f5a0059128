import pg from 'pg';
import { ConfigError } from '../../config.ts';
import { closeClient, connectionConfig } from '../connections/connection.ts';
import { takeLock } from '../migrate.ts';
import { assertLogin, loginOf } from '../roles/role-names.ts';
import { ensureRoles } from '../roles/roles.ts';
import {
  assertNobodyConnected,
  distributeTables,
  dropLocalRows,
  hasLocalRows,
  letConnect,
  prepareWorkers,
  type TableSize,
  undistributedTables,
} from './distribute.ts';
import { assertUsable, readNodes, withoutPropagation } from './nodes.ts';

export interface DistributeOptions {
  /** URL of a superuser on the coordinator. */
  readonly adminUrl: string;
  /** The application's URL. */
  readonly url: string;
  /** Only returns the tables. */
  readonly isDryRun: boolean;
  readonly onProgress?: (message: string) => void;
}

/**
 * Moves the rows of every tenant from the coordinator to the workers of its cluster, table by table. Returns the tables
 * that it moved, or would move. Each table is one transaction, so after a failure another call continues. Throws
 * ConfigError, before any change, for a database without workers, a cluster that can't be used, and while servers run.
 */
export async function distributeDatabase(options: DistributeOptions): Promise<readonly TableSize[]> {
  const { adminUrl, url, isDryRun } = options;
  assertLogin('DATABASE_ADMIN_URL', adminUrl);
  assertLogin('DATABASE_URL', url);
  const admin = new pg.Client(
    connectionConfig({ url: adminUrl, applicationName: 'arbiter distribute', connectTimeoutMs: 5_000 }),
  );
  // A lost connection also fails the statement in flight, and that failure is reported.
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await admin.query('set statement_timeout = 0; set lock_timeout = 0');
    await takeLock(admin, options);
    const nodes = await readNodes(admin);
    if (nodes === null) {
      throw new ConfigError([
        'The database has no Citus workers. Install the extension and add workers (citus_add_node), as in section 6 of docs/guides/scaling.md, then run arbiter distribute again.',
      ]);
    }
    await assertUsable(admin, adminUrl, nodes);
    const { rows } = await admin.query(`select from pg_class where oid = to_regclass('arbiter.tenants')`);
    if (rows.length === 0)
      throw new ConfigError(['The database has no schema yet. Run arbiter migrate, which also distributes it.']);
    const tables = await undistributedTables(admin);
    if (isDryRun) return tables;
    // A call that was interrupted at its end left the coordinator's copies.
    if (tables.length === 0 && !(await hasLocalRows(admin))) return tables;
    const login = loginOf(url);
    await assertNobodyConnected(admin, login.name);
    await admin.query(withoutPropagation);
    await prepareWorkers(adminUrl, nodes, login);
    await ensureRoles(admin, login);
    await letConnect(admin);
    await admin.query('set citus.enable_ddl_propagation = on');
    await distributeTables(admin, options.onProgress);
    await dropLocalRows(admin);
    return tables;
  } finally {
    // Ends the session, and with it the lock.
    await closeClient(admin);
  }
}
