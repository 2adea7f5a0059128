// Runs of pipelines (docs/design/api-catalogue.md 15).
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PipelineProgress } from '@arbiter/contract';
import { isAnyoneWaiting } from '../../../db/test-database.ts';
import { createQueueKeeper } from '../../../jobs/index.ts';
import { type PipelineServer, startPipelineServer } from './test-pipelines.ts';

let world: PipelineServer;
before(async () => {
  world = await startPipelineServer();
});
beforeEach(() => world.reset());
after(() => world?.close());

const person = (at: number, more: object = {}) => ({ customer_id: `C-${at}`, age: 20 + at, ...more });
const people = (count: number) => Array.from({ length: count }, (_, at) => person(at));
const figures = ({ status, rowsIn, rowsOut, skippedRows, failedRows, error }: PipelineProgress) => ({
  ...{ status, rowsIn, rowsOut, skippedRows, failedRows },
  error: error?.code ?? null,
});
const complete = { status: 'completed', error: null, skippedRows: 0, failedRows: 0 };
const owner = <T>(text: string, values: unknown[] = []) =>
  world.server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);
const keys = async () => (await world.table()).map(({ customer_id }) => customer_id);

async function erase(customerId: string): Promise<void> {
  const headers = { 'x-confirm-delete': customerId };
  const path = `/api/v1/customers/${customerId}/data?scope=everything`;
  const { status, text } = await world.server.call('DELETE', path, { headers });
  assert.equal(status, 200, text);
}

/** Waits until a statement of the run waits for another transaction. */
async function waitsForLock(): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await isAnyoneWaiting(world.server.testDatabase)) return;
    await sleep(5);
  }
  assert.fail('no statement waits');
}

/** Fails at a row, once. */
function failOnceAt(row: number, error: unknown = new Error('the line is cut')): void {
  let isDone = false;
  world.source.before = (from) => {
    if (from !== row || isDone) return;
    isDone = true;
    throw error;
  };
}

describe('append', () => {
  test('loads text as values, and drops columns that the schema lacks', async () => {
    world.source.rows = [
      { customer_id: 'C-1', age: ' 41 ', joined: '2026-11-20', vip: 'yes', shoe: 44 },
      { customer_id: 'C-2', age: 7, joined: new Date('2026-01-02T00:00:00Z'), vip: false, hat: 3 },
    ];
    const { id } = await world.pipeline();
    const progress = await world.run(id);
    assert.deepEqual(figures(progress), { ...complete, rowsIn: 2, rowsOut: 2 });
    assert.deepEqual(await world.table(), [
      { customer_id: 'C-1', age: 41, email: null, joined: '2026-11-20', vip: true },
      { customer_id: 'C-2', age: 7, email: null, joined: '2026-01-02', vip: false },
    ]);
    const dropped = progress.log.find(({ stage }) => stage === 'columns_dropped');
    assert.equal(dropped?.message, '2 columns are not in the schema: shoe, hat.');
    assert.deepEqual([progress.totalRows, progress.progressPercent, progress.loadMode], [2, 100, 'append']);
    const pipeline = await world.read(id);
    assert.equal(pipeline.lastRunStatus, 'completed');
    assert.ok(pipeline.lastRunAt !== null);
  });

  test('skips rows that exist, and counts each row once', async () => {
    world.source.rows = people(5);
    const { id } = await world.pipeline({
      transforms: [{ op: 'filter', condition: { field: 'age', operator: 'neq', value: 24 } }],
    });
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 5, rowsOut: 4, skippedRows: 1 });
    world.source.rows = [...people(5), person(9)];
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 6, rowsOut: 1, skippedRows: 5 });
    assert.deepEqual(await keys(), ['C-0', 'C-1', 'C-2', 'C-3', 'C-9']);
  });

  test('names row and column of the first 20 bad rows, and loads the others', async () => {
    world.source.rows = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? person(at) : person(at, { age: 'old' })));
    const { id } = await world.pipeline({ executionConfig: { batchSize: 3 } });
    const progress = await world.run(id);
    assert.deepEqual(figures(progress), {
      ...{ status: 'completed_with_errors', error: null, rowsIn: 50, rowsOut: 25, skippedRows: 0, failedRows: 25 },
    });
    assert.deepEqual(
      progress.validationErrors.map(({ row }) => row),
      Array.from({ length: 20 }, (_, at) => 2 * at + 2),
    );
    assert.deepEqual(progress.validationErrors[0], {
      row: 2,
      column: 'age',
      error: 'must be a whole number',
    });
    assert.equal((await world.table()).length, 25);
  });

  test('fails at the first bad row if requested, and keeps what is committed', async () => {
    world.source.rows = [...people(4), person(4, { age: 'old' }), person(5)];
    const { id } = await world.pipeline({ onRowError: 'fail', executionConfig: { batchSize: 2 } });
    const progress = await world.run(id);
    assert.deepEqual([progress.status, progress.error?.code], ['failed', 'row_rejected']);
    assert.deepEqual(
      progress.validationErrors.map(({ row, column }) => [row, column]),
      [[5, 'age']],
    );
    assert.equal((await world.table()).length, 4);
  });

  test('resumes after the last batch following a crash, without duplicate rows', async () => {
    world.source.rows = people(7);
    failOnceAt(4);
    const { id } = await world.pipeline({ executionConfig: { batchSize: 2 } });
    const run = await world.start(id);
    await assert.rejects(world.work(run.id), /source failed/);
    assert.deepEqual([(await world.progress(run)).status, await keys()], ['running', ['C-0', 'C-1', 'C-2', 'C-3']]);
    // It has made progress, so a new job continues with all its attempts.
    await world.work(run.id, { attempt: 2 });
    const { status, rowsIn } = await world.progress(run);
    assert.deepEqual([status, rowsIn], ['running', 6]);
    const [job] = await world.server.testDatabase.ownerQuery<{ attempts: number }>(
      'select attempts from graphile_worker.jobs where key like $1',
      [`%pipeline.run:${run.id}`],
    );
    assert.equal(job?.attempts, 0);
    await world.work(run.id);
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 7, rowsOut: 7 });
    assert.deepEqual(world.source.begun, [null, 4, 6]);
    assert.deepEqual(world.source.committed, [2, 4, 6, 7]);
    assert.equal(world.source.closed, 3);
    assert.equal((await keys()).length, 7);
  });

  test("loads a source that can't resume in one step", async () => {
    // Rows without a key: a second insert would be another row.
    const schema = await world.server.create('schemas', {
      ...{ name: `events_${Date.now()}`, displayName: 'Events', schemaType: 'event' },
      fields: [{ name: 'amount', displayName: 'Amount', dataType: 'integer' }],
    });
    world.source.isResumable = false;
    world.source.rows = Array.from({ length: 5 }, (_, amount) => ({ amount }));
    failOnceAt(4);
    const { id } = await world.pipeline({ schemaId: schema, executionConfig: { batchSize: 2 } });
    const run = await world.start(id);
    await assert.rejects(world.work(run.id), /source failed/);
    const rows = async () => (await world.call<{ total: number }>('GET', `/api/v1/schemas/${schema}/data`)).body.total;
    assert.equal(await rows(), 0);
    await world.work(run.id, { attempt: 2 });
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 5, rowsOut: 5 });
    assert.equal(await rows(), 5);
  });

  test('fails when the process dies at each attempt', async () => {
    world.source.rows = people(3);
    const { id } = await world.pipeline({ loadMode: 'replace' });
    const run = await world.start(id);
    failOnceAt(2);
    await assert.rejects(world.work(run.id), /source failed/);
    assert.equal((await world.progress(run)).status, 'running');
    // What is left when the sixth process is killed.
    await world.server.testDatabase.ownerQuery(
      `update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'runId' = $1`,
      [run.id],
    );
    const { database } = world.server.testDatabase;
    const keeper = createQueueKeeper(database, {
      ...{ registry: world.server.jobs, workerId: () => null, onDead: () => undefined },
    });
    await keeper.look();
    const { status, error } = await world.progress(run);
    assert.deepEqual([status, error?.message], ['failed', 'The run failed several times in a row.']);
    assert.equal((await world.read(id)).lastRunStatus, 'failed');
  });

  test('deduplicates over the whole run, also after a crash', async () => {
    world.source.rows = [person(0), person(1), person(2, { age: 20 }), person(3), person(4, { age: 21 })];
    failOnceAt(4);
    const { id } = await world.pipeline({
      ...{ transforms: [{ op: 'deduplicate', columns: ['age'] }], executionConfig: { batchSize: 1 } },
    });
    const run = await world.start(id);
    await assert.rejects(world.work(run.id));
    await world.work(run.id, { attempt: 2 });
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 5, rowsOut: 3, skippedRows: 2 });
    assert.deepEqual(await keys(), ['C-0', 'C-1', 'C-3']);
  });
});

describe('upsert', () => {
  test('updates the columns of the source only', async () => {
    world.source.rows = [person(0, { email: 'a@example.com' }), person(1)];
    await world.run((await world.pipeline()).id);
    world.source.rows = [{ customer_id: 'C-0', age: 99 }, person(2)];
    const { id } = await world.pipeline({ loadMode: 'upsert' });
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 2, rowsOut: 2 });
    assert.deepEqual(
      (await world.table()).map(({ age, email }) => [age, email]),
      [
        [99, 'a@example.com'],
        [21, null],
        [22, null],
      ],
    );
  });

  test('names rows that collide in another unique field, and loads the others', async () => {
    world.source.rows = [person(0, { email: 'a@example.com' }), person(1, { email: 'b@example.com' })];
    await world.run((await world.pipeline()).id);
    world.source.rows = [person(2), person(3, { email: 'a@example.com' }), person(4)];
    const progress = await world.run((await world.pipeline({ loadMode: 'upsert' })).id);
    assert.deepEqual([progress.rowsOut, progress.failedRows], [2, 1]);
    assert.deepEqual(
      progress.validationErrors.map(({ row }) => row),
      [2],
    );
  });

  test('finds rows by another unique field', async () => {
    world.source.rows = [person(0, { email: 'a@example.com' })];
    await world.run((await world.pipeline()).id);
    world.source.rows = [person(0, { email: 'a@example.com', age: 50 })];
    await world.run((await world.pipeline({ loadMode: 'upsert', upsertKey: ['email'] })).id);
    assert.deepEqual(
      (await world.table()).map(({ age }) => age),
      [50],
    );
  });
});

describe('replace', () => {
  beforeEach(async () => {
    world.source.rows = people(3);
    await world.run((await world.pipeline()).id);
  });

  test('shows the old rows until all new ones are loaded', async () => {
    const seen: number[] = [];
    world.source.rows = Array.from({ length: 6 }, (_, at) => person(100 + at));
    world.source.before = async () => {
      seen.push((await world.table()).length);
    };
    const { id } = await world.pipeline({ loadMode: 'replace', executionConfig: { batchSize: 1 } });
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 6, rowsOut: 6 });
    assert.deepEqual(seen, [3, 3, 3]);
    assert.equal((await keys())[0], 'C-100');
    assert.equal((await keys()).length, 6);
  });

  test('keeps the old rows when the source is empty, unless that is allowed', async () => {
    world.source.rows = [];
    const { id } = await world.pipeline({ loadMode: 'replace' });
    assert.deepEqual(figures(await world.run(id)), {
      ...complete,
      status: 'failed',
      error: 'empty_source',
      rowsIn: 0,
      rowsOut: 0,
    });
    assert.equal((await keys()).length, 3);
    await world.call('PUT', `/api/v1/pipelines/${id}`, { allowEmpty: true });
    assert.equal((await world.run(id)).status, 'completed');
    assert.deepEqual(await keys(), []);
  });

  test("keeps the old rows when a row is bad and bad rows aren't allowed", async () => {
    world.source.rows = [person(100), person(101, { age: 'old' })];
    const { id } = await world.pipeline({ loadMode: 'replace', onRowError: 'fail' });
    const progress = await world.run(id);
    assert.deepEqual([progress.error?.code, progress.validationErrors[0]?.row], ['row_rejected', 2]);
    assert.deepEqual(await keys(), ['C-0', 'C-1', 'C-2']);
  });
});

describe('a run', () => {
  test('is the only one of its pipeline', async () => {
    world.source.rows = people(1);
    const { id } = await world.pipeline();
    const answers = await Promise.all([1, 2, 3].map(() => world.call('POST', `/api/v1/pipelines/${id}/runs`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'invalid_transition');
  });

  test('can be cancelled while it waits, and only once', async () => {
    const run = await world.start((await world.pipeline()).id);
    const cancel = () =>
      world.call<{ status: string }>('POST', `/api/v1/pipelines/${run.pipelineId}/runs/${run.id}/cancel`);
    assert.equal((await cancel()).body.status, 'cancelled');
    assert.equal((await cancel()).status, 409);
    await world.work(run.id);
    assert.deepEqual(world.source.begun, []);
    assert.equal((await world.read(run.pipelineId)).lastRunStatus, 'cancelled');
  });

  test('can be cancelled while its source hangs, and keeps what it loaded', async () => {
    world.source.rows = people(6);
    const hangs = Promise.withResolvers<void>();
    world.source.before = (from) => {
      if (from < 4) return undefined;
      hangs.resolve();
      return new Promise(() => undefined);
    };
    const run = await world.start((await world.pipeline({ executionConfig: { batchSize: 2 } })).id);
    const work = world.work(run.id);
    await hangs.promise;
    while ((await keys()).length < 4) await new Promise(setImmediate);
    await world.call('POST', `/api/v1/pipelines/${run.pipelineId}/runs/${run.id}/cancel`);
    await work;
    assert.deepEqual(figures(await world.progress(run)), { ...complete, status: 'cancelled', rowsIn: 4, rowsOut: 4 });
    assert.equal(world.source.closed, 1);
  });

  test("can't commit after another process took it over", async () => {
    world.source.rows = people(4);
    let second: Promise<void> | null = null;
    world.source.before = async (from) => {
      if (from !== 2 || second !== null) return;
      second = world.work(run.id);
      await second;
    };
    const run = await world.start((await world.pipeline({ executionConfig: { batchSize: 4 } })).id);
    await world.work(run.id);
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 4, rowsOut: 4 });
    assert.deepEqual(world.source.committed, [4]);
  });

  test('fails for an inactive connector', async () => {
    const { id } = await world.pipeline();
    await world.call('PUT', `/api/v1/connectors/${world.ids.connector}`, { status: 'inactive' });
    try {
      assert.deepEqual((await world.run(id)).error?.code, 'connector_inactive');
    } finally {
      await world.call('PUT', `/api/v1/connectors/${world.ids.connector}`, { status: 'active' });
    }
  });

  test('fails at once for permanent errors, without quoting the source', async () => {
    world.source.rows = people(2);
    failOnceAt(0, Object.assign(new Error('password of bob is hunter2'), { reason: 'auth_failed' }));
    const progress = await world.run((await world.pipeline()).id);
    assert.deepEqual(progress.error, { code: 'auth_failed', message: 'The source rejected the credentials.' });
    assert.ok(!JSON.stringify(progress).includes('hunter2'));
  });

  test('is retried for temporary errors, and fails after the last attempt', async () => {
    const refuse = () => {
      throw Object.assign(new Error('refused'), { reason: 'connection_refused' });
    };
    world.source.rows = people(2);
    world.source.before = refuse;
    const run = await world.start((await world.pipeline()).id);
    await assert.rejects(world.work(run.id));
    assert.equal((await world.progress(run)).status, 'running');
    await assert.rejects(world.work(run.id, { attempt: 6 }));
    assert.deepEqual(figures(await world.progress(run)), {
      ...complete,
      status: 'failed',
      error: 'connection_refused',
      rowsIn: 0,
      rowsOut: 0,
    });
  });

  test('of a type that is coming soon reads no rows', async () => {
    world.source.onOpen = () => {
      throw Object.assign(new Error('soon'), { reason: 'coming_soon' });
    };
    const progress = await world.run((await world.pipeline()).id);
    assert.deepEqual(figures(progress), { ...complete, rowsIn: 0, rowsOut: 0 });
    assert.ok(progress.log.some(({ stage }) => stage === 'coming_soon'));
  });

  test('fails when the source has no column of the schema', async () => {
    world.source.rows = [{ Age: 1 }];
    const { id } = await world.pipeline();
    const progress = await world.run(id);
    assert.equal(progress.error?.code, 'schema_mismatch');
    assert.match(JSON.stringify(progress), /Age/);
  });

  test('starts where the previous run ended if it is incremental', async () => {
    world.source.rows = people(3);
    const { id } = await world.pipeline({ source: { watermarkColumn: 'age' } });
    await world.run(id);
    world.source.rows = people(5);
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 2, rowsOut: 2 });
    await world.call('PUT', `/api/v1/pipelines/${id}`, { source: { watermarkColumn: 'joined' } });
    await world.run(id);
    assert.deepEqual(world.source.begun, [null, 3, null]);
  });

  test('reads up to the row limit', async () => {
    world.source.rows = people(5);
    assert.equal((await world.run((await world.pipeline({ source: { rowLimit: 3 } })).id)).rowsIn, 3);
  });

  test('reads no row beyond the limit if its turn ended there', async () => {
    world.source.rows = people(5);
    const run = await world.start(
      (await world.pipeline({ source: { rowLimit: 2 }, executionConfig: { batchSize: 2 } })).id,
    );
    await world.work(run.id, { attempt: 2 });
    await world.work(run.id);
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 2, rowsOut: 2 });
  });

  test('commits the rows of one watermark together', async () => {
    world.source.rows = people(4);
    world.source.rowsPerBatch = 1;
    world.source.cursorAfter = (rows) => (rows < 4 ? Math.min(rows, 1) : rows);
    failOnceAt(3);
    const run = await world.start((await world.pipeline({ executionConfig: { batchSize: 1 } })).id);
    await assert.rejects(world.work(run.id));
    assert.deepEqual(await keys(), ['C-0']);
    await world.work(run.id);
    assert.deepEqual(figures(await world.progress(run)), { ...complete, rowsIn: 4, rowsOut: 4 });
  });

  for (const loadMode of ['append', 'replace', 'upsert']) {
    test(`drops the row of a customer who is erased between its check and its commit: ${loadMode}`, async () => {
      world.source.rows = people(2);
      const run = await world.start((await world.pipeline({ loadMode })).id);
      const [{ t } = { t: '' }] = await owner<{ t: string }>(
        `select format('%I.%I', schemaname, tablename) as t from pg_tables where tablename = 'ds_people'`,
      );
      // The run waits for this row after it has checked for erasures.
      const release = await world.server.testDatabase.ownerHold(
        `insert into ${t} (tenant_id, customer_id) values ('${world.server.tenants[0].id}', 'C-1')`,
      );
      const working = world.work(run.id);
      await waitsForLock();
      await erase('C-0');
      await release();
      await working;
      assert.deepEqual(await keys(), ['C-1']);
      assert.equal((await world.progress(run)).status, 'completed');
    });
  }

  test('drops rows of customers who were erased since it began', async () => {
    world.source.rows = people(4);
    await erase('C-0');
    world.source.before = async (from) => {
      if (from === 2) await erase('C-3');
    };
    const { id } = await world.pipeline({ executionConfig: { batchSize: 2 } });
    assert.deepEqual(figures(await world.run(id)), { ...complete, rowsIn: 4, rowsOut: 3, skippedRows: 1 });
    assert.deepEqual(await keys(), ['C-0', 'C-1', 'C-2']);
  });

  test('is audited when it starts, and when its rows are loaded', async () => {
    world.source.rows = people(1);
    const { id } = await world.pipeline();
    await world.run(id);
    const rows = await owner<{ action: string; entity_type: string }>(
      'select action, entity_type from arbiter.audit_logs where tenant_id = $1 order by sequence desc limit 2',
      [world.server.tenants[0].id],
    );
    assert.deepEqual(
      rows.map(({ action, entity_type }) => `${action} ${entity_type}`),
      ['upload dataSchema', 'create pipelineRun'],
    );
  });

  test('is deleted with its pipeline', async () => {
    world.source.rows = people(4);
    const { id } = await world.pipeline({ executionConfig: { batchSize: 2 } });
    world.source.before = async (from) => {
      if (from === 2) await world.call('DELETE', `/api/v1/pipelines/${id}`);
    };
    const run = await world.start(id);
    await world.work(run.id);
    assert.equal((await world.call('GET', `/api/v1/pipelines/${id}`)).status, 404);
  });
});
