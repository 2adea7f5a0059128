import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { ConfigError } from '../../config.ts';
import { type ApplicationLogin, ensureRoles } from '../roles/roles.ts';
import { type ClusterNode, onWorkers } from './nodes.ts';

/** A table and its size on the coordinator. */
export interface TableSize {
  readonly name: string;
  /** Estimated rows. */
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Tables of work across tenants: the scheduler, limits before the tenant is known, and rows of no tenant. They stay on
 * the coordinator, next to the job queue, so that claiming a run and enqueueing its job stay one transaction.
 */
export const coordinatorTables: readonly string[] = [
  'account_requests',
  'dead_letters',
  'early_delivery_events',
  'leases',
  'rate_limit_windows',
  'registration_claims',
  'schedules',
  'schema_migrations',
  'webhook_subscriptions',
];

/**
 * Roles that Citus connects as, because it uses the current role: SECURITY DEFINER functions run as the owner, and work
 * before or across tenants as arbiter_system. They have no password, so only the rules between nodes let them in.
 */
const connectingRoles = ['arbiter_owner', 'arbiter_system'];

/** The table whose shards all others follow. */
const root = 'arbiter.tenants';

/** Returns true when a tenant exists in tables that aren't distributed yet. */
export async function hasRows(admin: pg.ClientBase): Promise<boolean> {
  const { rows } = await admin.query<{ found: boolean }>('select exists (select from arbiter.tenants) as found');
  return rows[0]?.found === true;
}

/** Returns the tables that aren't distributed yet, referenced tables first. */
export async function undistributedTables(client: pg.ClientBase): Promise<TableSize[]> {
  const { rows } = await client.query<TableSize>(undistributed, [coordinatorTables]);
  return rows.map(({ name, rows, bytes }) => ({ name, rows: Number(rows), bytes: Number(bytes) }));
}

const undistributed = `
  with recursive tables as (
    select c.oid, c.relname, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where (n.nspname = 'arbiter' and c.relname <> all ($1) or n.nspname ~ '^t_[0-9a-f]{32}$')
       and c.relkind in ('r', 'p') and not c.relispartition),
  referenced as (
    select distinct k.conrelid as oid, k.confrelid as other
      from pg_constraint k join tables t on t.oid = k.conrelid where k.contype = 'f' and k.conrelid <> k.confrelid),
  depths as (
    select oid, 0 as depth from tables
    union
    select r.oid, d.depth + 1 from depths d join referenced r on r.other = d.oid where d.depth < 50),
  parts as (
    select t.oid, sum(pg_stat_get_live_tuples(p.relid)) as rows, sum(pg_total_relation_size(p.relid)) as bytes
      from tables t, pg_partition_tree(t.oid) p group by t.oid
    union all
    select t.oid, pg_stat_get_live_tuples(t.oid), pg_total_relation_size(t.oid)
      from tables t join pg_class c on c.oid = t.oid where c.relkind = 'r')
  select format('%I.%I', t.nspname, t.relname) as name, max(p.rows)::bigint as rows, max(p.bytes)::bigint as bytes
    from tables t join depths d on d.oid = t.oid left join parts p on p.oid = t.oid
   where not exists (select from pg_dist_partition p where p.logicalrelid = t.oid)
   group by t.oid, t.nspname, t.relname
   order by t.nspname = 'arbiter' desc, t.relname <> 'tenants', max(d.depth), t.relname`;

/** Gives each worker the roles and rights that its shards need. Safe to repeat. */
export async function prepareWorkers(
  adminUrl: string,
  nodes: readonly ClusterNode[],
  login: ApplicationLogin,
): Promise<void> {
  await onWorkers(adminUrl, nodes, async (worker) => {
    await ensureRoles(worker, login);
    await letConnect(worker);
  });
}

/** Lets nodes connect as the roles that statements run as. Citus copies this from the coordinator, so it's set there too. */
export async function letConnect(client: pg.ClientBase): Promise<void> {
  for (const role of connectingRoles) await client.query(`alter role ${role} login`);
}

/**
 * Distributes every table that isn't distributed yet by its tenant, with its rows. Each table is one transaction, so
 * after a failure the next run continues. `admin`: the owner's connection to the coordinator.
 */
export async function distributeTables(
  admin: pg.ClientBase,
  onProgress: (message: string) => void = () => undefined,
): Promise<void> {
  await admin.query(await readFile(new URL('./cluster.sql', import.meta.url), 'utf8').then(asOwner));
  await admin.query(limitConnecting);
  const tables = await undistributedTables(admin);
  if (tables.length > 0) await distributeEach(admin, tables);
  await admin.query(asOwner(distributeFunctions));
  if (tables.length > 0) onProgress(`${tables.length} tables distributed`);
}

async function distributeEach(admin: pg.ClientBase, tables: readonly TableSize[]): Promise<void> {
  if (tables[0]?.name === root) await admin.query(asOwner(looserIndexes));
  await admin.query('set client_min_messages = warning; set citus.enable_unsafe_triggers = on');
  // One transaction each: Citus doesn't note the roles of a table that the same transaction drops.
  for (const statement of shareRoles) await admin.query(statement);
  for (const { name } of tables) {
    for (const statement of distribution(name)) await admin.query(statement);
  }
}

/** Returns true while the coordinator has a copy of rows that the workers hold. */
export async function hasLocalRows(admin: pg.ClientBase): Promise<boolean> {
  const { rows } = await admin.query<{ found: boolean }>(
    `select exists (select from pg_dist_partition where partmethod = 'h' and pg_relation_size(logicalrelid) > 0) as found`,
  );
  return rows[0]?.found === true;
}

/** Deletes the coordinator's copy of rows that the workers hold now. */
export async function dropLocalRows(admin: pg.ClientBase): Promise<void> {
  await admin.query(
    asOwner(`select truncate_local_data_after_distributing_table('arbiter.tenants');
      select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition p
       where p.partmethod = 'h' and not (select c.relispartition from pg_class c where c.oid = p.logicalrelid)`),
  );
}

/** Throws ConfigError while servers use the database. */
export async function assertNobodyConnected(admin: pg.ClientBase, login: string): Promise<void> {
  const { rows } = await admin.query<{ count: number }>(
    'select count(*)::int from pg_stat_activity where datname = current_database() and usename = $1',
    [login],
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new ConfigError([
    `${count} connections of ${login} are open. Stop all servers, then run arbiter distribute again.`,
  ]);
}

const asOwner = (text: string): string =>
  `begin; set local role arbiter_owner; set local search_path = arbiter, pg_temp; ${text}; commit`;

/**
 * Citus notes a role as shared when a superuser distributes the first table that depends on it. Without this, the first data
 * table of a tenant would try it as the owner, who isn't allowed to.
 */
const shareRoles = [
  'set citus.enable_create_role_propagation = on',
  'drop schema if exists arbiter_roles cascade',
  'create schema arbiter_roles',
  'create table arbiter_roles.shared (id int)',
  'alter table arbiter_roles.shared owner to arbiter_owner',
  'grant select on arbiter_roles.shared to arbiter_app, arbiter_readonly',
  `select create_distributed_table('arbiter_roles.shared', 'id', colocate_with => 'none', shard_count => 1)`,
  'drop schema arbiter_roles cascade',
  'set citus.enable_create_role_propagation = off',
];

/**
 * Rows are copied as a superuser, because row-level security hides them from their owner, and as a replica, so that triggers
 * write nothing a second time. One statement each: Citus repeats the whole text of a `set local` on the workers.
 */
const distribution = (name: string): readonly string[] => [
  'begin',
  'set local role arbiter_owner',
  replacePolicies(name),
  'set local role none',
  "set local citus.propagate_set_commands = 'local'",
  'set local session_replication_role = replica',
  name === root
    ? `select create_distributed_table('${root}', 'id', colocate_with => 'none')`
    : `select arbiter.distribute_table('${name}')`,
  'commit',
];

/** The policies of a table and its partitions, without subqueries. */
const replacePolicies = (name: string): string => `
  do $$
  declare
    part regclass;
  begin
    for part in select relid from pg_partition_tree('${name}') union select '${name}'::regclass loop
      execute format('drop policy tenant_isolation on %s', part);
    end loop;
    if '${name}' = '${root}' then perform arbiter.isolate_tenants(); else perform arbiter.isolate_table('${name}'); end if;
  end $$`;

/**
 * A unique index of a distributed table must include the tenant. Only operators set this name, under the migration's
 * lock.
 */
const looserIndexes = `
  drop index if exists arbiter.tenants_bootstrap_name;
  create index tenants_bootstrap_name on arbiter.tenants (bootstrap_name) where bootstrap_name is not null`;

/** The coordinator gives up on a worker before callers give up on the server. Citus waits 30 s. */
const limitConnecting = `
  do $$
  begin
    execute format('alter database %I set citus.node_connection_timeout = 1500', current_database());
  end $$`;

/** Conditions of segments and triggers run on workers. */
const distributeFunctions = `
  select create_distributed_function(p.oid::regprocedure) from pg_proc p
   where p.pronamespace = 'arbiter'::regnamespace and p.prokind = 'f'
     and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`;
