import pg from 'pg';
import { ConfigError } from '../../config.ts';
import { closeClient, connectionConfig } from '../connections/connection.ts';

/** A node of a Citus cluster, as its coordinator knows it. */
export interface ClusterNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
  /** True when the node can plan statements for other nodes. */
  readonly hasMetadata: boolean;
  readonly isActive: boolean;
}

/** The versions of Citus that Arbiter is tested with. */
const testedMajor = 13;

/**
 * Returns the nodes of the cluster that the database coordinates, and null for a database without the extension or
 * without workers.
 */
export async function readNodes(client: pg.ClientBase): Promise<readonly ClusterNode[] | null> {
  const { rows: extensions } = await client.query(`select from pg_extension where extname = 'citus'`);
  if (extensions.length === 0) return null;
  const { rows } = await client.query<ClusterNode>(
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator", isactive as "isActive",
            hasmetadata and metadatasynced as "hasMetadata"
       from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  return rows.some(({ isCoordinator }) => !isCoordinator) ? rows : null;
}

/** Returns true when the rows of tenants are distributed over a cluster that this database coordinates. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows: extensions } = await client.query(`select from pg_extension where extname = 'citus'`);
  if (extensions.length === 0) return false;
  const { rows } = await client.query(
    `select from pg_dist_partition where logicalrelid = to_regclass('arbiter.tenants') and partmethod = 'h'`,
  );
  return rows.length > 0;
}

/** Like `isDistributed`, on a connection of its own. */
export const holdsCluster = (url: string): Promise<boolean> => onConnection(url, isDistributed);

/** Throws ConfigError for a worker of a cluster, which lacks the tables of work across tenants. `variable` names the URL. */
export async function assertCoordinator(variable: string, url: string): Promise<void> {
  const isWorker = await onConnection(url, async (client) => {
    const { rows: extensions } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (extensions.length === 0) return false;
    const { rows } = await client.query('select from pg_dist_local_group where groupid <> 0');
    return rows.length > 0;
  });
  if (isWorker) {
    throw new ConfigError([
      `${variable} points to a worker. Use the coordinator of the cluster, and list workers in DATABASE_WORKERS`,
    ]);
  }
}

async function onConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionConfig({ url, applicationName: 'arbiter start' }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await closeClient(client);
  }
}

/** Returns the URL of the same database on another node of the cluster. */
export function urlOfNode(url: string, { host, port }: Pick<ClusterNode, 'host' | 'port'>): string {
  const changed = new URL(url);
  changed.searchParams.delete('host');
  changed.searchParams.delete('port');
  changed.hostname = host;
  changed.port = String(port);
  return changed.href;
}

/** Runs work on each worker in turn, as the owner. Throws ConfigError for a worker that can't be reached. */
export async function onWorkers(
  adminUrl: string,
  nodes: readonly ClusterNode[],
  work: (worker: pg.Client, node: ClusterNode) => Promise<void>,
): Promise<void> {
  for (const node of nodes) {
    if (node.isCoordinator) continue;
    const worker = new pg.Client(
      connectionConfig({ url: urlOfNode(adminUrl, node), applicationName: 'arbiter migrate', connectTimeoutMs: 5_000 }),
    );
    worker.on('error', () => undefined);
    try {
      await worker.connect();
    } catch (error) {
      throw new ConfigError([
        `The worker ${node.host}:${node.port} can't be reached as the user of DATABASE_ADMIN_URL: ${messageOf(error)}. ` +
          'Start it, or remove it from the cluster (citus_remove_node).',
      ]);
    }
    try {
      // Applies to this node only.
      await worker.query(withoutPropagation);
      await work(worker, node);
    } finally {
      await closeClient(worker);
    }
  }
}

/** Keeps Citus from repeating a session's definitions of schemas, tables and roles on other nodes. */
export const withoutPropagation = `set citus.enable_ddl_propagation = off; set citus.enable_create_role_propagation = off;
  set citus.enable_alter_role_propagation = off; set citus.enable_alter_role_set_propagation = off`;

/** Throws ConfigError for a cluster that Arbiter can't use, before anything changes. */
export async function assertUsable(
  client: pg.ClientBase,
  adminUrl: string,
  nodes: readonly ClusterNode[],
): Promise<void> {
  const { rows } = await client.query<{ version: string; group: number; tables: string[] }>(
    `select extversion as version, (select groupid from pg_dist_local_group) as group,
            array(select p.logicalrelid::text from pg_dist_partition p
                    join pg_class c on c.oid = p.logicalrelid join pg_namespace n on n.oid = c.relnamespace
                   where (n.nspname = 'arbiter' or n.nspname ~ '^t_[0-9a-f]{32}$')
                     and (p.partmethod <> 'h' or column_to_column_name(p.logicalrelid, p.partkey)
                            <> case c.relname when 'tenants' then 'id' else 'tenant_id' end
                       or p.colocationid is distinct from (select t.colocationid from pg_dist_partition t
                            where t.logicalrelid = to_regclass('arbiter.tenants')))) as tables
       from pg_extension where extname = 'citus'`,
  );
  const { version = '', group = 0, tables = [] } = rows[0] ?? {};
  if (group !== 0)
    throw new ConfigError(['DATABASE_ADMIN_URL points to a worker. Use the coordinator of the cluster.']);
  if (tables.length > 0) {
    throw new ConfigError([
      `These tables aren't distributed by tenant: ${tables.join(', ')}. ` +
        'Undistribute them (select undistribute_table(...)), then run arbiter migrate again.',
    ]);
  }
  assertMajor('The coordinator', version);
  for (const { host, port, isActive, hasMetadata, isCoordinator } of nodes) {
    if (isCoordinator || (isActive && hasMetadata)) continue;
    throw new ConfigError([
      isActive
        ? `The worker ${host}:${port} has no metadata. Run select start_metadata_sync_to_node('${host}', ${port}) on the coordinator.`
        : `The worker ${host}:${port} is disabled. Run select citus_activate_node('${host}', ${port}) on the coordinator.`,
    ]);
  }
  await onWorkers(adminUrl, nodes, async (worker, { host, port }) => {
    const { rows: found } = await worker.query<{ version: string }>(
      `select extversion as version from pg_extension where extname = 'citus'`,
    );
    assertMajor(`The worker ${host}:${port}`, found[0]?.version ?? 'none');
  });
}

function assertMajor(subject: string, version: string): void {
  if (Number.parseInt(version, 10) === testedMajor) return;
  throw new ConfigError([
    `${subject} has Citus ${version}. Arbiter needs Citus ${testedMajor}: install it, then run alter extension citus update.`,
  ]);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
