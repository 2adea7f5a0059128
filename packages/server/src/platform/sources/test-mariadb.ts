import { execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Connection, createConnection, escape as quoted } from 'mysql2/promise';
import { freePort } from './test-ports.ts';

/** A MariaDB of the test's own, with the database `shop`. */
export interface TestMariadb {
  readonly port: number;
  readonly password: string;
  /** Statements of root. */
  readonly root: Connection;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const password = 'ro"ot\\\'1 ü';
const startPatienceMs = 60_000;
const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/**
 * Starts mariadbd on a free port, with a data folder and a socket of its own, and a password for root.
 * @param tls files of a certificate and its key
 */
export async function startTestMariadb(tls: { readonly cert: string; readonly key: string }): Promise<TestMariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-mariadb-'));
  const [datadir, socket] = [join(folder, 'data'), join(folder, 'socket')];
  // The server refuses to run as root unless it is told to.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  await chmod(folder, 0o700);
  await run(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${datadir}`, '--auth-root-authentication-method=normal', '--skip-test-db', ...asRoot],
    { env: { ...process.env, PATH: path } },
  );
  const port = await freePort();
  const child = spawn(
    'mariadbd',
    [
      ...['--no-defaults', `--datadir=${datadir}`, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1'],
      ...[`--ssl-cert=${tls.cert}`, `--ssl-key=${tls.key}`, '--innodb-buffer-pool-size=32M', ...asRoot],
    ],
    { stdio: 'ignore', env: { ...process.env, PATH: path } },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const root = await connected(socket);
    for (const statement of [
      ...[
        'create database shop',
        'use shop',
        `create or replace user root@'127.0.0.1' identified by ${quoted(password)}`,
      ],
      "grant all on *.* to root@'127.0.0.1' with grant option",
      `alter user root@localhost identified by ${quoted(password)}`,
    ]) {
      await root.query(statement);
    }
    return {
      ...{ port, password, root },
      async stop() {
        root.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function connected(socketPath: string): Promise<Connection> {
  const until = performance.now() + startPatienceMs;
  for (;;) {
    try {
      return await createConnection({ socketPath, user: 'root' });
    } catch (error) {
      if (performance.now() > until) throw new Error('mariadbd did not start', { cause: error });
      await sleep(50);
    }
  }
}
