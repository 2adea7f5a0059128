import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Type from 'typebox';
import { DatabaseError, systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { newId } from '../platform/ids.ts';
import {
  createJobRegistry,
  createWorker,
  enqueueJob,
  handleJob,
  installationJob,
  type JobHandler,
  job,
  Postponed,
  type TenantJobRun,
} from './index.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const tenantId = newId();
const inTenant = <T>(fn: Parameters<typeof db.database.withTenant<T>>[2]) =>
  db.database.withTenant(tenantId, systemActor('test'), fn);
const worker = (handlers: readonly JobHandler[], errors: unknown[] = [], graceMs = 5_000) =>
  createWorker({
    url: db.url,
    registry: createJobRegistry(handlers),
    concurrency: 2,
    graceMs,
    onError: (error) => errors.push(error),
  });
const nothing = Type.Object({}, { additionalProperties: false });
const plain = (name: string) => job({ name, payload: nothing });

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a job runs after the commit, with the tenant of the transaction', async () => {
  const seen: { payload: { offerId: string }; facts: TenantJobRun }[] = [];
  const note = job({
    name: 'test.note',
    payload: Type.Object({ offerId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
  });
  const offerId = newId();
  const running = await worker([handleJob(note, async (payload, facts) => void seen.push({ payload, facts }))]);
  await inTenant((tx) => enqueueJob(tx, note, { offerId }));
  await waitFor(() => seen.length === 1);
  assert.equal(running.running(), true);
  await running.stop();
  assert.equal(running.running(), false);
  assert.equal(seen[0]!.facts.tenantId, tenantId);
  assert.equal(seen[0]!.facts.attempt, 1);
  assert.equal(seen[0]!.facts.dueAt, null);
  assert.deepEqual(seen[0]!.payload, { offerId });
});

test("a job of a rolled back transaction doesn't exist", async () => {
  await assert.rejects(
    inTenant(async (tx) => {
      await enqueueJob(tx, plain('test.never'), {});
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  assert.deepEqual(await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.never'`), []);
});

test('retries a failed job, and reports its error', async () => {
  const errors: unknown[] = [];
  const attempts: number[] = [];
  await inTenant((tx) => enqueueJob(tx, plain('test.twice'), {}));
  const running = await worker(
    [
      handleJob(plain('test.twice'), async (_payload, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('first try');
      }),
    ],
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

test('R10: a stop returns unfinished jobs at once, whether they obey the signal or not', async () => {
  let started = 0;
  await inTenant((tx) => enqueueJob(tx, plain('test.long'), {}));
  await inTenant((tx) => enqueueJob(tx, plain('test.deaf'), {}));
  const running = await worker(
    [
      handleJob(
        plain('test.long'),
        (_payload, { signal }) =>
          new Promise((_resolve, reject) => {
            started++;
            signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
          }),
      ),
      handleJob(plain('test.deaf'), () => {
        started++;
        return new Promise(() => undefined);
      }),
    ],
    [],
    100,
  );
  await waitFor(() => started === 2);
  await running.stop();
  const jobs = await db.ownerQuery(
    `select locked_at, attempts, run_at <= now() as due from graphile_worker.jobs
     where task_identifier in ('test.long', 'test.deaf')`,
  );
  // The interrupted try doesn't count, and another worker may take the job immediately.
  const handedBack = { locked_at: null, attempts: 0, due: true };
  assert.deepEqual(jobs, [handedBack, handedBack]);
});

test('R3: the worker continues after losing all connections during a job', async () => {
  const seen: string[] = [];
  let lose = true;
  const lost = job({
    name: 'test.lost',
    payload: Type.Object(
      { name: Type.Union([Type.Literal('first'), Type.Literal('second')]) },
      { additionalProperties: false },
    ),
  });
  const running = await worker([
    handleJob(lost, async ({ name }) => {
      seen.push(name);
      if (!lose) return;
      lose = false;
      await db.ownerQuery(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'arbiter worker' and datname = current_database()`,
      );
    }),
  ]);
  await inTenant((tx) => enqueueJob(tx, lost, { name: 'first' }));
  await waitFor(() => seen.length > 0);
  await inTenant((tx) => enqueueJob(tx, lost, { name: 'second' }));
  await waitFor(() => seen.includes('second') && running.running());
  // Whether or not the end of the first could be written before it was done again: nothing stays behind.
  await waitFor(async () => {
    const left = await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.lost'`);
    return left.length === 0;
  });
  await running.stop();
});

test('jobs with one key replace each other within a tenant, never across tenants', async () => {
  const other = newId();
  for (const id of [tenantId, tenantId, other]) {
    await db.database.withTenant(id, systemActor('test'), (tx) =>
      enqueueJob(tx, plain('test.keyed'), {}, { key: 'k' }),
    );
  }
  await db.database.withSystem('test', (tx) =>
    enqueueJob(tx, installationJob({ name: 'test.keyed', payload: nothing }), {}, { key: 'k' }),
  );
  const rows = await db.ownerQuery(
    `select key from graphile_worker.jobs where task_identifier = 'test.keyed' order by key`,
  );
  assert.deepEqual(
    rows.map((row) => row.key),
    [`${tenantId}:k`, `${other}:k`, 'system:k'].sort(),
  );
});

test("the application role can't reach the queue in any other way", async () => {
  for (const text of [
    'select * from graphile_worker.jobs',
    'select * from graphile_worker._private_jobs',
    `select graphile_worker.add_job('test.x')`,
    'delete from graphile_worker._private_jobs',
    `select graphile_worker.arbiter_put(null, 'test.x', '{}', null, null, 6, false, 0)`,
    `select graphile_worker.arbiter_enqueue_for('${newId()}', 'test.x', '{}', 'k', 6, false)`,
    `select graphile_worker.arbiter_hand_back('{}', '0 s')`,
    'select graphile_worker.arbiter_dead_tenants()',
  ]) {
    await assert.rejects(
      inTenant((tx) => tx.query(text)),
      (error) => error instanceof DatabaseError && error.kind === 'insufficient_privilege',
      text,
    );
  }
});

test('rejects a task name or payload in another format', async () => {
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

test("rejects a payload that doesn't match its schema on enqueue, without quoting it, and writes nothing", async () => {
  const strict = job({
    name: 'test.strict',
    payload: Type.Object(
      { offerId: Type.String({ format: 'uuid' }), limit: Type.Integer({ minimum: 1 }) },
      { additionalProperties: false },
    ),
  });
  const wrong: unknown[] = [{}, { offerId: 'jane@example.org', limit: 1 }, { offerId: newId(), limit: 0 }, null];
  wrong.push({ offerId: newId(), limit: 1, email: 'jane@example.org' });
  for (const payload of wrong) {
    await assert.rejects(
      inTenant((tx) => enqueueJob(tx, strict, payload as { offerId: string; limit: number })),
      (error) =>
        error instanceof Error &&
        /^the payload of test.strict is invalid/.test(error.message) &&
        !/jane/.test(error.message),
    );
  }
  const both = job({ name: 'test.strict', payload: nothing });
  const across = installationJob({ name: 'test.strict', payload: nothing });
  await assert.rejects(
    db.database.withSystem('test', (tx) => enqueueJob(tx, both, {})),
    /one tenant/,
  );
  await assert.rejects(
    inTenant((tx) => enqueueJob(tx, across, {})),
    /no tenant/,
  );
  // A name alone is no job: the compiler refuses it, and so does the program.
  // @ts-expect-error
  await assert.rejects(inTenant((tx) => enqueueJob(tx, 'test.strict', {})));
  assert.deepEqual(await db.ownerQuery(`select from graphile_worker.jobs where task_identifier = 'test.strict'`), []);
});

test('an old payload that no longer matches fails its attempts, and never reaches the handler', async () => {
  const old = job({
    name: 'test.old',
    payload: Type.Object({ count: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  });
  await inTenant((tx) => tx.query(`select graphile_worker.arbiter_enqueue('test.old', '{"count": "three"}')`));
  const errors: unknown[] = [];
  let seen = 0;
  const running = await worker([handleJob(old, async () => void seen++)], errors);
  await waitFor(() => errors.length === 1);
  await running.stop();
  assert.match(String(errors[0]), /is invalid: \/count must be integer/);
  assert.equal(seen, 0);
});

test('an invalid job declaration stops the start', () => {
  const free = Type.Object({ note: Type.String() }, { additionalProperties: false });
  assert.throws(() => job({ name: 'test.free', payload: free }), /free text: note/);
  assert.throws(() => job({ name: 'test.open', payload: Type.Object({}) }), /additionalProperties: false/);
  assert.throws(() => job({ name: 'Bad Name', payload: nothing }), /not a valid job name/);
  assert.throws(() => job({ name: 'test.never', payload: nothing, attempts: 0 }), /at least one attempt/);
  const dueAt = Type.Object({ dueAt: Type.Integer() }, { additionalProperties: false });
  assert.throws(() => job({ name: 'test.reserved', payload: dueAt }), /must not use dueAt/);
  const bad = { cron: '0 9 31 2 *', payload: {} };
  assert.throws(() => job({ name: 'test.cron', payload: nothing, schedule: bad }), /never matches/);
  const nowhere = { cron: '0 9 * * *', zone: 'Mars/Olympus', payload: {} };
  assert.throws(() => job({ name: 'test.zone', payload: nothing, schedule: nowhere }), /an unknown time zone/);
  const twice = [
    handleJob(plain('test.one'), async () => undefined),
    handleJob(plain('test.one'), async () => undefined),
  ];
  assert.throws(() => createJobRegistry(twice), /two jobs are named test.one/);
});

test("enqueuing a key while its job runs doesn't use up that job's attempts", async () => {
  const keyed = plain('test.again');
  let release: (() => void) | null = null;
  const attempts: number[] = [];
  await inTenant((tx) => enqueueJob(tx, keyed, {}, { key: 'again' }));
  const running = await worker([
    handleJob(keyed, async (_payload, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length > 1) return;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      throw new Error('the first fails');
    }),
  ]);
  await waitFor(() => release !== null);
  await inTenant((tx) => enqueueJob(tx, keyed, {}, { key: 'again' }));
  await waitFor(() => attempts.length === 2);
  release!();
  const left = () =>
    db.ownerQuery(
      `select attempts, max_attempts, locked_at from graphile_worker.jobs where task_identifier = 'test.again'`,
    );
  await waitFor(async () => (await left())[0]?.locked_at === null);
  assert.deepEqual(await left(), [{ attempts: 1, max_attempts: 6, locked_at: null }]);
  await running.stop();
});

test('spaces attempts 5 s, 30 s, 2 min, 10 min and 1 h apart, plus or minus a fifth', async () => {
  const failing = plain('test.spaced');
  await inTenant((tx) => enqueueJob(tx, failing, {}));
  let attempts = 0;
  const running = await worker([
    handleJob(failing, async () => {
      attempts++;
      throw new Error('again');
    }),
  ]);
  const find = async () =>
    (
      await db.ownerQuery<{ wait: number; locked_at: Date | null }>(
        `select extract(epoch from run_at - now())::float8 as wait, locked_at from graphile_worker.jobs
         where task_identifier = 'test.spaced'`,
      )
    )[0]!;
  for (const [index, seconds] of [5, 30, 120, 600, 3600].entries()) {
    await waitFor(async () => attempts === index + 1 && (await find()).locked_at === null);
    const { wait } = await find();
    assert.ok(wait <= seconds * 1.2 && wait > seconds * 0.8 - 5, `${wait} s after try ${attempts}`);
    await db.ownerQuery(`update graphile_worker._private_jobs set run_at = now()`);
    await db.ownerQuery(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
  }
  await running.stop();
});

test("a postponed run returns after its pause, silently, and doesn't count as an attempt", async () => {
  const patient = job({ name: 'test.patient', payload: nothing, attempts: 1 });
  await inTenant((tx) => enqueueJob(tx, patient, {}));
  const attempts: number[] = [];
  const results: string[] = [];
  const errors: unknown[] = [];
  const running = await createWorker({
    url: db.url,
    registry: createJobRegistry([
      handleJob(
        patient,
        async (_payload, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length <= 8) throw new Postponed(600);
        },
        async () => void errors.push('given up'),
      ),
    ]),
    concurrency: 1,
    graceMs: 5_000,
    onError: (error) => errors.push(error),
    onJob: (task, result) => results.push(`${task} ${result}`),
  });
  const find = () =>
    db.ownerQuery<{ wait: number; attempts: number; last_error: string | null; locked_at: Date | null }>(
      `select extract(epoch from run_at - now())::float8 as wait, attempts, last_error, locked_at
       from graphile_worker.jobs where task_identifier = 'test.patient'`,
    );
  for (let run = 1; run <= 8; run += 1) {
    await waitFor(async () => attempts.length === run && (await find())[0]?.locked_at === null);
    const [left] = await find();
    assert.deepEqual([left?.attempts, left?.last_error], [0, null]);
    assert.ok(left!.wait > 540 && left!.wait <= 600, String(left!.wait));
    await db.ownerQuery(`update graphile_worker._private_jobs set run_at = now()`);
    await db.ownerQuery(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
  }
  await waitFor(async () => (await find()).length === 0);
  await running.stop();
  assert.deepEqual([attempts, results, errors], [Array(9).fill(1), ['test.patient ok'], []]);
});
