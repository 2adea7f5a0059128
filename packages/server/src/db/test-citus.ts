import pg from 'pg';
import { readNodes, urlOfNode } from './cluster/nodes.ts';
import { connectionConfig } from './connections/connection.ts';
import { migrate } from './migrate.ts';
import { settleDatabase } from './roles/roles.ts';

/** Databases of tests on a Citus cluster: one on each node, which Citus doesn't copy automatically. */

/** Few, because a test database has little data and each shard takes a file per table and index. */
const shards = 4;

interface Template {
  readonly template: string;
  /** Role of the tests' servers. */
  readonly login: string;
}

let template: Promise<void> | null = null;

/** Creates a database on every node: a copy of the migrated template, or without a schema. */
export async function createCitusDatabase(url: string, name: string, from: Template | null): Promise<void> {
  if (from === null) {
    await createOnNodes(url, name);
    return joinNodes(url, name);
  }
  template ??= buildTemplate(url, from);
  await template;
  await onNodes(url, (node) => node.query(`create database ${name} template ${from.template} owner arbiter_owner`));
  await onNodes(url, settleCopy, name);
}

/** Drops a database from every node. */
export async function dropCitusDatabase(url: string, name: string): Promise<void> {
  await onNodes(url, (node) => node.query(`drop database ${name} with (force)`));
}

/** Creates a database on every node, before the nodes know each other. */
export async function createOnNodes(url: string, name: string): Promise<void> {
  await onNodes(url, (node) => node.query(`create database ${name}`));
  await onNodes(
    url,
    async (node) => {
      await node.query('create extension citus');
      await settle(node);
    },
    name,
  );
}

/** Makes the first node the coordinator of the others, or of the first `most` of them. */
export async function joinNodes(url: string, name: string, most = Infinity): Promise<void> {
  const [coordinator, ...workers] = await nodesOf(url);
  if (coordinator === undefined) throw new Error('the cluster has no coordinator');
  const admin = await connect(withName(url, name));
  try {
    await admin.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers.slice(0, most))
      await admin.query('select citus_add_node($1, $2)', [host, port]);
  } finally {
    await admin.end();
  }
}

async function buildTemplate(url: string, { template: name, login }: Template): Promise<void> {
  const admin = await connect(url);
  const { rows } = await admin.query('select from pg_database where datname = $1 and not datallowconn', [name]);
  await admin.end();
  // Another test file of this run built it.
  if (rows.length > 0) return;
  await createOnNodes(url, name);
  await joinNodes(url, name);
  const adminUrl = withName(url, name);
  const loginUrl = new URL(adminUrl);
  loginUrl.username = login;
  await migrate({ adminUrl, url: loginUrl.href });
  await onNodes(url, async (node) => {
    await node.query(`alter database ${name} allow_connections false`);
    // Including the maintenance daemon: only an unused database can be copied.
    await node.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
  });
}

/** The settings of a database aren't copied with it. */
async function settle(node: pg.Client): Promise<void> {
  const { rows } = await node.query<{ name: string }>('select current_database() as name');
  const name = rows[0]?.name;
  await node.query(`alter database ${name} set citus.shard_count = ${shards}`);
  await node.query(`alter database ${name} set arbiter.one_worker = on`);
}

async function settleCopy(node: pg.Client): Promise<void> {
  await settle(node);
  const { rows } = await node.query<{ name: string }>('select current_database() as name');
  await settleDatabase(node, rows[0]?.name ?? '');
}

async function nodesOf(url: string): Promise<readonly { readonly host: string; readonly port: number }[]> {
  const admin = await connect(url);
  try {
    return (await readNodes(admin)) ?? [];
  } finally {
    await admin.end();
  }
}

async function onNodes(url: string, work: (node: pg.Client) => Promise<unknown>, name = 'postgres'): Promise<void> {
  for (const each of await nodesOf(url)) {
    const node = await connect(withName(urlOfNode(url, each), name));
    try {
      await node.query(`set citus.enable_ddl_propagation = off; set citus.enable_create_role_propagation = off`);
      await work(node);
    } finally {
      await node.end();
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig({ url, connectTimeoutMs: 20_000 }));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
