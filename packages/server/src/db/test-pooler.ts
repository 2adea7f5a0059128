import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A PgBouncer in front of one cluster's databases, for tests of pooled connections. */
export interface TestPooler {
  /** Returns the URL of the same database and user through the pooler. */
  urlOf(directUrl: string): string;
  stop(): Promise<void>;
}

export interface TestPoolerOptions {
  /** URL of any database of the cluster. */
  readonly clusterUrl: string;
  readonly mode: 'transaction' | 'session';
  /** Sessions per user and database. */
  readonly sessions: number;
  /** Lines for the `[pgbouncer]` section. */
  readonly settings?: readonly string[];
}

/** Returns why pooler tests can't run here; null when they can. Pass it to node:test's `skip`, which prints it. */
export function poolerMissing(): string | null {
  const { error, status } = spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' });
  if (error === undefined && status === 0) return null;
  return 'pgbouncer does not answer on PATH (Debian: apt-get install pgbouncer)';
}

/** User and group id that the system reserves for unprivileged processes. */
const unprivilegedId = 65534;
const startPatienceMs = 20_000;

export async function startTestPooler(options: TestPoolerOptions): Promise<TestPooler> {
  const { host } = new pg.Client({ connectionString: options.clusterUrl });
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-pooler-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(
    users,
    ['arbiter_test_app', 'arbiter_server', 'arbiter_admin'].map((name) => `"${name}" ""\n`).join(''),
  );
  await writeFile(
    config,
    [
      '[databases]',
      `* = host=${host} port=5432`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      `pool_mode = ${options.mode}`,
      `default_pool_size = ${options.sessions}`,
      'max_client_conn = 400',
      ...(options.settings ?? []),
      '',
    ].join('\n'),
  );
  const { command, ids } = launcher();
  if (ids.uid !== undefined) for (const path of [folder, users, config]) await chown(path, ids.uid, ids.uid);
  else await chmod(folder, 0o755);
  const [program, ...args] = [...command, 'pgbouncer', '-q', config];
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'], ...ids });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  child.on('error', (error) => {
    complaints += error.message;
  });
  const urlOf = (directUrl: string): string => {
    const url = new URL(directUrl);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${port}`;
    return url.href;
  };
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await answering(urlOf(options.clusterUrl), child);
  } catch (error) {
    await stop();
    throw new Error(`pgbouncer did not start: ${complaints}`, { cause: error });
  }
  return { urlOf, stop };
}

/**
 * PgBouncer refuses to run as root and must reach the cluster's private socket, so start it the way
 * `embedded-postgres.ts` starts PostgreSQL.
 */
function launcher(): { command: readonly string[]; ids: { uid?: number; gid?: number } } {
  if (process.getuid?.() !== 0) return { command: [], ids: {} };
  const namespace = ['unshare', '--user', `--map-user=${unprivilegedId}`, `--map-group=${unprivilegedId}`];
  if (spawnSync(namespace[0]!, [...namespace.slice(1), 'true'], { stdio: 'ignore' }).status === 0) {
    return { command: namespace, ids: {} };
  }
  return { command: [], ids: { uid: unprivilegedId, gid: unprivilegedId } };
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + startPatienceMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > until || child.exitCode !== null) throw error;
      await sleep(50);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Immediately, even while clients are connected.
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
