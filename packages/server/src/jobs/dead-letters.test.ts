import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { AppError } from '../platform/app-error.ts';
import { newId } from '../platform/ids.ts';
import {
  countDeadLetters,
  expireDeadLetters,
  listDeadLetters,
  purgeDeadLetters,
  retryDeadLetters,
} from './dead-letters.store.ts';
import {
  createJobRegistry,
  createQueueKeeper,
  createWorker,
  enqueueJob,
  handleJob,
  installationJob,
  job,
} from './index.ts';
import { leaseSeconds } from './leases.store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const inTenant = <T>(tenantId: string, work: (tx: Tx) => Promise<T>) =>
  db.database.withTenant(tenantId, systemActor('test'), work);
const all = { topic: null, ids: null };
const step = Type.Object({ n: Type.Integer() }, { additionalProperties: false });
const poison = job({ name: 'test.poison', payload: step, attempts: 2 });
const good = job({ name: 'test.good', payload: step });

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Jobs that wait for their next try are due now. */
async function hurry(): Promise<void> {
  await db.ownerQuery(
    'update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()',
  );
  await db.ownerQuery(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
}

test('T24: a failing job becomes a dead letter once, others continue, and a retry works once', async () => {
  const tenantId = newId();
  const done: number[] = [];
  let broken = true;
  const registry = createJobRegistry([
    handleJob(poison, async ({ n }) => {
      if (broken) throw Object.assign(new Error('the outside said no'), { code: 'ENOPE' });
      done.push(n);
    }),
    handleJob(good, async ({ n }) => void done.push(n)),
  ]);
  const dead: (string | null)[][] = [];
  const keeper = createQueueKeeper(db.database, {
    registry,
    workerId: () => null,
    onDead: (...told) => void dead.push(told),
  });
  const worker = await createWorker({
    url: db.url,
    registry,
    concurrency: 2,
    graceMs: 5_000,
    onError: () => undefined,
  });
  await inTenant(tenantId, async (tx) => {
    await enqueueJob(tx, poison, { n: 1 });
    for (let n = 2; n <= 21; n++) await enqueueJob(tx, good, { n });
  });
  const isDead = async () => {
    await hurry();
    await Promise.all([keeper.look(), keeper.look()]);
    return dead.length > 0;
  };
  await waitFor(isDead);
  await waitFor(() => done.length === 20);
  assert.deepEqual(dead, [['test.poison', tenantId]]);
  const [letter, ...more] = await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50));
  assert.deepEqual(more, []);
  const { id, failedAt, ...rest } = letter!;
  assert.ok(failedAt instanceof Date);
  assert.deepEqual(rest, {
    topic: 'test.poison',
    payload: { n: 1 },
    error: 'Error (ENOPE): the outside said no',
    retryCount: 2,
  });
  assert.deepEqual(await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.poison'`), []);

  // The count of attempts continues when it fails again.
  assert.equal(await inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, { topic: null, ids: [id] })), 1);
  await waitFor(async () => (await isDead()) && dead.length === 2);
  const again = await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50));
  assert.deepEqual(
    again.map(({ payload, retryCount }) => ({ payload, retryCount })),
    [{ payload: { n: 1 }, retryCount: 4 }],
  );
  broken = false;
  const asked = await Promise.all(
    Array.from({ length: 5 }, () => inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, all))),
  );
  assert.deepEqual(asked.toSorted(), [0, 0, 0, 0, 1]);
  await waitFor(() => done.length === 21);
  await worker.stop();
  assert.deepEqual(
    done.filter((n) => n === 1),
    [1],
  );
  assert.deepEqual(await inTenant(tenantId, (tx) => countDeadLetters(tx, all)), {});
});

test("quotes from an error don't reach the dead letters (T36)", async () => {
  const tenantId = newId();
  const quoting = job({ name: 'test.quoting', payload: step, attempts: 1 });
  const registry = createJobRegistry([
    handleJob(quoting, async ({ n }, { tenantId: own }) => {
      if (n === 1) JSON.parse('jane@example.org');
      await inTenant(own, (tx) => tx.query(`select 'jane@example.org'::uuid`));
    }),
  ]);
  const dead: string[] = [];
  const keeper = createQueueKeeper(db.database, {
    registry,
    workerId: () => null,
    onDead: (topic) => void dead.push(topic),
  });
  const worker = await createWorker({
    url: db.url,
    registry,
    concurrency: 1,
    graceMs: 5_000,
    onError: () => undefined,
  });
  for (const n of [1, 2]) await inTenant(tenantId, (tx) => enqueueJob(tx, quoting, { n }));
  await waitFor(async () => {
    await keeper.look();
    return dead.length === 2;
  });
  await worker.stop();
  const letters = await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50));
  assert.deepEqual(letters.map(({ error }) => error).toSorted(), ['DatabaseError', 'SyntaxError']);
});

async function plant(tenantId: string, topics: readonly string[], ageDays = 0): Promise<void> {
  await db.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     select $1, id, topic, '{"n": 1}', 'Error', 6, now() - make_interval(days => $4) from unnest($2::uuid[], $3::text[]) as l(id, topic)`,
    [tenantId, topics.map(() => newId()), topics, ageDays],
  );
}
const times = (n: number, topic: string) => Array.from({ length: n }, () => topic);
const registry = createJobRegistry([handleJob(poison, async () => undefined), handleJob(good, async () => undefined)]);

test('T24: parallel retry and purge of the same IDs handle each once in total', async () => {
  const tenantId = newId();
  await plant(tenantId, times(400, 'test.good'));
  const ids = (await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 1_000))).map(({ id }) => id);
  const filter = { topic: null, ids };
  const [requeued, deleted, requeuedToo] = await Promise.all([
    inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, filter)),
    inTenant(tenantId, (tx) => purgeDeadLetters(tx, filter)),
    inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, filter)),
  ]);
  assert.equal(requeued + deleted + requeuedToo, 400);
  const [queued] = await db.ownerQuery<{ n: number }>(
    `select count(*) as n from graphile_worker._private_jobs where payload ->> 'tenantId' = $1`,
    [tenantId],
  );
  assert.equal(Number(queued!.n), requeued + requeuedToo);
});

test('filters: topic and IDs must both match; reaches no other tenant; keeps unknown jobs', async () => {
  const [tenantId, other] = [newId(), newId()];
  await plant(tenantId, [...times(3, 'test.good'), ...times(2, 'test.poison'), 'test.removed']);
  await plant(other, times(2, 'test.good'));
  const letters = await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50));
  const good = letters.filter(({ topic }) => topic === 'test.good').map(({ id }) => id);
  const poisoned = letters.filter(({ topic }) => topic === 'test.poison').map(({ id }) => id);
  const foreign = (await inTenant(other, (tx) => listDeadLetters(tx, all, 50))).map(({ id }) => id);
  const purge = (topic: string | null, ids: readonly string[] | null) =>
    inTenant(tenantId, (tx) => purgeDeadLetters(tx, { topic, ids }));
  assert.equal(await purge('test.good', poisoned), 0);
  assert.equal(await purge('test.good', [good[0]!, ...poisoned, ...foreign]), 1);
  assert.equal(await purge(null, foreign), 0);
  assert.equal(await inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, all)), 4);
  assert.deepEqual(await inTenant(tenantId, (tx) => countDeadLetters(tx, all)), { 'test.removed': 1 });
  assert.equal(await purge(null, null), 1);
  assert.deepEqual(await inTenant(other, (tx) => countDeadLetters(tx, all)), { 'test.good': 2 });
});

test('one retry handles at most 1,000, oldest first', async () => {
  const tenantId = newId();
  await plant(tenantId, times(1_002, 'test.good'));
  assert.equal(await inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, all)), 1_000);
  assert.equal(await inTenant(tenantId, (tx) => retryDeadLetters(tx, registry, all)), 2);
});

test('keeps dead letters for 30 days', async () => {
  const tenantId = newId();
  await plant(tenantId, times(3, 'test.good'), 31);
  await plant(tenantId, ['test.poison'], 29);
  while (await db.database.withSystem('test', expireDeadLetters));
  assert.deepEqual(await inTenant(tenantId, (tx) => countDeadLetters(tx, all)), { 'test.poison': 1 });
});

test('a job whose process ended during its last attempt becomes a dead letter, even across tenants, hidden from them', async () => {
  const tenantId = newId();
  const across = installationJob({ name: 'test.across', payload: step, attempts: 1 });
  await inTenant(tenantId, (tx) => enqueueJob(tx, poison, { n: 7 }));
  await db.database.withSystem('test', (tx) => enqueueJob(tx, across, { n: 8 }));
  // What a process that was killed an hour ago leaves behind.
  const taken = ['test.poison', 'test.across'];
  await db.ownerQuery(
    `update graphile_worker._private_jobs j set attempts = max_attempts, locked_by = 'gone', locked_at = now() - interval '1 hour'
     from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier = any ($1)
       and j.payload ->> 'n' in ('7', '8')`,
    [taken],
  );
  let elapsed = 0;
  const dead: (string | null)[][] = [];
  const givenUp: unknown[] = [];
  const registry = createJobRegistry([
    handleJob(
      poison,
      async () => undefined,
      async ({ n }, tenant) => void givenUp.push([n, tenant]),
    ),
  ]);
  const keeper = createQueueKeeper(db.database, {
    registry,
    workerId: () => 'me',
    onDead: (...told) => void dead.push(told),
    elapsed: () => elapsed,
  });
  // The keeper judges other workers only after it has been connected for as long as a lease lasts.
  for (; elapsed < leaseSeconds * 1000; elapsed += 5_000) {
    await keeper.look();
    assert.deepEqual(dead, []);
  }
  await keeper.look();
  assert.deepEqual(dead.toSorted(), [
    ['test.across', null],
    ['test.poison', tenantId],
  ]);
  assert.deepEqual(givenUp, [[7, tenantId]]);
  const [letter] = await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50));
  assert.equal(letter!.error, 'the process exited during the last attempt');
  const [rows] = await db.ownerQuery<{ n: number }>(
    `select count(*) as n from arbiter.dead_letters where topic = 'test.across' and tenant_id = '00000000-0000-0000-0000-000000000000'`,
  );
  assert.equal(Number(rows!.n), 1);
});

test('work that waits for a dead job ends even if the process that found it exits first', async () => {
  const tenantId = newId();
  await inTenant(tenantId, (tx) => enqueueJob(tx, poison, { n: 63 }));
  await db.ownerQuery(`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'n' = '63'`);
  const givenUp: unknown[] = [];
  const registry = createJobRegistry([
    handleJob(
      poison,
      async () => undefined,
      async ({ n }) => void givenUp.push(n),
    ),
  ]);
  const isDead = async () => (await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50))).length;
  // It exits when it has ended the wait, before the job is a dead letter.
  const exits = { ...db.database, withTenant: openUntil(db.database, () => givenUp.length > 0) };
  const first = createQueueKeeper(exits, { registry, workerId: () => null, onDead: () => undefined });
  await assert.rejects(first.look(), /gone/);
  assert.deepEqual([givenUp, await isDead()], [[63], 0]);
  await createQueueKeeper(db.database, { registry, workerId: () => null, onDead: () => undefined }).look();
  assert.deepEqual([givenUp, await isDead()], [[63, 63], 1]);
});

/** Opens transactions until the process has ended. */
const openUntil =
  (database: Database, isGone: () => boolean): Database['withTenant'] =>
  async (...call) => {
    if (isGone()) throw new Error('the process is gone');
    return database.withTenant(...call);
  };

test('a dead job stays until its dependents have ended, if the database was only briefly away', async () => {
  const tenantId = newId();
  await inTenant(tenantId, (tx) => enqueueJob(tx, poison, { n: 64 }));
  await db.ownerQuery(`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'n' = '64'`);
  let tries = 0;
  const registry = createJobRegistry([
    handleJob(
      poison,
      async () => undefined,
      async () => {
        tries += 1;
        if (tries === 1) throw new AppError('unavailable');
      },
    ),
  ]);
  const keeper = createQueueKeeper(db.database, { registry, workerId: () => null, onDead: () => undefined });
  const letters = async () => (await inTenant(tenantId, (tx) => listDeadLetters(tx, all, 50))).length;
  await assert.rejects(keeper.look(), { code: 'unavailable' });
  assert.deepEqual([tries, await letters()], [1, 0]);
  await keeper.look();
  await keeper.look();
  assert.deepEqual([tries, await letters()], [2, 1]);
});

test("a dead job with an outdated payload doesn't keep others from being given up", async () => {
  const tenantId = newId();
  for (const n of [61, 62]) await inTenant(tenantId, (tx) => enqueueJob(tx, poison, { n }));
  await db.ownerQuery(
    `update graphile_worker._private_jobs set attempts = max_attempts,
       payload = (payload::jsonb || case when payload ->> 'n' = '61' then '{"n": "61"}'::jsonb else '{}' end)::json
     where payload ->> 'n' in ('61', '62')`,
  );
  const givenUp: unknown[] = [];
  const registry = createJobRegistry([
    handleJob(
      poison,
      async () => undefined,
      async ({ n }) => void givenUp.push(n),
    ),
  ]);
  const keeper = createQueueKeeper(db.database, { registry, workerId: () => null, onDead: () => undefined });
  await assert.rejects(keeper.look());
  assert.deepEqual(givenUp, [62]);
});

test('a live worker keeps its jobs for any time; one that stops renewing loses them', async () => {
  const tenantId = newId();
  await inTenant(tenantId, (tx) => enqueueJob(tx, good, { n: 9 }));
  const mine = `payload ->> 'n' = '9'`;
  await db.ownerQuery(
    `update graphile_worker._private_jobs set attempts = 1, locked_by = 'other', locked_at = now() - interval '1 hour' where ${mine}`,
  );
  const registry = createJobRegistry([]);
  const keeperOf = (id: string, clock: { now: number }) =>
    createQueueKeeper(db.database, { registry, workerId: () => id, onDead: () => undefined, elapsed: () => clock.now });
  const clock = { now: 0 };
  const [me, other] = [keeperOf('me', clock), keeperOf('other', clock)];
  const locked = async () =>
    (
      await db.ownerQuery<{ locked_by: string | null }>(
        `select locked_by from graphile_worker._private_jobs where ${mine}`,
      )
    )[0]!.locked_by;
  for (; clock.now <= leaseSeconds * 2_000; clock.now += 5_000) {
    await other.look();
    await me.look();
  }
  assert.equal(await locked(), 'other');
  await db.ownerQuery(`update arbiter.leases set expires_at = clock_timestamp() where name = 'worker:other'`);
  await me.look();
  assert.equal(await locked(), null);
  assert.deepEqual(await db.ownerQuery(`select from arbiter.leases where name = 'worker:other'`), []);
});
