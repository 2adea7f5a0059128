// Runs in one of 3 turns: what the guides call has tests of its own.

// Runs in a process of its own: it takes as long as many others. Runs each command of docs/guides/backup.md in order,
// as a reader types it: with the embedded database and, if this machine has PostgreSQL with its tools, with that.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { nodeEnvironment } from '../faults/server-process.ts';

const root = join(import.meta.dirname, '../..');
const guide = await readFile(join(root, 'docs/guides/backup.md'), 'utf8');
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-guide-'));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

/** Returns the commands of a section, one text per `sh` block. */
function commandsOf(section: string): string[] {
  const [, text = ''] = guide.split(new RegExp(`^## ${section}$`, 'm'));
  const [own = ''] = text.split(/^## /m);
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
}

/** Runs commands in one shell that ends at the first failure. `npx arbiter` is this repository's command line. */
function run(commands: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const arbiter = `npx() { shift; "${process.execPath}" "${join(root, 'packages/cli/bin/arbiter.js')}" "$@"; }`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', [arbiter, ...commands].join('\n')], {
    cwd: folder,
    env: { ...nodeEnvironment(), PATH: process.env.PATH, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve, reject) =>
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`exit code ${code}:\n${output}`)))),
  );
}

const prepare = ['npx arbiter serve --apply-only'];
const quiet = { LOG_LEVEL: 'silent' };

test('arbiter backup: the commands of the guide', async () => {
  writeFileSync(join(folder, 'passphrase.txt'), 'the passphrase of a guide\n');
  const commands = commandsOf('arbiter backup');
  assert.equal(commands.length, 3);
  const output = await run([...prepare, ...commands], { ...quiet, DATA_DIR: 'data' });
  assert.match(output, /Left out all secrets/);
  assert.match(output, /Stored the secrets in .*secrets\.json/);
  assert.match(output, /Verified 1 audit chain: [1-9]\d* rows/);
});

test('move a tenant: the commands of the guide', async () => {
  writeFileSync(join(folder, 'tenants.json'), JSON.stringify({ tenants: [{ name: 'Acme' }] }));
  const secrets = {
    API_KEY_PEPPER: 'a pepper of the guide, 32 characters.',
    DATA_ENCRYPTION_KEY: Buffer.alloc(32, 6).toString('base64'),
    NEXTAUTH_SECRET: 'a session secret of the guide',
  };
  const commands = commandsOf('Move a tenant');
  assert.equal(commands.length, 2);
  const source = { DATA_DIR: 'source', BOOTSTRAP_FILE: 'tenants.json' };
  const output = await run([...prepare, ...commands], { ...quiet, ...secrets, ...source });
  assert.match(output, /Deactivated the tenant Acme/);
  assert.match(output, /Added the tenant Acme/);
  assert.match(output, /Verified 1 audit chain: [1-9]\d* rows?/);
});

/** Returns the newest PostgreSQL of this machine with server and tools; null without one. */
function installedPostgres(): string | null {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return null;
  const folders = readdirSync(versions).map((version) => join(versions, version, 'bin'));
  return folders.filter((bin) => ['postgres', 'pg_dump'].every((name) => existsSync(join(bin, name)))).at(-1) ?? null;
}

test('pg_dump and base backups: the commands of the guide', { skip: installedPostgres() === null }, async () => {
  const bin = installedPostgres()!;
  const clusters = [await startCluster(bin, 'first'), await startCluster(bin, 'second')] as const;
  try {
    const urlOf = (sockets: string, database: string, user = 'postgres') =>
      `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(sockets)}`;
    const [first, second] = clusters;
    const secrets = {
      API_KEY_PEPPER: 'a pepper of the guide, 32 characters.',
      DATA_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
      NEXTAUTH_SECRET: 'a session secret of the guide',
    };
    const environment = { ...quiet, ...secrets, PATH: `${bin}:${process.env.PATH}`, DATA_DIR: 'unused' };
    const source = {
      DATABASE_URL: urlOf(first.sockets, 'postgres', 'arbiter_server'),
      DATABASE_ADMIN_URL: urlOf(first.sockets, 'postgres'),
      NEW_SERVER_URL: urlOf(second.sockets, 'postgres'),
      NEW_ADMIN_URL: urlOf(second.sockets, 'arbiter_restored'),
    };
    const [dump, restore, verify, ...more] = commandsOf('pg_dump');
    assert.deepEqual(more, []);
    // For a role that both servers have, psql reports an error but doesn't fail.
    await run([...prepare, dump!, restore!], { ...environment, ...source });
    const target = {
      DATABASE_URL: urlOf(second.sockets, 'arbiter_restored', 'arbiter_server'),
      DATABASE_ADMIN_URL: urlOf(second.sockets, 'arbiter_restored'),
    };
    assert.match(await run([verify!], { ...environment, ...target }), /Verified 1 audit chain: [1-9]\d* rows/);
    const [base, ...others] = commandsOf('Base backups and WAL');
    assert.deepEqual(others, []);
    assert.match(await run([base!], { ...environment, ...source }), /backup successfully verified/);
  } finally {
    for (const { stop } of clusters) await stop();
  }
});

/** Starts a cluster of that PostgreSQL, as a user that may run it. */
async function startCluster(bin: string, name: string): Promise<{ sockets: string; stop(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), `arbiter-pg-${name}-`));
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if ('uid' in nobody) chownSync(home, 65534, 65534);
  const data = join(home, 'data');
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '-N'], {
    encoding: 'utf8',
    ...nobody,
  });
  assert.equal(made.status, 0, made.stderr);
  const settings = ['listen_addresses=', `unix_socket_directories=${home}`, 'fsync=off'];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    stdio: 'ignore',
    ...nobody,
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const isReady = () => spawnSync(join(bin, 'pg_isready'), ['-h', home], { stdio: 'ignore' }).status === 0;
  while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    sockets: home,
    async stop() {
      server.kill('SIGINT');
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}
