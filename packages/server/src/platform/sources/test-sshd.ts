import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './test-ports.ts';

/** An OpenSSH server of the test's own. */
export interface TestSshd {
  readonly port: number;
  readonly username: string;
  /** Null: only root can create the user who signs in with a password. */
  readonly password: string | null;
  readonly privateKey: string;
  /** Encrypted, with the passphrase `passphrase`. */
  readonly lockedKey: string;
  /** Line of the server's public key. */
  readonly hostKey: string;
  /** Folder that the user can read. */
  readonly folder: string;
  /** Starts the server again, with another key. */
  replaceHostKey(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
const startPatienceMs = 30_000;
const password = "pa'ss ü";

const createKey = (file: string, passphrase = '') =>
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', file]);

/** Creates a user with a home, whom `remove` deletes. Only root can. */
async function createUser(home: string): Promise<{ readonly name: string; remove(): Promise<void> }> {
  const name = `arbiter${process.pid}${Math.floor(performance.now())}`;
  await run('useradd', ['--home-dir', home, '--no-create-home', '--shell', '/bin/sh', name], { env });
  const change = run('chpasswd', [], { env });
  change.child.stdin?.end(`${name}:${password}\n`);
  await change;
  return {
    name,
    async remove() {
      await run('userdel', [name], { env });
    },
  };
}

/** Starts sshd on a free port, with keys of its own and, if root starts it, a user of its own. */
export async function startTestSshd(): Promise<TestSshd> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-sshd-'));
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  await mkdir(join(home, '.ssh'), { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? await createUser(home) : null;
  const key = (name: string) => join(folder, name);
  await Promise.all([createKey(key('host')), createKey(key('user')), createKey(key('locked'), 'passphrase')]);
  const authorized = await Promise.all([readFile(key('user.pub'), 'utf8'), readFile(key('locked.pub'), 'utf8')]);
  await writeFile(join(home, '.ssh', 'authorized_keys'), authorized.join(''));
  if (user !== null) {
    await run('chown', ['-R', user.name, home]);
    // The server starts as root only with this folder of its package.
    await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  }
  const port = await freePort();
  await writeFile(
    key('config'),
    [
      ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${key('host')}`, 'UsePAM no', 'StrictModes no'],
      ...['PidFile none', 'PasswordAuthentication yes', 'MaxStartups 100'],
      // Whoever runs the tests has a home of their own.
      ...[`AuthorizedKeysFile ${join(home, '.ssh', 'authorized_keys')}`, `Subsystem sftp internal-sftp -d ${home}`],
    ].join('\n'),
  );
  const sshd = (await run('sh', ['-c', 'command -v sshd'], { env })).stdout.trim();
  const start = async () => {
    const child = spawn(sshd, ['-D', '-f', key('config')], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await listens(port);
    return async () => {
      child.kill('SIGTERM');
      await ended;
    };
  };
  let stop = await start();
  return {
    ...{ port, username: user?.name ?? userInfo().username, password: user === null ? null : password, folder: home },
    privateKey: await readFile(key('user'), 'utf8'),
    lockedKey: await readFile(key('locked'), 'utf8'),
    hostKey: (await readFile(key('host.pub'), 'utf8')).trim(),
    async replaceHostKey() {
      await stop();
      await Promise.all([rm(key('host')), rm(key('host.pub'))]);
      await createKey(key('host'));
      stop = await start();
    },
    async stop() {
      await stop();
      await user?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<void> {
  const until = performance.now() + startPatienceMs;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    if (performance.now() > until) throw new Error('sshd did not start');
    await sleep(20);
  }
}
