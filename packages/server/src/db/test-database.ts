import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readTestCitusUrl, readTestClusterUrl } from '../config.ts';
import { connectionConfig } from './connections/connection.ts';
import { createDatabase, type Database, type DatabaseOptions } from './database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { migrate } from './migrate.ts';
import { settleDatabase } from './roles/roles.ts';
import { createCitusDatabase, dropCitusDatabase } from './test-citus.ts';

/** The database of one test file, built by the real migrations and connected as the restricted role. */
export interface TestDatabase {
  readonly database: Database;
  /**
   * Runs plain SQL as superuser: inserts and inspects rows past row-level security. Name statements that run hundreds
   * of times: PostgreSQL then plans them once per connection.
   */
  ownerQuery<Row = Record<string, unknown>>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /**
   * Runs a statement as superuser in a transaction that stays open, with its locks, until you call the function it
   * resolves with.
   */
  ownerHold(text: string): Promise<() => Promise<void>>;
  /** URL of the restricted role. */
  readonly url: string;
  /** URL of the superuser. */
  readonly adminUrl: string;
  readonly isCluster: boolean;
  /** Closes the connections and drops the database. */
  close(): Promise<void>;
}

/** A cluster for one test run, with the template database in it. */
export interface TestCluster {
  readonly adminUrl: string;
  stop(): Promise<void>;
}

const template = 'arbiter_template';
const login = 'arbiter_test_app';

/** A folder that Linux keeps in memory. */
const memory = '/dev/shm';
/** A whole test run uses less than half of it. */
const roomWanted = 4 * 1024 ** 3;

/**
 * Returns where to create a cluster's folder: in memory when there's room. Each test file creates and drops a database
 * with hundreds of small files, which costs a disk's file system more processor time than the copying itself.
 */
async function placeOfClusters(): Promise<string> {
  try {
    await access(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= roomWanted ? memory : tmpdir();
  } catch {
    // The folder doesn't exist: another system, or a container without it.
    return tmpdir();
  }
}

/** Starts a cluster in a temporary folder and builds the template with the real migrations. */
export async function startTestCluster(): Promise<TestCluster & { readonly server: EmbeddedPostgres; folder: string }> {
  const folder = await mkdtemp(join(await placeOfClusters(), 'arbiter-test-'));
  const server = await startEmbeddedPostgres({ folder, durable: false });
  try {
    await buildTemplate(server.adminUrl);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    adminUrl: server.adminUrl,
    server,
    folder,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function buildTemplate(adminUrl: string): Promise<void> {
  const admin = new pg.Client(connectionConfig({ url: adminUrl }));
  await admin.connect();
  await admin.query(`create database ${template}`);
  await admin.end();
  const templateUrl = withDatabase(adminUrl, template);
  await migrate({ adminUrl: templateUrl, url: withUser(templateUrl, login) });
  await ensurePastMonths(templateUrl);
}

/** Partitions for what tests place in the past: at fixed instants of 2026, and in the days before now. */
async function ensurePastMonths(url: string): Promise<void> {
  const owner = new pg.Client(connectionConfig({ url }));
  await owner.connect();
  await owner.query(
    `select arbiter.ensure_month_partitions(parent::regclass, first, months)
     from unnest(array['arbiter.decisions', 'arbiter.interactions', 'arbiter.decision_impressions']) as parent,
       (values (date '2026-10-01', 3), ((date_trunc('month', now()) - interval '1 month')::date, 1)) as past(first, months)`,
  );
  await owner.end();
}

const waitingStatements = `
  select count(*)::int as waiting from pg_locks l join pg_stat_activity a using (pid)
   where not l.granted and l.locktype in ('transactionid', 'advisory') and a.datname = current_database()`;

/** Returns true while a statement waits for another transaction, on any node. */
export async function isAnyoneWaiting({ ownerQuery, isCluster }: TestDatabase): Promise<boolean> {
  const [row] = isCluster
    ? await ownerQuery<{ waiting: number }>(
        'select sum(result::int)::int as waiting from run_command_on_all_nodes($1)',
        [waitingStatements],
      )
    : await ownerQuery<{ waiting: number }>(waitingStatements);
  return (row?.waiting ?? 0) > 0;
}

let ownCluster: Promise<string> | null = null;

/**
 * Returns a fresh copy of the template database. Inside `npm test` it comes from the run's cluster; a test file run on
 * its own (`node --test x.test.ts`) starts a cluster and removes it when the process ends.
 */
export const createTestDatabase = (options: Partial<DatabaseOptions> = {}): Promise<TestDatabase> =>
  makeDatabase(template, options);

/** Returns a database without a schema, for tests that migrate it themselves. */
export const createEmptyDatabase = (): Promise<TestDatabase> => makeDatabase(null, {});

/**
 * Returns a copy of a database that `build` fills, and the text that `build` returned. The first caller of the test run
 * builds it. Callers in other processes wait for it. `build` must close its connections.
 */
export async function createCopyOf(
  name: string,
  build: (database: TestDatabase) => Promise<string>,
): Promise<{ readonly database: TestDatabase; readonly note: string }> {
  const admin = new pg.Client(connectionConfig({ url: await clusterUrlOf(), connectTimeoutMs: 20_000 }));
  await admin.connect();
  try {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    const note = (await noteOf(admin, name)) ?? (await buildCopy(admin, name, build));
    return { database: await makeDatabase(name, {}), note };
  } finally {
    await admin.end();
  }
}

/** Returns the comment of a database, or undefined if there's no such database. */
async function noteOf(admin: pg.Client, name: string): Promise<string | undefined> {
  const { rows } = await admin.query<{ note: string }>(
    `select shobj_description(oid, 'pg_database') as note from pg_database where datname = $1`,
    [name],
  );
  return rows[0]?.note;
}

async function buildCopy(
  admin: pg.Client,
  name: string,
  build: (database: TestDatabase) => Promise<string>,
): Promise<string> {
  const draft = await makeDatabase(template, {});
  try {
    const note = await build(draft);
    const source = new URL(draft.adminUrl).pathname.slice(1);
    // A database with sessions can't be copied. Pools reconnect, but nothing uses the draft's now.
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [source]);
    await admin.query(`create database ${name} template ${source} owner arbiter_owner strategy file_copy`);
    await admin.query(`comment on database ${name} is ${pg.escapeLiteral(note)}`);
    return note;
  } finally {
    await draft.close();
  }
}

/** Returns the URL of the tests' Citus cluster. Throws without one. */
export function testCitusUrl(): string {
  const url = readTestCitusUrl();
  if (url === null) throw new Error('needs a cluster: npm run test:citus');
  return url;
}

async function clusterUrlOf(): Promise<string> {
  const url = readTestCitusUrl() ?? readTestClusterUrl();
  if (url !== null) return url;
  ownCluster ??= startOwnCluster();
  return ownCluster;
}

/** Creates a copy of a database, or an empty one. */
async function makeDatabase(source: string | null, options: Partial<DatabaseOptions>): Promise<TestDatabase> {
  const citusUrl = readTestCitusUrl();
  const clusterUrl = await clusterUrlOf();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const cluster = new pg.Pool({ ...connectionConfig({ url: clusterUrl, connectTimeoutMs: 20_000 }), max: 1 });
  const adminUrl = withDatabase(clusterUrl, name);
  const url = withUser(adminUrl, login);
  const owner = new pg.Pool({
    ...connectionConfig({ url: adminUrl, connectTimeoutMs: 20_000 }),
    max: 2,
    // Otherwise the planner replans a named statement whenever it thinks the values are worth it. Citus needs the values.
    ...(citusUrl === null ? { options: '-c plan_cache_mode=force_generic_plan' } : {}),
  });
  for (const pool of [cluster, owner]) pool.on('error', () => undefined);
  try {
    if (citusUrl !== null) {
      await createCitusDatabase(citusUrl, name, source === null ? null : { template: source, login });
    } else if (source !== null) {
      // Copying the files takes a third of the time of writing each page through the log.
      await cluster.query(`create database ${name} template ${source} owner arbiter_owner strategy file_copy`);
      // The database's privileges aren't copied.
      const client = await owner.connect();
      await settleDatabase(client, name).finally(() => client.release());
    } else {
      await cluster.query(`create database ${name}`);
    }
  } catch (error) {
    // Open connections would keep the test file alive.
    await Promise.all([cluster.end(), owner.end()]);
    throw error;
  }
  // Generous limits: several test files share the machine.
  const isCluster = citusUrl !== null && source !== null;
  const database = createDatabase({
    url,
    isCluster,
    acquireTimeoutMs: 20_000,
    statementTimeoutMs: 30_000,
    ...options,
  });
  return {
    database,
    url,
    adminUrl,
    isCluster,
    async ownerQuery<Row>(text: string, values: readonly unknown[] = [], name?: string) {
      const named = name === undefined ? {} : { name };
      return (await owner.query({ ...named, text, values: [...values] })).rows as Row[];
    },
    async ownerHold(text) {
      const client = await owner.connect();
      await client.query('begin');
      await client.query(text);
      return async () => {
        await client.query('commit');
        client.release();
      };
    },
    async close() {
      await Promise.all([database.close(), owner.end()]);
      if (citusUrl !== null) await dropCitusDatabase(citusUrl, name);
      else await cluster.query(`drop database ${name} with (force)`);
      await cluster.end();
    },
  };
}

async function startOwnCluster(): Promise<string> {
  const { adminUrl, server, folder } = await startTestCluster();
  server.unref();
  process.once('exit', () => {
    server.kill();
    // Remove the folder once the database has stopped. This process will have exited by then.
    const script = 'sleep 0.5; rm -rf "$0"; sleep 2; rm -rf "$0"';
    spawn('sh', ['-c', script, folder], { detached: true, stdio: 'ignore' }).unref();
  });
  return adminUrl;
}

/** Returns the same URL with another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Returns the same URL with another user and no password. */
export function withUser(url: string, user: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = '';
  return changed.href;
}
