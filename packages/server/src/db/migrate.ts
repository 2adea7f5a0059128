import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, runMigrations as runQueueMigrations } from 'graphile-worker';
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { distributeTables, hasRows, letConnect, prepareWorkers } from './cluster/distribute.ts';
import { assertUsable, type ClusterNode, isDistributed, readNodes, withoutPropagation } from './cluster/nodes.ts';
import { closeClient, connectionConfig } from './connections/connection.ts';
import { createQueuePool, queueSchema } from './connections/queue-pool.ts';
import { assertOwnership } from './roles/ownership-check.ts';
import { assertLogin, loginOf } from './roles/role-names.ts';
import { ensureRoles } from './roles/roles.ts';

export interface MigrateOptions {
  /** Owner's URL: a superuser, or the database's owner with CREATEROLE. */
  readonly adminUrl: string;
  /** The application's URL. Its user is created when missing and becomes a member of `arbiter_app`. */
  readonly url: string;
  readonly folder?: URL;
  /** Receives progress messages for the log. */
  readonly onProgress?: (message: string) => void;
  /** Name of the last migration to apply. Default: all. */
  readonly upTo?: string;
  /** False: leaves the tables of a new database on the coordinator of its cluster. Default true. */
  readonly distributes?: boolean;
  /** Milliseconds to wait for another migrating process. Default 10 minutes. */
  readonly lockTimeoutMs?: number;
}

/** One migration file. */
export interface Migration {
  /** File name without `.sql`: `0001_baseline`. */
  readonly name: string;
  readonly text: string;
  /** Hex SHA-256 of the text. */
  readonly checksum: string;
}

export const migrationsFolder = new URL('./migrations/', import.meta.url);

/** Any number, as long as it's the same in every version of Arbiter. */
const lockKey = 7_245_301_942;

/** Returns the migrations of a folder, sorted by name. */
export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) throw new Error(`not a valid migration name: ${file}`);
      const text = await readFile(new URL(file, folder), 'utf8');
      return { name: file.slice(0, -4), text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * Brings the database to the newest schema: roles, then each missing file in its own transaction as `arbiter_owner`,
 * then the queue's own tables. A session advisory lock, which ends with its holder, lets one process migrate at a time;
 * the others wait and find the work done. Returns the names of the applied migrations. Throws ConfigError when a URL's
 * user can't do its job, and when the database has migrations this build doesn't have.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  assertLogin('DATABASE_ADMIN_URL', options.adminUrl);
  assertLogin('DATABASE_URL', options.url);
  const migrations = await readMigrations(options.folder);
  const admin = new pg.Client(
    connectionConfig({ url: options.adminUrl, applicationName: 'arbiter migrate', connectTimeoutMs: 5_000 }),
  );
  // A lost connection also fails the statement in flight, and that failure is reported.
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await admin.query('set statement_timeout = 0; set lock_timeout = 0');
    await takeLock(admin, options);
    await assertOwnership(admin);
    // Before any change: a newer build may have given roles other rights.
    assertKnown((await readAppliedIfAny(admin)) ?? new Map(), migrations);
    const nodes = await readNodes(admin);
    const isCluster = nodes !== null && (await prepareCluster(admin, nodes, options));
    await ensureRoles(admin, loginOf(options.url));
    if (nodes !== null) await letConnect(admin);
    await prepareSchema(admin);
    const applied = await applyMissing(admin, migrations, options);
    if (nodes !== null && options.distributes !== false) await distributeNew(admin, isCluster, options);
    await migrateQueue(admin, options.adminUrl, nodes !== null);
    return applied;
  } finally {
    // Ends the session, and with it the lock.
    await closeClient(admin);
  }
}

/**
 * Returns the files that the database hasn't applied, or applied with another text, as the application role sees it.
 * Empty means current. Throws ConfigError when the database has migrations this build doesn't have.
 */
export async function pendingMigrations(url: string, folder?: URL): Promise<string[]> {
  assertLogin('DATABASE_URL', url);
  const client = new pg.Client(connectionConfig({ url, applicationName: 'arbiter migrate' }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await readAppliedIfAny(client);
    if (applied === null) await assertOwnership(client);
    const seen = applied ?? new Map<string, string>();
    const migrations = await readMigrations(folder);
    assertKnown(seen, migrations);
    return migrations.filter((each) => seen.get(each.name) !== each.checksum).map((each) => each.name);
  } finally {
    await closeClient(client);
  }
}

/**
 * Prepares a cluster for the migrations. Returns true if it already holds the tenants' rows; migrations then change the
 * tables on all nodes.
 */
async function prepareCluster(
  admin: pg.ClientBase,
  nodes: readonly ClusterNode[],
  { adminUrl, url }: MigrateOptions,
): Promise<boolean> {
  await assertUsable(admin, adminUrl, nodes);
  await admin.query(withoutPropagation);
  await prepareWorkers(adminUrl, nodes, loginOf(url));
  const isCluster = await isDistributed(admin);
  if (isCluster) await admin.query('set citus.enable_ddl_propagation = on; set citus.enable_unsafe_triggers = on');
  return isCluster;
}

/** Distributes new tables. A database that already has tenants is left alone until `arbiter distribute`. */
async function distributeNew(admin: pg.ClientBase, isCluster: boolean, { onProgress }: MigrateOptions): Promise<void> {
  if (!isCluster && (await hasRows(admin))) {
    onProgress?.('the database has workers but keeps all rows on the coordinator; run arbiter distribute to use them');
    return;
  }
  await admin.query('set citus.enable_ddl_propagation = on');
  await distributeTables(admin, onProgress);
  await admin.query('set citus.enable_ddl_propagation = off');
}

/** Waits for the session lock that lets one process migrate at a time. */
export async function takeLock(
  admin: pg.ClientBase,
  options: Pick<MigrateOptions, 'lockTimeoutMs' | 'onProgress'>,
): Promise<void> {
  const until = performance.now() + (options.lockTimeoutMs ?? 600_000);
  for (let hasLogged = false; ; hasLogged = true) {
    const { rows } = await admin.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
    if (rows[0]?.taken === true) return;
    if (!hasLogged) options.onProgress?.('another process is migrating; waiting for it to finish');
    if (performance.now() > until) throw new Error('another process holds the migration lock');
    await sleep(100);
  }
}

async function prepareSchema(admin: pg.ClientBase): Promise<void> {
  await admin.query(`
    create schema if not exists arbiter authorization arbiter_owner;
    set role arbiter_owner;
    create table if not exists arbiter.schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    );
    grant usage on schema arbiter to arbiter_app;
    grant select on arbiter.schema_migrations to arbiter_app;
    reset role`);
}

async function applyMissing(
  admin: pg.ClientBase,
  migrations: readonly Migration[],
  { upTo, onProgress = () => undefined }: Pick<MigrateOptions, 'upTo' | 'onProgress'>,
): Promise<string[]> {
  const seen = await readApplied(admin);
  assertKnown(seen, migrations);
  const applied: string[] = [];
  const isNew = seen.size === 0;
  for (const { name, text, checksum } of migrations) {
    const before = seen.get(name);
    if (before !== undefined && before !== checksum) {
      throw new Error(
        `migration ${name} was changed after it was applied; restore the file, or start with a new database`,
      );
    }
    if (before !== undefined) continue;
    if (upTo !== undefined && name > upTo) break;
    await admin.query('begin; set local role arbiter_owner; set local search_path = arbiter, pg_temp');
    try {
      await admin.query(text);
      await admin.query('insert into arbiter.schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
      await admin.query('commit');
    } catch (error) {
      await admin.query('rollback').catch(() => undefined);
      throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
    // For a new database one line is enough.
    if (!isNew) onProgress(`migration ${name} applied`);
    applied.push(name);
  }
  if (isNew && applied.length > 0)
    onProgress(`schema created (${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'})`);
  return applied;
}

/** A build must not run on a schema it doesn't know. */
function assertKnown(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const newest = [...applied.keys()]
    .filter((name) => !known.has(name))
    .sort()
    .at(-1);
  if (newest === undefined) return;
  const isNewer = [...applied.keys()].some((name) => known.has(name));
  throw new ConfigError([
    isNewer
      ? `The database is newer than this build: it has migration ${newest}, and this build stops at ${migrations.at(-1)?.name ?? 'none'}. ` +
        'Start the newer build, or restore a backup from before the upgrade.'
      : `The database was created by a build before 1.0: it has migration ${newest}, and this build starts at ${migrations[0]?.name ?? 'none'}. ` +
        'Start with a new database, or go back to the build that created this one.',
  ]);
}

/** Returns null when the migrations table doesn't exist or the role can't read it. */
async function readAppliedIfAny(client: pg.ClientBase): Promise<Map<string, string> | null> {
  const { rows } = await client.query<{ readable: boolean }>(
    // Uses the catalog, because resolving a name in a schema without rights fails.
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                     where n.nspname = 'arbiter' and c.relname = 'schema_migrations'
                       and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')) as readable`,
  );
  return rows[0]?.readable === true ? readApplied(client) : null;
}

async function readApplied(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from arbiter.schema_migrations',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/**
 * Runs graphile-worker's migrations and our access functions as `arbiter_queue`, so that role owns all of it. On a cluster,
 * the queue stays on the coordinator.
 */
async function migrateQueue(admin: pg.ClientBase, adminUrl: string, hasWorkers: boolean): Promise<void> {
  await admin.query(`
    create schema if not exists ${queueSchema} authorization arbiter_queue;
    set role arbiter_queue;
    alter default privileges revoke execute on functions from public;
    reset role`);
  // A broken connection also fails the statement in flight, and that failure is reported.
  const pool = createQueuePool(adminUrl, 1, () => undefined);
  try {
    // The pool has one connection, so the migrations use the one with this setting.
    if (hasWorkers) await pool.query(withoutPropagation);
    await runQueueMigrations({ pgPool: pool, schema: queueSchema, logger: new Logger(() => () => undefined) });
    await pool.query(await readFile(new URL('./queue.sql', import.meta.url), 'utf8'));
  } finally {
    await pool.end();
  }
}
