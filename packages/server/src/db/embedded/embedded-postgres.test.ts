import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'arbiter-embedded-'));
});
after(() => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const postmasterPid = (folder: string) =>
  Number.parseInt(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process whose parent hasn't reaped it yet is a zombie and does nothing.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

test('data survives restarts, a stale postmaster.pid, and another process with its number', async () => {
  const folder = join(root, 'restart');
  let server = await startEmbeddedPostgres({ folder, durable: false });
  const [version] = await query(server.adminUrl, 'select version(), current_user as name');
  assert.match(String(version?.version), /^PostgreSQL 1[5-9]/);
  await query(server.adminUrl, 'create table kept as select 1 as one');
  const pid = postmasterPid(folder);
  await server.stop();
  assert.equal(isAlive(pid), false);
  // As after a container restart: the number now belongs to another program.
  await writeFile(join(folder, 'cluster', 'postmaster.pid'), `${process.pid}\n${join(folder, 'cluster')}\n`);
  server = await startEmbeddedPostgres({ folder, durable: false });
  assert.deepEqual(await query(server.adminUrl, 'select * from kept'), [{ one: 1 }]);
  await server.stop();
});

test('a folder with a long path still gets a socket, which is removed after the stop', async () => {
  const folder = join(root, 'a'.repeat(100), 'b'.repeat(60));
  const server = await startEmbeddedPostgres({ folder, durable: false });
  const sockets = new URL(server.adminUrl).searchParams.get('host') ?? '';
  assert.ok(Buffer.byteLength(sockets) < 107 && !sockets.startsWith(folder), sockets);
  assert.equal((await query(server.adminUrl, 'select 1 as one')).length, 1);
  await server.stop();
  assert.equal(existsSync(sockets), false);
});

test('R3: restarts a killed database, which recovers', async () => {
  const folder = join(root, 'killed');
  const server = await startEmbeddedPostgres({ folder });
  await query(server.adminUrl, 'create table kept as select 1 as one');
  const pid = postmasterPid(folder);
  process.kill(pid, 'SIGKILL');
  await eventually(() =>
    query(server.adminUrl, 'select * from kept').then(
      (rows) => rows.length === 1,
      () => false,
    ),
  );
  assert.notEqual(postmasterPid(folder), pid);
  await server.stop();
});

test('the database ends with its parent, even a killed one, and the next start finds the data', async () => {
  const folder = join(root, 'orphan');
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href)};
    await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, durable: false });
    console.log('started');
    setInterval(() => undefined, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => parent.stdout.once('data', resolve));
  const pid = postmasterPid(folder);
  // While it's alive, the folder belongs to it.
  await assert.rejects(
    startEmbeddedPostgres({ folder, durable: false, patienceMs: 300 }),
    new RegExp(`in use by process ${parent.pid} and hasn't exited after 0.3 s; stop that process first`),
  );
  const joined = await startEmbeddedPostgres({ folder, durable: false, join: true });
  await query(joined.adminUrl, 'create table kept as select 1 as one');
  await query(joined.adminUrl, 'checkpoint');
  await joined.stop();
  assert.equal(isAlive(pid), true);
  parent.kill('SIGKILL');
  await new Promise((resolve) => parent.once('exit', resolve));
  if (process.platform === 'linux') await eventually(() => !isAlive(pid));
  const server = await startEmbeddedPostgres({ folder, durable: false });
  assert.deepEqual(await query(server.adminUrl, 'select * from kept'), [{ one: 1 }]);
  await server.stop();
});

test('a start waits for a server that is stopping, says so, and finds its data', async () => {
  const folder = join(root, 'successor');
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href)};
    const server = await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, durable: false });
    process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
    console.log('started');
    setInterval(() => undefined, 1000);`;
  const first = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => first.stdout.once('data', resolve));
  const pid = postmasterPid(folder);
  const told: string[] = [];
  const second = startEmbeddedPostgres({
    folder,
    durable: false,
    // So far away that only the other's end can stop the wait.
    patienceMs: 60_000,
    onProgress(message) {
      told.push(message);
      // We saw it wait. Only now does the first one end.
      first.kill('SIGTERM');
    },
  });
  const server = await second;
  assert.deepEqual(told, [`waiting up to 60 s for process ${first.pid} to exit, which is using ${folder}`]);
  assert.equal(isAlive(pid), false);
  assert.equal((await query(server.adminUrl, 'select 1 as one')).length, 1);
  assert.equal(JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8')).pid, process.pid);
  await server.stop();
  assert.equal(existsSync(join(folder, 'owner.json')), false);
});

test('one of several starts that wait for the same server gets the folder', async () => {
  const folder = join(root, 'heirs');
  const module = JSON.stringify(new URL('./folder-owner.ts', import.meta.url).href);
  await mkdir(folder);
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1, sockets: 'gone' }));
  // They all see an unused folder and try to take it at the same time.
  const script = `
    import { takeFolder } from ${module};
    process.stdin.once('data', async () => {
      console.log(await takeFolder(${JSON.stringify(folder)}, 'mine').then(() => 'taken', (error) => error.message));
    });
    console.log('waits');`;
  const heirs = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    child.stdout.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')));
    return { child, lines };
  });
  await eventually(() => heirs.every(({ lines }) => lines.length === 1));
  for (const { child } of heirs) child.stdin.write('now\n');
  await eventually(() => heirs.every(({ lines }) => lines.length === 2));
  for (const { child } of heirs) child.kill();
  const answers = heirs.map(({ lines }) => lines[1] ?? '');
  assert.equal(answers.filter((answer) => answer === 'taken').length, 1, answers.join('; '));
  assert.equal(answers.filter((answer) => /in use by process/.test(answer)).length, 2, answers.join('; '));
});
