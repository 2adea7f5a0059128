import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DatabaseError, systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { newId } from '../platform/ids.ts';
import { createWorker, enqueueJob, type JobFacts, type TaskHandler } from './index.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const tenantId = newId();
const inTenant = <T>(fn: Parameters<typeof db.database.withTenant<T>>[2]) =>
  db.database.withTenant(tenantId, systemActor('test'), fn);
const worker = (tasks: Record<string, TaskHandler>, errors: unknown[] = [], graceMs = 5_000) =>
  createWorker({ url: db.url, tasks, concurrency: 2, graceMs, onError: (error) => errors.push(error) });

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a job runs after the commit, with the tenant of the transaction', async () => {
  const seen: { payload: unknown; facts: JobFacts }[] = [];
  const running = await worker({ 'test.note': async (payload, facts) => void seen.push({ payload, facts }) });
  await inTenant((tx) => enqueueJob(tx, 'test.note', { offerId: 'x', tenantId: newId() }));
  await waitFor(() => seen.length === 1);
  assert.equal(running.running(), true);
  await running.stop();
  assert.equal(running.running(), false);
  assert.equal(seen[0]!.facts.tenantId, tenantId);
  assert.equal(seen[0]!.facts.attempt, 1);
  assert.deepEqual(seen[0]!.payload, { offerId: 'x', tenantId });
});

test('a job of a transaction that rolled back does not exist', async () => {
  await assert.rejects(
    inTenant(async (tx) => {
      await enqueueJob(tx, 'test.never', {});
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  assert.deepEqual(await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.never'`), []);
});

test('a failed job is tried again, and its error is told', async () => {
  const errors: unknown[] = [];
  const attempts: number[] = [];
  await inTenant((tx) => enqueueJob(tx, 'test.twice', {}));
  const running = await worker(
    {
      'test.twice': async (_payload, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('first try');
      },
    },
    errors,
  );
  await waitFor(() => errors.length === 1);
  await waitFor(async () => {
    const [job] = await db.ownerQuery(
      `select locked_at from graphile_worker.jobs where task_identifier = 'test.twice'`,
    );
    return job?.locked_at === null;
  });
  await db.ownerQuery('update graphile_worker._private_jobs set run_at = now()');
  await db.ownerQuery(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
  await waitFor(() => attempts.length === 2);
  await running.stop();
  assert.deepEqual(attempts, [1, 2]);
});

test('R10: a stop hands unfinished jobs back at once, whether they heed the signal or not', async () => {
  let started = 0;
  await inTenant((tx) => enqueueJob(tx, 'test.long', {}));
  await inTenant((tx) => enqueueJob(tx, 'test.deaf', {}));
  const running = await worker(
    {
      'test.long': (_payload, { signal }) =>
        new Promise((_resolve, reject) => {
          started++;
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
        }),
      'test.deaf': () => {
        started++;
        return new Promise(() => undefined);
      },
    },
    [],
    100,
  );
  await waitFor(() => started === 2);
  await running.stop();
  const jobs = await db.ownerQuery(
    `select locked_at, attempts from graphile_worker.jobs where task_identifier in ('test.long', 'test.deaf')`,
  );
  assert.deepEqual(jobs, [
    { locked_at: null, attempts: 1 },
    { locked_at: null, attempts: 1 },
  ]);
});

test('R3: after all its connections were lost, during a job, the worker goes on', async () => {
  const seen: string[] = [];
  let lose = true;
  const running = await worker({
    'test.lost': async (payload) => {
      seen.push(String(payload.name));
      if (!lose) return;
      lose = false;
      await db.ownerQuery(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'arbiter worker' and datname = current_database()`,
      );
    },
  });
  await inTenant((tx) => enqueueJob(tx, 'test.lost', { name: 'first' }));
  await waitFor(() => seen.length > 0);
  await inTenant((tx) => enqueueJob(tx, 'test.lost', { name: 'second' }));
  await waitFor(() => seen.includes('second') && running.running());
  // Whether or not the end of the first could be written before it was done again: nothing stays behind.
  await waitFor(async () => {
    const left = await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.lost'`);
    return left.length === 0;
  });
  await running.stop();
});

test('jobs under one key replace each other within a tenant, never across tenants', async () => {
  const other = newId();
  for (const id of [tenantId, tenantId, other]) {
    await db.database.withTenant(id, systemActor('test'), (tx) => enqueueJob(tx, 'test.keyed', {}, { key: 'k' }));
  }
  await db.database.withSystem('test', (tx) => enqueueJob(tx, 'test.keyed', {}, { key: 'k' }));
  const rows = await db.ownerQuery(
    `select key from graphile_worker.jobs where task_identifier = 'test.keyed' order by key`,
  );
  assert.deepEqual(
    rows.map((row) => row.key),
    [`${tenantId}:k`, `${other}:k`, 'system:k'].sort(),
  );
});

test('the application role has no other door to the queue', async () => {
  for (const text of [
    'select * from graphile_worker.jobs',
    'select * from graphile_worker._private_jobs',
    `select graphile_worker.add_job('test.x')`,
    'delete from graphile_worker._private_jobs',
  ]) {
    await assert.rejects(
      inTenant((tx) => tx.query(text)),
      (error) => error instanceof DatabaseError && error.kind === 'insufficient_privilege',
      text,
    );
  }
});

test('a task name or payload of another form is refused', async () => {
  for (const [task, payload] of [
    ['', '{}'],
    ['Bad Name', '{}'],
    ['test.x', '[]'],
    ['test.x', 'null'],
  ]) {
    await assert.rejects(
      inTenant((tx) => tx.query('select graphile_worker.arbiter_enqueue($1, $2::jsonb)', [task, payload])),
      (error) => error instanceof DatabaseError && error.kind === 'raised',
    );
  }
});
