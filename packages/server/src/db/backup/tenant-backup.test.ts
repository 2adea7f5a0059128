import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecommendAnswer } from '@arbiter/contract';
import pg from 'pg';
import { populate } from '../../../../../test/tenancy/world.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../main/test-server.ts';
import { backupFrames, quoted, quoteName } from './backup-database.ts';
import { type BackupFrame, readBackupFile, verifyBackupFile, writeBackupFile } from './backup-file.ts';
import { type BackupHeader, readTables, tenantColumn } from './contents.ts';
import { moveTenantOut } from './move-tenant.ts';
import { restoreTenant } from './restore-tenant.ts';

// Moves a tenant to another installation, which has its own tenants and keeps running.

let source: TestServer;
let target: TestServer;
let folder: string;
let moved: TestTenant;
let files = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-tenant-backup-'));
  [source, target] = await Promise.all([startTestServer({ tenants: 2 }), startTestServer()]);
  moved = source.tenants[0];
  for (const tenant of source.tenants) await fill(source, tenant);
  await fill(target, target.tenants[0]);
});
after(async () => {
  await source?.close();
  await target?.close();
  await rm(folder, { recursive: true, force: true });
});

async function fill(server: TestServer, tenant: TestTenant): Promise<void> {
  const { world, fixtures } = await populate(server, tenant);
  const call = (path: string, body: object) => server.call('POST', `/api/v1/${path}`, { key: tenant.keys.admin, body });
  const request = { channelId: world.channel.id, decisionFlowKey: world.flow.key };
  for (const name of ['', ' again']) {
    const { status, text } = await call('recommend', { customerId: `customer ${fixtures.marker}${name}`, ...request });
    assert.equal(status, 200, text);
  }
  await fixtures.campaignRun();
  await fixtures.pipelineRun();
  await server.testDatabase.ownerQuery(`select graphile_worker.add_job('backup.test', $1::json, job_key => $2)`, [
    { tenantId: tenant.id, of: 'the backup' },
    `${tenant.id}:backup`,
  ]);
}

interface Written {
  readonly header: BackupHeader & { readonly tenant: NonNullable<BackupHeader['tenant']> };
  readonly frames: AsyncGenerator<BackupFrame>;
}

async function backUp(tenant: NonNullable<BackupHeader['tenant']>, withSecrets = true): Promise<string> {
  files += 1;
  const path = join(folder, `tenant-${files}.arb`);
  const options = { version: 'test', keyId: null, exports: [], sealedSecrets: null, onDone: () => undefined };
  await writeBackupFile(
    path,
    backupFrames({ ...options, adminUrl: source.testDatabase.adminUrl, tenant, withSecrets }),
  );
  return path;
}

async function open(path: string): Promise<Written> {
  await verifyBackupFile(path);
  const frames = readBackupFile(path);
  const first = await frames.next();
  assert.ok(first.done !== true);
  const header: BackupHeader = JSON.parse(first.value.payload.toString());
  return { header: { ...header, tenant: header.tenant ?? assert.fail('the backup is of one tenant') }, frames };
}

/** Rows by table: of the tenant, or of all others. */
async function rowsOf(
  server: TestServer,
  { isOthers }: { readonly isOthers: boolean },
): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: server.testDatabase.adminUrl });
  await client.connect();
  try {
    const found: Record<string, string> = {};
    for (const table of await readTables(client)) {
      const column = tenantColumn(table, moved.id);
      if (column === null) continue;
      const { rows } = await client.query<{ text: string | null }>(
        `select string_agg(t::text, E'\\n' order by t::text) as text
           from (select ${table.columns.map(quoteName).join(', ')} from ${quoted(table)}
                  where ${column} ${isOthers ? '<>' : '='} $1) t`,
        [moved.id],
      );
      if (typeof rows[0]?.text === 'string') found[quoted(table)] = rows[0].text;
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Tables that a running server doesn't write to on its own. */
const settled = (rows: Readonly<Record<string, string>>) =>
  ['api_keys', 'audit_logs', 'decisions', 'offers', 'tenants'].map((name) => {
    const found = rows[`"arbiter"."${name}"`];
    return found ?? assert.fail(`${name} has no rows`);
  });

/** Waits until the moved tenant's key gets this status. Servers on a cluster learn of a change within seconds. */
async function answers(server: TestServer, status: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const answer = await server.call('GET', '/api/v1/offers', { key: moved.keys.admin });
    if (answer.status === status) return;
    assert.ok(tries < 50, answer.text);
    await sleep(100);
  }
}

const namesOf = async ({ testDatabase }: TestServer): Promise<string[]> =>
  (await testDatabase.ownerQuery<{ id: string }>('select id from arbiter.tenants order by id')).map(({ id }) => id);

test('a failed restore adds nothing', async () => {
  const { tenant } = await moveTenantOut(source.testDatabase.adminUrl, moved.id, false);
  const { header, frames } = await open(await backUp(tenant));
  async function* cut(): AsyncGenerator<BackupFrame> {
    let count = 0;
    for await (const frame of frames) {
      if (count++ > 40) return;
      yield frame;
    }
  }
  const before = await namesOf(target);
  await assert.rejects(restoreTenant(target.testDatabase, header, cut()), /ends before its last frame/);
  assert.deepEqual(await namesOf(target), before);
  assert.deepEqual(await rowsOf(target, { isOthers: false }), {});
});

test('only a superuser adds a tenant, and only to the same migration', async () => {
  const { tenant } = await moveTenantOut(source.testDatabase.adminUrl, moved.id, false);
  const { header, frames } = await open(await backUp(tenant));
  const older = { ...header, migrations: [{ name: '0000_older', checksum: 'x' }] };
  await assert.rejects(
    restoreTenant(target.testDatabase, older, frames),
    /Upgrade the server that the tenant comes from/,
  );
  await frames.return(undefined);
  await assert.rejects(moveTenantOut(source.testDatabase.adminUrl, 'nobody', true), /no active tenant .* nobody/);
});

test('without secrets, credentials of records stay out, and the header names only the tenant’s', async () => {
  const { tenant } = await moveTenantOut(source.testDatabase.adminUrl, moved.id, false);
  const { header, frames } = await open(await backUp(tenant, false));
  await frames.return(undefined);
  assert.ok(header.withoutSecret.length > 0);
  assert.deepEqual([...new Set(header.withoutSecret.map(({ tenantId }) => tenantId))], [moved.id]);
  assert.deepEqual(
    header.tables.filter(({ name }) => name.endsWith('_secrets')),
    [],
  );
});

test('a failed backup reactivates the tenant', async () => {
  const out = await moveTenantOut(source.testDatabase.adminUrl, moved.id, true);
  await answers(source, 401);
  await out.takeBack();
  await answers(source, 200);
});

test('a moved tenant has all its rows in the other installation, decides there, and replays earlier decisions', async () => {
  const [record] = await source.testDatabase.ownerQuery<{ id: string }>(
    'select id from arbiter.decisions where tenant_id = $1 order by id limit 1',
    [moved.id],
  );
  const { tenant } = await moveTenantOut(source.testDatabase.adminUrl, moved.id, true);
  const { header, frames } = await open(await backUp(tenant));
  const others = await rowsOf(target, { isOthers: true });
  const restored = await restoreTenant(target.testDatabase, header, frames);
  assert.ok(restored.rows > 100, `${restored.rows} rows`);

  // The tenant itself is active again.
  const expected = await rowsOf(source, { isOthers: false });
  const found = await rowsOf(target, { isOthers: false });
  delete expected['"arbiter"."tenants"'];
  delete found['"arbiter"."tenants"'];
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const [name, rows] of Object.entries(expected)) assert.equal(found[name], rows, name);
  assert.ok(Object.keys(expected).length > 40, `${Object.keys(expected).length} tables have rows`);
  assert.deepEqual(settled(await rowsOf(target, { isOthers: true })), settled(others));

  const jobs = await target.testDatabase.ownerQuery<{ payload: object }>(
    `select j.payload from graphile_worker._private_jobs j where j.key = $1`,
    [`${moved.id}:backup`],
  );
  assert.deepEqual(jobs, [{ payload: { tenantId: moved.id, of: 'the backup' } }]);

  const call = <Body>(method: string, path: string, body?: object) =>
    target.call<Body>(method, `/api/v1/${path}`, { key: moved.keys.admin, ...(body === undefined ? {} : { body }) });
  const replay = await call<{ identical: boolean }>('POST', `decisions/${record?.id}/replay`, {});
  assert.deepEqual([replay.status, replay.body.identical], [200, true], replay.text);
  const answer = await call<RecommendAnswer>('POST', 'recommend', { customerId: 'somebody after the move' });
  assert.equal(answer.status, 200, answer.text);
  const offer = await call<{ id: string }>('POST', 'categories', { name: 'After the move' });
  assert.equal(offer.status, 201, offer.text);
  await answers(source, 401);
});

test('rejects a tenant that already exists, and changes nothing', async () => {
  const { tenant } = await moveTenantOut(source.testDatabase.adminUrl, source.tenants[1]!.id, false);
  const path = await backUp(tenant);
  const first = await open(path);
  await restoreTenant(target.testDatabase, first.header, first.frames);
  const before = await rowsOf(target, { isOthers: true });
  const second = await open(path);
  await assert.rejects(restoreTenant(target.testDatabase, second.header, second.frames), /already has the tenant/);
  await second.frames.return(undefined);
  assert.deepEqual(settled(await rowsOf(target, { isOthers: true })), settled(before));
});
