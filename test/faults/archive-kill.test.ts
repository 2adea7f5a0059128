// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

// R2 for archived history: servers are killed while they archive a month. Every record, figure and summary reads as before, and
// the next server finishes the work. ARCHIVE_KILL_DECISIONS: size of the month.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArchiveList } from '../../packages/contract/src/index.ts';
import { startTestServer, type TestServer, testDataKey } from '../../packages/server/src/main/test-server.ts';
import { idAt } from '../../packages/server/src/platform/ids.ts';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { closedMonth, copyIntoMonth } from '../load/old-month.ts';
import { createInstallation, type Installation } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const decisions = sized('ARCHIVE_KILL_DECISIONS', { short: 5_000, long: 60_000 });
const customers = 50;
const patienceMs = 120_000;
/** Any number that nothing else locks. */
const gateLock = 27;
const month = closedMonth();

/** Steps of the archiver, before which a server is killed. */
const steps = [
  { name: 'a part begins', kind: 'decisions', state: 'writing', doneGroups: 0 },
  { name: 'its file is complete', kind: 'decisions', state: 'deleting', doneGroups: 0 },
  { name: 'rows of some groups are deleted', kind: 'decisions', state: 'deleting', doneGroups: 3 },
  { name: 'all rows are deleted', kind: 'decisions', state: 'archived', doneGroups: 0 },
  { name: 'history is deleted and counted', kind: 'impressions', state: 'deleting', doneGroups: 1 },
] as const;

let reader: TestServer;
let installation: Installation;
let folder: string;
/** Some decisions of the month. */
let sample: readonly string[];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-archive-kill-'));
  reader = await startTestServer({ config: { ARCHIVE_URL: { folder } } });
  const environment = {
    DATABASE_URL: reader.testDatabase.url,
    DATA_ENCRYPTION_KEY: testDataKey,
    ARCHIVE_URL: `file://${folder}`,
  };
  installation = await createInstallation(environment, ['Beside']);
  await makeMonth();
  await installGate();
});
after(async () => {
  await installation?.stopAll();
  await reader?.close();
  await rm(folder, { recursive: true, force: true });
});

const sql: TestServer['testDatabase']['ownerQuery'] = (...query) => reader.testDatabase.ownerQuery(...query);

async function makeMonth(): Promise<void> {
  const channelId = await reader.create('channels', { name: 'Email', channelType: 'email' });
  for (const name of ['Card', 'Loan', 'Fund']) {
    const offerId = await reader.create('offers', { name, status: 'active' });
    await reader.create('creatives', { name, offerId, channelId, status: 'active' });
  }
  for (let at = 0; at < customers; at += 1) {
    const { status, text } = await reader.call('POST', '/api/v1/recommend', {
      body: { customerId: `C-${at}`, channel: 'email', limit: 2 },
    });
    assert.equal(status, 200, text);
  }
  await copyIntoMonth(reader, month, decisions);
  const rows = await sql<{ id: string }>(
    'select id from arbiter.decisions where tenant_id = $1 and id < $2 order by md5(id::text) limit 20',
    [reader.tenants[0].id, afterMonth()],
  );
  sample = rows.map(({ id }) => id);
}

const afterMonth = () => idAt(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));

/** Stops the archiver before the step in `test_gate`, for as long as the test holds the lock. */
async function installGate(): Promise<void> {
  await sql('create table arbiter.test_gate (kind text, state text, done_groups int)');
  await sql(`
    create function arbiter.test_wait() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from arbiter.test_gate g
                  where (g.kind, g.state, g.done_groups) = (new.kind, new.state, new.done_groups)) then
        perform pg_advisory_xact_lock_shared(${gateLock});
      end if;
      return new;
    end $$`);
  await sql(`create trigger test_wait before insert or update on arbiter.archived_parts
    for each row execute function arbiter.test_wait()`);
}

const isWaiting = async (): Promise<boolean> =>
  (await sql(`select from pg_locks where locktype = 'advisory' and objid = ${gateLock} and not granted`)).length > 0;

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const elapsed = stopwatch();
  while (!(await isSo())) {
    assertInTime(elapsed() < patienceMs, `${what}: not within ${patienceMs} ms`);
    await sleep(20);
  }
}

/** Starts a server with the job in its queue, as if the killed one's leases had expired. */
async function startArchiving() {
  await sql('delete from arbiter.leases');
  await sql(`delete from graphile_worker._private_jobs where key like '%:archive'`);
  await sql(
    `select graphile_worker.arbiter_enqueue_for(tenant => $1, task => 'history.archive', payload => '{}', job_key => 'archive',
       max_attempts => 6, keep_waiting => false)`,
    [reader.tenants[0].id],
  );
  return installation.start();
}

async function get<T>(path: string): Promise<T> {
  const { status, body, text } = await reader.call<T>('GET', `/api/v1/${path}`);
  assert.equal(status, 200, text);
  return body;
}

/** What callers see of the month. */
async function readings() {
  const records: object[] = [];
  for (const id of sample) records.push(await get(`decisions/${id}`));
  const replays: unknown[] = [];
  for (const id of sample) {
    const { status, body, text } = await reader.call('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
    assert.equal(status, 200, text);
    replays.push(body.identical);
  }
  const selections = await get<{ rows: unknown }>('dashboard-data?type=selection_frequency&days=200&limit=50');
  const summaries = await get<{ data: unknown }>('customers/C-1/summaries');
  return { records, replays, selections: selections.rows, summaries: summaries.data };
}

test('loses and duplicates nothing when servers are killed while archiving', async () => {
  const before = await readings();
  assert.deepEqual(new Set(before.replays), new Set([true]));
  for (const { name, kind, state, doneGroups } of steps) {
    const release = await reader.testDatabase.ownerHold(`select pg_advisory_xact_lock(${gateLock})`);
    await sql('insert into arbiter.test_gate values ($1, $2, $3)', [kind, state, doneGroups]);
    const server = await startArchiving();
    await until(name, isWaiting);
    server.kill('SIGKILL');
    await server.ended;
    await release();
    await sql('delete from arbiter.test_gate');
    assert.deepEqual(await readings(), before, `killed before: ${name}`);
  }
  const last = await startArchiving();
  const list = async () => (await get<ArchiveList>('admin/archives')).data;
  const rowsLeft = async (): Promise<number | undefined> =>
    (
      await sql<{ rows: number }>(
        `select ((select count(*) from arbiter.decisions where id < $1) + (select count(*) from arbiter.interactions where id < $1)
           + (select count(*) from arbiter.decision_impressions where id < $1))::int as rows`,
        [afterMonth()],
      )
    )[0]?.rows;
  await until(
    'the month is archived',
    async () => (await rowsLeft()) === 0 && (await list()).every(({ state }) => state === 'archived'),
  );
  last.kill('SIGTERM');
  await last.ended;
  assert.deepEqual(await readings(), before);
  const parts = await list();
  assert.equal(
    parts.filter(({ kind }) => kind === 'decisions').reduce((sum, { rows }) => sum + rows, 0),
    decisions,
  );
  assert.deepEqual(new Set(parts.map(({ kind }) => kind)), new Set(['decisions', 'impressions', 'interactions']));
  const found = (await readdir(folder, { recursive: true })).filter((path) => /\.(parquet|draft)$/.test(path));
  assert.deepEqual(found.toSorted(), parts.map(({ path }) => path).toSorted(), 'no unfinished file is left');
});
