import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import Type from 'typebox';
import { createDatabase, type Database, systemActor, type Tx } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { newId } from '../platform/ids.ts';
import {
  claimDueRuns,
  clearSchedule,
  createJobRegistry,
  createScheduler,
  findSchedule,
  handleInstallationJob,
  handleJob,
  installationJob,
  job,
  setSchedule,
} from './index.ts';
import { leaseSeconds, takeLease } from './leases.store.ts';
import { claimDue } from './scheduler.ts';

const minuteMs = 60_000;
let clockMs = Date.parse('2026-11-20T09:00:30Z');
let db: TestDatabase;
let second: Database;
let tenantId: string;
before(async () => {
  db = await createTestDatabase({ clock: { now: () => clockMs } });
  second = createDatabase({
    url: db.url,
    clock: { now: () => clockMs },
    acquireTimeoutMs: 20_000,
    statementTimeoutMs: 30_000,
  });
});
after(async () => {
  await second.close();
  await db.close();
});
beforeEach(async () => {
  await db.ownerQuery(
    'delete from arbiter.schedules; delete from arbiter.leases; delete from graphile_worker._private_jobs',
  );
  await db.ownerQuery('update arbiter.tenants set deleted_at = now()');
  tenantId = await makeTenant();
});

async function makeTenant(): Promise<string> {
  const id = newId();
  await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'T')`, [id]);
  return id;
}

const nothing = Type.Object({}, { additionalProperties: false });
const minutely = job({ name: 'test.minutely', payload: nothing, schedule: { cron: '* * * * *', payload: {} } });
const nightly = installationJob({
  name: 'test.nightly',
  payload: Type.Object({ deep: Type.Boolean() }, { additionalProperties: false }),
  schedule: { cron: '30 2 * * *', zone: 'Europe/Berlin', payload: { deep: true } },
});
const upkeep = installationJob({
  name: 'test.upkeep',
  payload: nothing,
  schedule: { cron: '*/5 * * * *', payload: {}, upkeep: true },
});
const report = job({
  name: 'test.report',
  payload: Type.Object({ templateId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});
const registry = createJobRegistry([
  handleJob(minutely, async () => undefined),
  handleInstallationJob(nightly, async () => undefined),
  handleInstallationJob(upkeep, async () => undefined),
  handleJob(report, async () => undefined),
]);
const errors: unknown[] = [];
const tenantIds = async (tx: Tx) =>
  (await tx.query<{ id: string }>('select id from arbiter.tenants where deleted_at is null')).map(({ id }) => id);
const node = (holder: string, database: Database = db.database, part: 'upkeep' | 'others' = 'others') =>
  createScheduler({ database, registry, holder, part, tenantIds, onError: (error) => errors.push(error) });
const inTenant = <T>(work: (tx: Tx) => Promise<T>, id = tenantId) =>
  db.database.withTenant(id, systemActor('test'), work);

interface Queued {
  readonly task: string;
  readonly tenant: string | null;
  readonly dueAt: string;
}

/** Returns the jobs enqueued since the last call. */
async function queued(): Promise<Queued[]> {
  return db.ownerQuery<Queued>(
    `with gone as (delete from graphile_worker._private_jobs returning *)
     select t.identifier as task, g.payload ->> 'tenantId' as tenant, g.payload ->> 'dueAt' as "dueAt"
     from gone g join graphile_worker._private_tasks t on t.id = g.task_id order by g.payload ->> 'dueAt', 1, 2`,
  );
}

test("runs a declared schedule once when it's due, per tenant or once for all, in its own zone", async () => {
  const other = await makeTenant();
  const scheduler = node('one');
  await scheduler.tick();
  assert.deepEqual(await queued(), [], 'nothing is due when it is new');
  clockMs += minuteMs;
  for (let n = 0; n < 3; n++) await scheduler.tick();
  const due = '2026-11-20T09:01:00.000Z';
  assert.deepEqual(
    await queued(),
    [tenantId, other].toSorted().map((tenant) => ({ task: 'test.minutely', tenant, dueAt: due })),
  );
  const [row] = await db.ownerQuery(`select next_run_at, tenant_id from arbiter.schedules where job = 'test.nightly'`);
  assert.deepEqual(row!.next_run_at, new Date('2026-11-21T01:30:00Z'));
  clockMs = Date.parse('2026-11-21T01:30:00Z');
  await scheduler.tick();
  const nightlies = (await queued()).filter(({ task }) => task === 'test.nightly');
  assert.deepEqual(nightlies, [{ task: 'test.nightly', tenant: null, dueAt: '2026-11-21T01:30:00.000Z' }]);
});

test('E10: a missed day gives one run, not 1,440; no next run is in the past', async () => {
  const scheduler = node('one');
  await scheduler.tick();
  clockMs += 24 * 60 * minuteMs;
  await scheduler.tick();
  assert.equal((await queued()).filter(({ task }) => task === 'test.minutely').length, 1);
  const [row] = await db.ownerQuery<{ ahead: boolean }>(
    `select bool_and(next_run_at > $1) as ahead from arbiter.schedules`,
    [new Date(clockMs)],
  );
  assert.equal(row!.ahead, true);
});

test("a waiting run serves the next due time too, but a running one doesn't", async () => {
  const scheduler = node('one');
  await scheduler.tick();
  for (let n = 0; n < 3; n++) {
    clockMs += minuteMs;
    await scheduler.tick();
  }
  const [waiting] = await db.ownerQuery<{ n: number }>('select count(*) as n from graphile_worker._private_jobs');
  assert.equal(Number(waiting!.n), 1);
  await db.ownerQuery(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'somebody', attempts = 1`,
  );
  clockMs += minuteMs;
  await scheduler.tick();
  const jobs = await db.ownerQuery('select attempts, max_attempts from graphile_worker._private_jobs order by id');
  assert.deepEqual(jobs, [
    { attempts: 1, max_attempts: 6 },
    { attempts: 0, max_attempts: 6 },
  ]);
});

test('two nodes: one run per due time, in every order', async () => {
  const nodes = [node('one'), node('two', second)];
  for (const scheduler of nodes) await scheduler.tick();
  await queued();
  const seen: string[] = [];
  for (let n = 0; n < 20; n++) {
    clockMs += minuteMs;
    await Promise.all([...nodes, ...nodes].map((scheduler) => scheduler.tick()));
    for (const { task, dueAt } of await queued()) if (task === 'test.minutely') seen.push(dueAt);
  }
  assert.equal(seen.length, 20);
  assert.equal(new Set(seen).size, 20);
});

test('two nodes that both believe they hold the lease claim each run once, and the former holder none', async () => {
  await node('one').tick();
  const jobs = new Map([...registry].map(([name, handler]) => [name, handler.job]));
  const former = await db.database.withSystem('test', (tx) => takeLease(tx, 'scheduler', 'one'));
  const options = { jobs, tenantIds, onError: (error: unknown) => errors.push(error) };
  // The same lease in two hands: only the rows can keep them apart.
  let claims = 0;
  const counted = { ...options, onRun: (name: string) => void (name === minutely.name && claims++) };
  for (let n = 0; n < 10; n++) {
    clockMs += minuteMs;
    await Promise.all(
      [db.database, second, db.database, second].map((database) => claimDue({ ...counted, database, lease: former! })),
    );
    assert.equal((await queued()).filter(({ task }) => task === 'test.minutely').length, 1);
    // A job that still waits would hide a second claim from the queue.
    assert.equal(claims, n + 1);
  }
  await db.ownerQuery(`update arbiter.leases set expires_at = clock_timestamp() where name = 'scheduler'`);
  const newer = await second.withSystem('test', (tx) => takeLease(tx, 'scheduler', 'two'));
  assert.equal(newer!.token, former!.token + 1);
  clockMs += minuteMs;
  assert.equal(await claimDue({ ...options, database: db.database, lease: former! }), 0);
  assert.deepEqual(await queued(), []);
  assert.ok((await claimDue({ ...options, database: second, lease: newer! })) > 0);
});

test("E10: an outside caller and the scheduler claim each run of a tenant's schedule once, in any order", async () => {
  const scheduler = node('one');
  await scheduler.tick();
  const templateId = newId();
  await inTenant((tx) =>
    setSchedule(tx, report, templateId, { cron: '* * * * *', zone: 'UTC', payload: { templateId }, enabled: true }),
  );
  const outside = (database: Database) =>
    claimDueRuns({ database, tenantIds, onError: (error) => errors.push(error) }, [report]);
  const seen: string[] = [];
  for (let n = 0; n < 20; n++) {
    clockMs += minuteMs;
    const callers = [() => scheduler.tick(), () => outside(second), () => outside(db.database), () => outside(second)];
    // In every order, and all at once.
    await Promise.all([...callers.slice(n % 4), ...callers.slice(0, n % 4)].map((call) => call()));
    for (const { task, dueAt } of await queued()) if (task === report.name) seen.push(dueAt);
  }
  assert.equal(seen.length, 20);
  assert.equal(new Set(seen).size, 20);
  clockMs += minuteMs;
  assert.equal(await outside(second), 1);
  assert.equal(await outside(second), 0, 'a run that was claimed is not due any more');
  const foreign = (await queued()).filter(({ task }) => task !== report.name);
  assert.deepEqual(foreign, [], 'schedules of other jobs are left to the scheduler');
});

test('the lease has one holder at a time, and changes hands on expiry or return, not before', async () => {
  const [one, two] = [node('one'), node('two', second)];
  await one.tick();
  await two.tick();
  const holder = async () => (await db.ownerQuery(`select holder, token from arbiter.leases`))[0];
  assert.deepEqual(await holder(), { holder: 'one', token: 1 });
  await db.ownerQuery(`update arbiter.leases set expires_at = clock_timestamp() + interval '5 s'`);
  await one.tick();
  const [left] = await db.ownerQuery<{ seconds: number }>(
    `select extract(epoch from expires_at - clock_timestamp())::float8 as seconds from arbiter.leases`,
  );
  assert.ok(left!.seconds > 10 && left!.seconds <= leaseSeconds, 'the holder renews in time');
  await one.stop();
  await two.tick();
  assert.deepEqual(await holder(), { holder: 'two', token: 2 });
  await one.tick();
  assert.deepEqual(await holder(), { holder: 'two', token: 2 });
  assert.equal(one.works() && two.works(), true);
});

test('upkeep runs separately', async () => {
  await node('one', db.database, 'upkeep').tick();
  await node('two', second, 'others').tick();
  clockMs += 6 * minuteMs;
  await node('two', second, 'others').tick();
  assert.deepEqual([...new Set((await queued()).map(({ task }) => task))], ['test.minutely']);
  await node('one', db.database, 'upkeep').tick();
  assert.deepEqual([...new Set((await queued()).map(({ task }) => task))], ['test.upkeep']);
});

test("a tenant's schedule: set, run once per due time with its payload, changed, disabled, cleared", async () => {
  const other = await makeTenant();
  const scheduler = node('one');
  const [templateId, key] = [newId(), newId()];
  clockMs = Date.parse('2026-11-20T09:00:30Z');
  const spec = { cron: '0 9 * * 1-5', zone: 'Europe/Berlin', payload: { templateId }, enabled: true };
  const set = await inTenant((tx) => setSchedule(tx, report, key, spec));
  assert.deepEqual(set, { nextRunAt: new Date('2026-11-23T08:00:00Z'), lastRunAt: null });
  clockMs = set.nextRunAt!.getTime();
  for (let n = 0; n < 2; n++) await scheduler.tick();
  const [stored] = await db.ownerQuery<{ payload: object }>(
    `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where identifier = 'test.report'`,
  );
  assert.deepEqual(stored!.payload, { templateId, tenantId, dueAt: '2026-11-23T08:00:00.000Z' });
  await queued();
  const found = await inTenant((tx) => findSchedule(tx, report, key));
  assert.deepEqual(found, { nextRunAt: new Date('2026-11-24T08:00:00Z'), lastRunAt: set.nextRunAt });
  assert.equal(await inTenant((tx) => findSchedule(tx, report, key), other), null, 'no other tenant sees it');

  const moved = await inTenant((tx) => setSchedule(tx, report, key, { ...spec, zone: 'UTC' }));
  assert.deepEqual(moved, { nextRunAt: new Date('2026-11-23T09:00:00Z'), lastRunAt: set.nextRunAt });
  const off = await inTenant((tx) => setSchedule(tx, report, key, { ...spec, enabled: false }));
  assert.equal(off.nextRunAt, null);
  clockMs += 7 * 24 * 60 * minuteMs;
  await scheduler.tick();
  assert.deepEqual(
    (await queued()).filter(({ task }) => task === 'test.report'),
    [],
  );
  await inTenant((tx) => clearSchedule(tx, report, key));
  assert.equal(await inTenant((tx) => findSchedule(tx, report, key)), null);
});

test('rejects an invalid schedule, and changes nothing', async () => {
  const key = newId();
  const spec = { cron: '0 9 * * *', zone: 'UTC', payload: { templateId: newId() }, enabled: true };
  const before = await inTenant((tx) => setSchedule(tx, report, key, spec));
  for (const [wrong, code] of [
    [{ ...spec, cron: '0 9 31 2 *' }, 'invalid_cron'],
    [{ ...spec, cron: '@daily' }, 'invalid_cron'],
    [{ ...spec, zone: 'Mars/Olympus' }, 'validation_failed'],
  ] as const) {
    await assert.rejects(
      inTenant((tx) => setSchedule(tx, report, key, wrong)),
      { code },
    );
  }
  await assert.rejects(inTenant((tx) => setSchedule(tx, report, key, { ...spec, payload: { templateId: 'x' } })));
  assert.deepEqual(await inTenant((tx) => findSchedule(tx, report, key)), before);
});

test('disables and reports one broken schedule, and runs the others; a deleted tenant gets nothing', async () => {
  const gone = await makeTenant();
  const spec = { cron: '* * * * *', zone: 'UTC', payload: { templateId: newId() }, enabled: true };
  for (const id of [tenantId, gone]) await inTenant((tx) => setSchedule(tx, report, 'k', spec), id);
  const broken = await inTenant((tx) => setSchedule(tx, report, 'broken', spec));
  await db.ownerQuery(`update arbiter.schedules set zone = 'Asia/Nowhere' where key = 'broken'`);
  await db.ownerQuery('update arbiter.tenants set deleted_at = now() where id = $1', [gone]);
  errors.length = 0;
  clockMs = broken.nextRunAt!.getTime();
  await node('one').tick();
  // What was due when it broke still runs.
  assert.deepEqual(
    (await queued()).filter(({ task }) => task === 'test.report').map(({ tenant }) => tenant),
    [tenantId, tenantId],
  );
  assert.equal(errors.length, 1);
  assert.match(String(errors[0]), /test.report broken disabled/);
  assert.equal((await inTenant((tx) => findSchedule(tx, report, 'broken')))!.nextRunAt, null);
});

test('a changed declaration applies from now; an unchanged one keeps its next run', async () => {
  await node('one').tick();
  clockMs += 30_000;
  const changed = job({ name: 'test.minutely', payload: nothing, schedule: { cron: '0 * * * *', payload: {} } });
  const next = async () =>
    (
      await db.ownerQuery<{ next_run_at: Date }>(
        `select next_run_at from arbiter.schedules where job = 'test.minutely'`,
      )
    )[0]!.next_run_at;
  const before = await next();
  await db.ownerQuery('delete from arbiter.leases');
  await node('one').tick();
  assert.deepEqual(await next(), before);
  await db.ownerQuery('delete from arbiter.leases');
  const newer = createJobRegistry([handleJob(changed, async () => undefined)]);
  await createScheduler({
    database: db.database,
    registry: newer,
    holder: 'new',
    part: 'others',
    tenantIds,
    onError: (error) => errors.push(error),
  }).tick();
  assert.equal((await next()).getUTCMinutes(), 0);
});

test('a schedule that a fast clock moved too far runs when its own cron says', async () => {
  const scheduler = node('one');
  await scheduler.tick();
  await inTenant((tx) =>
    setSchedule(tx, report, 'r1', {
      cron: '0 * * * *',
      zone: 'UTC',
      payload: { templateId: newId() },
      enabled: true,
    }),
  );
  const right = clockMs;
  clockMs += 25 * 60 * minuteMs;
  await scheduler.tick();
  await queued();
  clockMs = right;
  // Restarted, as after the clock was set right.
  await scheduler.stop();
  await node('two').tick();
  const ahead = await db.ownerQuery<{ job: string; next_run_at: Date }>(
    'select job, next_run_at from arbiter.schedules',
  );
  assert.equal(ahead.length, 3);
  for (const { job: name, next_run_at } of ahead) {
    const longestMs = name === 'test.minutely' ? minuteMs : name === 'test.report' ? 60 * minuteMs : 24 * 60 * minuteMs;
    assert.ok(next_run_at.getTime() <= right + longestMs, `${name}: ${next_run_at.toISOString()}`);
  }
  clockMs += minuteMs;
  await node('two').tick();
  assert.ok((await queued()).some(({ task }) => task === 'test.minutely'));
});

test('an outside scheduler brings schedules forward too', async () => {
  await inTenant((tx) =>
    setSchedule(tx, report, 'r1', { cron: '* * * * *', zone: 'UTC', payload: { templateId: newId() }, enabled: true }),
  );
  await db.ownerQuery(`update arbiter.schedules set next_run_at = next_run_at + interval '25 hours'`);
  const claim = () =>
    claimDueRuns({ database: db.database, tenantIds, onError: (error) => errors.push(error) }, [report]);
  assert.equal(await claim(), 0);
  clockMs += minuteMs;
  assert.equal(await claim(), 1);
});

test('a lease from a time when the clock was ahead has expired', async () => {
  const take = (holder: string) => db.database.withSystem('test', (tx) => takeLease(tx, 'scheduler', holder));
  const first = await take('one');
  assert.ok(first);
  assert.equal(await take('two'), null);
  await db.ownerQuery(`update arbiter.leases set expires_at = expires_at + interval '1 hour'`);
  const second = await take('two');
  assert.equal(second?.token, first.token + 1);
});
