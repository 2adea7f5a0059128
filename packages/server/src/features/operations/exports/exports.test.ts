import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ExportAnswer, InteractionRow } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { firstIdAt, idAt, newId } from '../../../platform/ids.ts';
import { createPrivateFolder, type PrivateFolder } from '../../../platform/private-folder.ts';
import { createKeyedHash } from '../../deciding/customer-states/index.ts';
import { eraseFromExports } from './erase-exports.service.ts';
import { exportHistory, idsMayLagMs } from './exports.service.ts';

/** Export of interaction history (docs/design/quality.md E14, T14). */

const secret = 'a secret of the scheduler';
let now = Date.now();
let folder: string;
let files: PrivateFolder;
let server: TestServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-exports-'));
  files = createPrivateFolder(folder);
  server = await startTestServer({
    tenants: 3,
    clock: { now: () => now },
    config: { CRON_SECRET: secret, EXPORT_DIR: folder },
  });
});
after(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

let tenantId: string;
let otherId: string;
beforeEach(async () => {
  for (const table of [
    'interactions',
    'decision_impressions',
    'exported_rows',
    'export_late_rows',
    'export_checkpoints',
  ]) {
    await server.testDatabase.ownerQuery(`delete from arbiter.${table}`);
  }
  await rm(folder, { recursive: true, force: true });
  tenantId = server.tenants[0].id;
  otherId = server.tenants[1]!.id;
  now = Date.now();
});

const bearer = { authorization: `Bearer ${secret}` };
async function call(headers: Record<string, string> = bearer) {
  return server.call<ExportAnswer>('GET', '/api/v1/cron/export-interactions', { key: null, headers });
}

async function exportAll(): Promise<ExportAnswer> {
  const answer = await call();
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const insertText = `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification,
    direction, is_conversion, occurred_at, created_at)
  select $1, u.id, $3, 'response', 'click', 'positive', 'inbound', false, $4, $4 from unnest($2::uuid[]) as u(id)`;

/** Rows of an instant, as responses leave them. */
async function respond(count: number, tenant = tenantId, customerId = 'C-1'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => idAt(now));
  await server.testDatabase.ownerQuery(insertText, [tenant, ids, customerId, new Date(now)]);
  return ids;
}

/** Packed rows of an instant, as decisions leave them; answers with the ids of their items. */
async function show(count: number, items: number, tenant = tenantId): Promise<string[]> {
  // The last byte is the place of the item.
  const ids = Array.from({ length: count }, () => `${idAt(now).slice(0, -2)}00`);
  const offers = Array.from({ length: items }, () => newId());
  await server.testDatabase.ownerQuery(
    `insert into arbiter.decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids)
     select $1, u.id, 'C-1', $3, $4 from unnest($2::uuid[]) as u(id)`,
    [tenant, ids, new Date(now), offers],
  );
  return ids.flatMap((id) => offers.map((_, at) => id.slice(0, -2) + (at + 1).toString(16).padStart(2, '0')));
}

/** Advances the recorded bound as if `idsMayLagMs` had passed: the database's clock can't be set. */
const letPass = () =>
  server.testDatabase.ownerQuery(
    `update arbiter.export_checkpoints set next_low_id = $1 where next_low_id is not null`,
    [firstIdAt(now - idsMayLagMs)],
  );

/**
 * Waits until no transaction runs that is as old as the noted bound. PostgreSQL numbers the transactions of all its databases
 * together, and other tests use others of this server: one of theirs holds the bound back as well.
 */
async function nothingOlderRuns(): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const held = await server.testDatabase.ownerQuery(
      'select from arbiter.export_checkpoints where next_low_xid > pg_snapshot_xmin(pg_current_snapshot())::text::numeric',
    );
    if (held.length === 0) return;
    await setTimeout(10);
  }
  assert.fail('a transaction of another test goes on');
}

/** Returns every line of every file of a tenant. */
async function exported(tenant = tenantId): Promise<InteractionRow[]> {
  const paths = await files.list(tenant, '.json');
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
}

async function assertExported(ids: readonly string[], tenant = tenantId): Promise<void> {
  const found = (await exported(tenant)).map(({ id }) => id);
  assert.equal(found.length, new Set(found).size, 'no id twice');
  assert.deepEqual(found.toSorted(), [...ids].sort());
}

test("E9: accepts CRON_SECRET only, in either header; HEAD runs nothing; errors have the scheduler's format", async () => {
  await respond(1);
  for (const headers of [
    {},
    { authorization: 'Bearer ' },
    { authorization: 'Bearer wrong' },
    { 'x-cron-secret': 'wrong', ...bearer },
    { authorization: `Bearer ${server.tenants[0].keys.admin}` },
  ] as Record<string, string>[]) {
    const refused = await call(headers);
    assert.equal(refused.status, 401, JSON.stringify(headers));
    assert.deepEqual(refused.body, { error: 'unauthorized' });
    assert.equal(refused.headers['content-type'], 'application/json');
  }
  const head = await server.call('HEAD', '/api/v1/cron/export-interactions', { key: null, headers: bearer });
  assert.equal(head.status, 405);
  assert.deepEqual(await exported(), []);
  const answer = await call({ 'x-cron-secret': secret });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.body.totalExported, 1);
});

test('new rows of each tenant are in a file of its own, once, as the API shows them', async () => {
  const own = [...(await respond(3)), ...(await show(2, 3))];
  const others = await respond(2, otherId, 'line\nbreak');
  const first = await exportAll();
  assert.deepEqual([first.ok, first.totalExported], [true, 11]);
  assert.deepEqual(first.tenants.map(({ tenantName, exported: n }) => [tenantName, n]).sort(), [
    ['Tenant 1', 9],
    ['Tenant 2', 2],
    ['Tenant 3', 0],
  ]);
  const day = new Date(now).toISOString().slice(0, 10).split('-');
  const [mine, , third] = ['Tenant 1', 'Tenant 2', 'Tenant 3'].map((name) =>
    first.tenants.find(({ tenantName }) => tenantName === name),
  );
  assert.equal(
    mine!.filePath,
    `exports/${tenantId}/interaction_history/year=${day[0]}/month=${day[1]}/day=${day[2]}/batch-${now}.json`,
  );
  assert.equal(third!.filePath, null);
  await assertExported(own);
  await assertExported(others, otherId);
  assert.equal((await exported(otherId))[0]!.customerId, 'line\nbreak');
  const path = join(folder, mine!.filePath!.slice('exports/'.length));
  assert.equal((await stat(path)).mode & 0o777, 0o600);

  const listed = await server.call<{ data: InteractionRow[] }>('GET', '/api/v1/interaction-history?limit=100');
  const shown = listed.body.data.map(({ offer: _, creative: __, ...row }) => row);
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  assert.deepEqual((await exported()).sort(byId), shown.sort(byId));

  const again = await exportAll();
  assert.deepEqual([again.ok, again.totalExported], [true, 0]);
  const next = await respond(1);
  // At the same instant: the name is taken, the next millisecond isn't.
  assert.match(
    (await exportAll()).tenants.find((t) => t.tenantId === tenantId)!.filePath!,
    new RegExp(`batch-${now + 1}\\.json$`),
  );
  await assertExported([...own, ...next]);
  const [audit] = await server.testDatabase.ownerQuery(
    `select user_id, action, after from arbiter.audit_logs where tenant_id = $1 and entity_type = 'interaction' order by sequence desc limit 1`,
    [tenantId],
  );
  assert.deepEqual([audit!.user_id, audit!.action], ['system:export-interactions', 'export']);
});

test('E14: exports exactly 10,000 items per call, even of 10,001 at one instant or within one decision', async () => {
  const ids = await respond(10_001);
  assert.equal((await exportAll()).totalExported, 10_000);
  assert.equal((await exportAll()).totalExported, 1);
  await assertExported(ids);
  now += 5;
  const packed = await show(1_800, 7);
  assert.deepEqual(
    [(await exportAll()).totalExported, (await exportAll()).totalExported, (await exportAll()).totalExported],
    [10_000, 2_600, 0],
  );
  await assertExported([...ids, ...packed]);
});

test('E14: exports a row whose transaction ends after later ones, however long it took', async () => {
  const [tenant, late] = [tenantId, idAt(now)];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inserted = Promise.withResolvers<void>();
  const slow = server.database.withTenant(tenant, systemActor('test'), async (tx) => {
    await tx.query(insertText, [tenant, [late], 'C-1', new Date(now)]);
    inserted.resolve();
    await held;
  });
  await inserted.promise;
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    now += idsMayLagMs + 60_000;
    ids.push(...(await respond(2)));
    assert.equal((await exportAll()).totalExported, 2);
    await letPass();
  }
  release();
  await slow;
  assert.equal((await exportAll()).totalExported, 1);
  await assertExported([...ids, late]);
  // Once nothing runs, the record of old exports is deleted.
  for (let n = 0; n < 3; n += 1) {
    now += idsMayLagMs + 60_000;
    await exportAll();
    await letPass();
    await nothingOlderRuns();
  }
  const [left] = await server.testDatabase.ownerQuery<{ n: number }>(
    'select count(*)::int as n from arbiter.exported_rows where tenant_id = $1',
    [tenant],
  );
  assert.equal(left!.n, 0);
  assert.equal((await exportAll()).totalExported, 0);
});

test('E14: exports a row written long after its ID was created, once, although the export was there', async () => {
  const start = now;
  const ids = await respond(3);
  for (let n = 0; n < 3; n += 1) {
    now += idsMayLagMs + 60_000;
    ids.push(...(await respond(1)));
    await exportAll();
    await letPass();
    await nothingOlderRuns();
  }
  const [checkpoint] = await server.testDatabase.ownerQuery<{ low: string }>(
    'select low_id as low from arbiter.export_checkpoints where tenant_id = $1',
    [tenantId],
  );
  const far = now;
  // As after a process stopped between the two. The packed row spans two calls.
  now = start - idsMayLagMs - 60_000;
  assert.ok(firstIdAt(now) < checkpoint!.low, 'the export has been there');
  const single = await respond(9_995);
  const packed = await show(3, 7);
  now = far + 60_000;
  const young = await respond(2);
  assert.equal((await exportAll()).totalExported, 10_000);
  assert.equal((await exportAll()).totalExported, 18);
  assert.equal((await exportAll()).totalExported, 0);
  await assertExported([...ids, ...single, ...packed, ...young]);
  const left = await server.testDatabase.ownerQuery('select from arbiter.export_late_rows');
  assert.equal(left.length, 0, 'nothing is noted any more');
});

test('E14: late means older than ten minutes when written; one deleted before its export is forgotten', async () => {
  await exportAll();
  now = Date.now() - idsMayLagMs + 30_000;
  await respond(1);
  const count = async () => (await server.testDatabase.ownerQuery('select from arbiter.export_late_rows')).length;
  assert.equal(await count(), 0);
  now = Date.now() - idsMayLagMs - 1_000;
  const [late] = await respond(1);
  assert.equal(await count(), 1);
  await server.testDatabase.ownerQuery('update arbiter.export_checkpoints set low_id = $1', [newId()]);
  await server.testDatabase.ownerQuery('delete from arbiter.interactions where id = $1', [late]);
  assert.equal((await exportAll()).totalExported, 0);
  assert.equal(await count(), 0);
});

test('E14: the export continues in a restored copy, where transaction numbers restart low', async () => {
  const before = await respond(3);
  await exportAll();
  await server.testDatabase.ownerQuery(`update arbiter.export_checkpoints set next_low_xid = 10000000000000`);
  now += idsMayLagMs + 60_000;
  const later = await respond(2);
  assert.equal((await exportAll()).totalExported, 2);
  await assertExported([...before, ...later]);
  const [checkpoint] = await server.testDatabase.ownerQuery<{ n: string; low: string }>(
    'select next_low_xid::text as n, low_id as low from arbiter.export_checkpoints where tenant_id = $1',
    [tenantId],
  );
  assert.notEqual(checkpoint!.n, '10000000000000', 'it waits for nothing that never comes');
  assert.notEqual(checkpoint!.low, '00000000-0000-0000-0000-000000000000');
});

test('the next call finishes a batch that a process left unfinished, under the same name', async () => {
  const ids = await respond(5);
  const ports = { database: server.database, exportFolder: files };
  const ends = new Error('the process ends here');
  const beforeFile: PrivateFolder = { ...files, write: () => Promise.reject(ends) };
  await assert.rejects(exportHistory({ ...ports, exportFolder: beforeFile }, tenantId), ends);
  assert.deepEqual(await exported(), []);
  const afterFile: PrivateFolder = {
    ...files,
    async write(path, bytes) {
      await files.write(path, bytes);
      throw ends;
    },
  };
  await assert.rejects(exportHistory({ ...ports, exportFolder: afterFile }, tenantId), ends);
  await assertExported(ids);
  now += 60_000;
  const more = await respond(4);
  assert.equal((await exportHistory(ports, tenantId)).exported, 5, 'the batch that was begun');
  assert.equal((await exportHistory(ports, tenantId)).exported, 4);
  await assertExported([...ids, ...more]);
});

test("a tenant whose file can't be written has the error and keeps its checkpoint; others continue", async () => {
  const [own, others] = [await respond(2), await respond(2, otherId)];
  // A file exists where the tenant's folder should be.
  await files.write(`${tenantId}/interaction_history`, 'in the way');
  const failed = await exportAll();
  assert.deepEqual([failed.ok, failed.totalExported], [false, 2]);
  const mine = failed.tenants.find((each) => each.tenantId === tenantId)!;
  assert.deepEqual([mine.exported, mine.filePath], [0, null]);
  assert.match(mine.error!, /^E[A-Z]+$/);
  const status = async () =>
    (
      await server.testDatabase.ownerQuery('select status from arbiter.export_checkpoints where tenant_id = $1', [
        tenantId,
      ])
    )[0]!.status;
  assert.equal(await status(), 'failed');
  await assertExported(others, otherId);
  await files.remove(`${tenantId}/interaction_history`);
  assert.deepEqual((await exportAll()).totalExported, 2);
  assert.equal(await status(), 'ok');
  await assertExported(own);
  // It failed before a batch was chosen, and by the next call there is nothing to export.
  await server.testDatabase.ownerQuery(`update arbiter.export_checkpoints set status = 'failed', error = 'X'`);
  assert.deepEqual((await exportAll()).totalExported, 0);
  assert.equal(await status(), 'ok');
});

test("two at once: exports the tenant's rows once, and the second reports none", async () => {
  const ids = await respond(6_000);
  const answers = await Promise.all([exportAll(), exportAll(), exportAll()]);
  assert.equal(
    answers.reduce((sum, { totalExported }) => sum + totalExported, 0),
    6_000,
  );
  assert.ok(answers.every(({ ok }) => ok));
  await assertExported(ids);
});

test('files hold no partial batch, and no other files exist', async () => {
  await respond(10);
  await exportAll();
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = all.filter((entry) => entry.isFile()).map(({ name }) => name);
  assert.ok(names.length === 1 && /^batch-\d+\.json$/.test(names[0]!), names.join());
});

test('T25: removes an erased customer from existing files, and keeps rows written after the erasure', async () => {
  const key = `E-${newId()}`;
  await respond(2, tenantId, key);
  const kept = await respond(2, tenantId, 'somebody else');
  const without = await server.call<{ pending: string[] }>('DELETE', `/api/v1/customers/nobody/data?scope=all`, {
    headers: { 'x-confirm-delete': 'nobody' },
  });
  assert.deepEqual(without.body.pending, [], 'no file was written yet');
  await exportAll();
  const erased = await server.call<{ pending: string[] }>('DELETE', `/api/v1/customers/${key}/data?scope=everything`, {
    headers: { 'x-confirm-delete': key },
  });
  assert.equal(erased.status, 200, erased.text);
  assert.deepEqual(erased.body.pending, ['exports']);
  const jobs = await server.testDatabase.ownerQuery(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'customer.erase'`,
  );
  assert.equal(jobs.length, 1);
  assert.doesNotMatch(JSON.stringify(jobs), new RegExp(key), 'the job does not say who');
  now += 60_000;
  const back = await respond(1, tenantId, key);
  await exportAll();
  const run = server.jobs.get('customer.erase')!.run;
  await run({}, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, tenantId);
  await assertExported([...kept, ...back]);
  const left = await server.testDatabase.ownerQuery('select from arbiter.export_erasures where tenant_id = $1', [
    tenantId,
  ]);
  assert.equal(left.length, 0);
  // Without erasures there is nothing to search for.
  const never = createKeyedHash([], 'customer');
  const ports = { database: server.database, exportFolder: files, customerHash: never };
  await eraseFromExports(ports, otherId, new AbortController().signal);
});
