// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

// R2 and E34 for demo data: the server is killed during a load, a removal and an upload. Another one finds nothing half
// done, reports that the load failed, and can load, replace and remove.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const patienceMs = 120_000;

let db: TestDatabase;
let installation: Installation;
let survivor: ServerProcess;
before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Packed']);
  survivor = await installation.start();
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

const path = '/api/v1/seed-dataset';

async function call(server: ServerProcess, method: string, url: string, body?: FormData) {
  const answer = await fetch(`${server.url}${url}`, {
    method,
    headers: { authorization: `Bearer ${installation.tenants[0]!.key}`, 'x-requested-with': 'test' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: text === '' ? {} : JSON.parse(text) };
}

/** Kills a server as soon as it reports this step, during the call. */
async function killAt(step: string, method: string, url: string): Promise<void> {
  const victim = await installation.start();
  const broken = call(victim, method, url).then(
    ({ text }) => `answered ${text}`,
    () => 'broken',
  );
  const elapsed = stopwatch();
  for (;;) {
    const [row] = await db.ownerQuery<{ step: string; status: string }>(
      'select step, status from arbiter.seed_progress',
    );
    if (row?.status === 'running' && row.step === step) break;
    assertInTime(elapsed() < patienceMs, `it never came to ${step}`);
    await sleep(2);
  }
  victim.kill('SIGKILL');
  await victim.ended;
  assert.equal(await broken, 'broken');
}

/** The database ends a dead server's transaction on its own, a moment later. */
async function statusWhenOver(): Promise<string> {
  const elapsed = stopwatch();
  for (;;) {
    const { body } = await call(survivor, 'GET', `${path}/coffee_rewards/status`);
    if (body.status !== 'running') return body.status;
    assertInTime(elapsed() < patienceMs, 'it is running for ever');
    await sleep(20);
  }
}

const rows = async (): Promise<Record<string, number>> => {
  const [counted] = await db.ownerQuery<Record<string, number>>(
    `select (select count(*) from arbiter.offers where deleted_at is null)::int as offers,
       (select count(*) from arbiter.schemas)::int as schemas, (select count(*) from arbiter.interactions)::int as history,
       (select count(*) from arbiter.seed_packs)::int as packs`,
  );
  return counted ?? {};
};
const none = { offers: 0, schemas: 0, history: 0, packs: 0 };
const coffee = { offers: 12, schemas: 2, history: 3000, packs: 1 };

test('a load interrupted by a killed server leaves nothing, and the next one works', async () => {
  for (const step of ['catalogue', 'interactions']) {
    await killAt(step, 'POST', `${path}/coffee_rewards`);
    assert.equal(await statusWhenOver(), 'failed');
    assert.deepEqual(await rows(), none);
    assert.equal((await call(survivor, 'DELETE', `${path}/coffee_rewards`)).status, 404, 'nothing is loaded');
  }
  const loaded = await call(survivor, 'POST', `${path}/coffee_rewards`);
  assert.equal(loaded.status, 201, loaded.text);
  assert.deepEqual(await rows(), coffee);
});

test('a replacement interrupted by a killed server leaves the old data, which can be removed', async () => {
  await killAt('rows', 'POST', `${path}/telco_care?force=true`);
  assert.equal(await statusWhenOver(), 'failed');
  assert.deepEqual(await rows(), coffee);
  const { body } = await call(survivor, 'GET', path);
  assert.equal(body.currentlyLoaded, 'coffee_rewards');
  await killAt('catalogue', 'DELETE', `${path}/coffee_rewards`);
  assert.equal(await statusWhenOver(), 'failed');
  assert.deepEqual(await rows(), coffee);
  const removed = await call(survivor, 'DELETE', `${path}/coffee_rewards`);
  assert.equal(removed.status, 200, removed.text);
  assert.deepEqual(await rows(), none);
});

test('an upload interrupted by a killed server leaves the old rows', async () => {
  const loaded = await call(survivor, 'POST', `${path}/coffee_rewards`);
  assert.equal(loaded.status, 201, loaded.text);
  const [table] = await db.ownerQuery<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
      where table_name = 'ds_coffee_visits' limit 1`,
  );
  assert.ok(table);
  const count = async () => (await db.ownerQuery<{ n: number }>(`select count(*)::int as n from ${table.name}`))[0]?.n;
  const victim = await installation.start();
  const file = ['visit_id,member_id', ...Array.from({ length: 300_000 }, (_, at) => `V${at},CM-000001`)].join('\n');
  const form = new FormData();
  form.append('schema', 'coffee_visits');
  form.append('file', new Blob([file], { type: 'text/csv' }), 'visits.csv');
  const broken = call(victim, 'POST', `${path}/coffee_rewards/upload`, form).then(
    ({ text }) => `answered ${text}`,
    () => 'broken',
  );
  const elapsed = stopwatch();
  for (;;) {
    const [busy] = await db.ownerQuery<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and query like '%ds_coffee_visits%'
         and query like '%insert into%' and pid <> pg_backend_pid()`,
    );
    if ((busy?.n ?? 0) > 0) break;
    assertInTime(elapsed() < patienceMs, 'nothing was written');
    await sleep(2);
  }
  victim.kill('SIGKILL');
  await victim.ended;
  assert.equal(await broken, 'broken');
  assert.equal(await count(), 5000);
});
