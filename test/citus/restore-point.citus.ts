import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTestCitusFolder } from '../../packages/server/src/config.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { type PopulatedTenant, populate } from '../tenancy/world.ts';
import { tenantsApart } from './spread.ts';

// Recovers base backups of all nodes to a point that they have in common, as docs/guides/scaling.md says.

const folder = readTestCitusFolder() ?? '';
const bin = '/usr/lib/postgresql/15/bin';
const nodes = [0, 1, 2];
const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/scaling.md'), 'utf8');

let server: TestServer;
let worlds: readonly PopulatedTenant[];
let areCopies = false;
let port: number;

const original = (node: number): string => join(folder, `n${node}`);
const copy = (node: number): string => join(folder, `copy${node}`);

before(async () => {
  server = await startTestServer({ tenants: 8 });
  port = Number(new URL(server.testDatabase.adminUrl).port);
  const [first, second] = await tenantsApart(server);
  worlds = [await populate(server, first), await populate(server, second)];
});
after(async () => {
  if (areCopies) {
    for (const node of nodes) stop(copy(node));
    for (const node of nodes) start(original(node));
  }
  for (const node of nodes) {
    asPostgres('rm', '-rf', copy(node));
    sql(port + node, 'alter system reset wal_keep_size');
    sql(port + node, 'select pg_reload_conf()');
  }
  await server?.close();
});

function asPostgres(...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('runuser', ['-u', 'postgres', '--', ...command], { encoding: 'utf8' });
  assert.equal(status, 0, `${command.join(' ')}: ${stderr}`);
  return stdout;
}

const start = (path: string) =>
  asPostgres(`${bin}/pg_ctl`, '-D', path, '-l', `${path}.log`, '-w', '-t', '300', 'start');
/** Without a last checkpoint, which would recycle the log. */
const stop = (path: string) => asPostgres(`${bin}/pg_ctl`, '-D', path, '-m', 'immediate', '-w', '-t', '120', 'stop');
const sql = (port: number, text: string) =>
  asPostgres('psql', '-X', '-q', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-c', text, 'postgres');

async function decide({ tenant, world, fixtures }: PopulatedTenant): Promise<{ status: number; id: string }> {
  const { status, body } = await server.call('POST', '/api/v1/recommend', {
    key: tenant.keys.admin,
    body: { customerId: `customer ${fixtures.marker}`, channelId: world.channel.id, decisionFlowKey: world.flow.key },
  });
  return { status, id: String(body.recommendationId) };
}

async function read({ tenant }: PopulatedTenant, id: string): Promise<number> {
  return (await server.call('GET', `/api/v1/decisions/${id}`, { key: tenant.keys.admin })).status;
}

/** The statement that the guide has between base backups and recovery. */
function restorePoint(): string {
  const block = /<!-- Run by test\/citus\/restore-point\.citus\.ts on the coordinator -->\n```sql\n([\s\S]*?)```/.exec(
    guide,
  );
  return block?.[1] ?? assert.fail('the guide has no restore point');
}

/** Lets a copy recover to the point, from the log of the node that it's a copy of. */
function aim(node: number, name: string): void {
  const settings = {
    restore_command: `cp ${original(node)}/pg_wal/%f %p`,
    recovery_target_name: name,
    recovery_target_action: 'promote',
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = '${value}'\n`);
  appendFileSync(join(copy(node), 'postgresql.auto.conf'), lines.join(''));
  writeFileSync(join(copy(node), 'recovery.signal'), '');
  spawnSync('chown', ['postgres', join(copy(node), 'recovery.signal')]);
}

test('all nodes recover to one point, with everything confirmed before it and nothing after it', async () => {
  for (const node of nodes) {
    // The copy reads the log here, instead of in an archive.
    sql(port + node, `alter system set wal_keep_size = '1GB'`);
    sql(port + node, 'select pg_reload_conf()');
    const from = ['-h', '127.0.0.1', '-p', String(port + node), '-U', 'postgres'];
    asPostgres(`${bin}/pg_basebackup`, ...from, '--pgdata', copy(node), '--wal-method=stream', '--checkpoint=fast');
  }
  const confirmed = await Promise.all(worlds.map(decide));
  const text = restorePoint();
  await server.testDatabase.ownerQuery(text);
  const late = await Promise.all(worlds.map(decide));
  for (const { status } of [...confirmed, ...late]) assert.equal(status, 200);
  const name = /'([^']+)'/.exec(text)?.[1] ?? assert.fail(text);

  for (const node of nodes) stop(original(node));
  for (const node of nodes) aim(node, name);
  areCopies = true;
  for (const node of nodes) start(copy(node));

  const until = performance.now() + 120_000;
  // Each session of the server finds out on its own that its connection broke.
  for (let inARow = 0; inARow < 5; ) {
    const outcomes = await Promise.all(worlds.map(decide));
    const areServed = outcomes.every(({ status }) => status === 200);
    inARow = areServed ? inARow + 1 : 0;
    assert.ok(performance.now() < until, `still ${outcomes.map(({ status }) => status).join(', ')}`);
    if (!areServed) await sleep(200);
  }
  for (const [i, world] of worlds.entries()) {
    assert.equal(await read(world, confirmed[i]?.id ?? ''), 200);
    assert.equal(await read(world, late[i]?.id ?? ''), 404);
  }
});
