import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, isTimedOut, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { runStudy, type StudyThreads } from './run-study.ts';
import { studyJobs } from './studies.jobs.ts';
import { decideRounds, makeWorld } from './test-catalogue.ts';
import { readStudy, runStudies, startBacktest } from './test-studies.ts';

/** How studies end when something goes wrong while they run. */

let server: TestServer;
const pause = (at: number) => [{ kind: 'offers', key: `Offer ${at}`, patch: { status: 'paused' } }];

before(async () => {
  server = await startTestServer();
  await makeWorld(server);
  await decideRounds(server, 2, 30);
});
after(() => server?.close());

const noThreads: StudyThreads = {
  count: 1,
  claim: () => () => undefined,
  start: () => ({ result: Promise.reject(new Error('out of memory')), stop: () => undefined }),
};
const forgetJobs = () =>
  server.testDatabase.ownerQuery(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = 'study.run'`,
  );
/** The transactions of the database, with `onQuery` before each statement. */
const watching = (onQuery: (text: string) => Promise<void>): Database => ({
  ...server.database,
  withTenant: (tenantId, who, work, options) => {
    const watched = (tx: Tx): Tx => ({
      ...tx,
      async query(text, values) {
        await onQuery(text);
        return tx.query<never>(text, values);
      },
    });
    return server.database.withTenant(tenantId, who, (tx) => work(watched(tx)), options);
  },
});

test('a study that keeps failing ends after six attempts, and the next one starts', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(0) });
  const next = await startBacktest(server, 'main', { overlay: pause(1) });
  await forgetJobs();
  const ends: string[] = [];
  const [handler] = studyJobs({
    database: server.database,
    studyThreads: noThreads,
    onStudyEnded: (_tenant, kind, outcome) => void ends.push(`${kind} ${outcome}`),
    onContradiction: () => undefined,
  });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const facts = { jobId: '1', attempt, dueAt: null, signal: new AbortController().signal };
    assert.equal((await readStudy(server, id)).status, attempt === 1 ? 'queued' : 'running');
    await assert.rejects(handler!.run({ studyId: id }, facts, server.tenants[0].id), /out of memory/);
  }
  const { status, error } = await readStudy(server, id);
  assert.deepEqual([status, error, ends], ['failed', 'internal', ['backtest failed']]);
  await runStudies(server);
  assert.equal((await readStudy(server, next)).status, 'completed');
});

test("a stopping process doesn't end a study", async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(0) });
  await forgetJobs();
  const [handler] = studyJobs({
    database: server.database,
    studyThreads: noThreads,
    onStudyEnded: () => undefined,
    onContradiction: () => undefined,
  });
  const facts = { jobId: '1', attempt: 7, dueAt: null, signal: AbortSignal.abort() };
  await assert.rejects(handler!.run({ studyId: id }, facts, server.tenants[0].id));
  assert.equal((await readStudy(server, id)).status, 'running');
  await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
});

test('a study can be cancelled while its records are selected', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(2) });
  await forgetJobs();
  let cancelled: number | null = null;
  const database = watching(async (text) => {
    if (cancelled !== null || !text.includes('insert into arbiter.study_chunks')) return;
    cancelled = 0;
    // While the transaction of the selection is open.
    cancelled = (await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} })).status;
  });
  const ports = { database, studyThreads: noThreads, onStudyEnded: () => undefined, onContradiction: () => undefined };
  await runStudy(ports, server.tenants[0].id, id, new AbortController().signal);
  assert.equal(cancelled, 200);
  assert.equal((await readStudy(server, id)).status, 'cancelled');
  const chunks = await server.testDatabase.ownerQuery('select from arbiter.study_chunks where study_id = $1', [id]);
  assert.deepEqual(chunks, []);
});

/** A database that selects the records of studies in another way. `limitMs` replaces the time limit of the selection. */
const selectingBy = (select: (tx: Tx) => Promise<never[]>, limitMs = 300_000): Database => ({
  ...server.database,
  withTenant: (tenantId, who, work, options) =>
    server.database.withTenant(
      tenantId,
      who,
      (tx) =>
        work({
          ...tx,
          query: (text, values) =>
            text.includes('insert into arbiter.study_chunks') ? select(tx) : tx.query<never>(text, values),
        }),
      options?.statementTimeoutMs === 300_000 ? { ...options, statementTimeoutMs: limitMs } : options,
    ),
});

/** A database whose selections sleep, well below their time limit, and how their statements ended. */
function sleepingSelections(onSleep: () => Promise<void>) {
  const selections: string[] = [];
  const database = selectingBy(async (tx) => {
    await onSleep();
    try {
      await tx.query('select pg_sleep(120)');
      selections.push('woke up');
      return [];
    } catch (error) {
      selections.push(isTimedOut(error) ? 'cancelled' : String(error));
      throw error;
    }
  });
  return { database, selections };
}

test('cancelling a study ends the statement that selects its records', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(5) });
  await forgetJobs();
  const { database, selections } = sleepingSelections(async () => {
    const { status } = await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
    assert.equal(status, 200);
  });
  const ends: string[] = [];
  const onStudyEnded = (_tenant: string, _kind: string, outcome: string) => void ends.push(outcome);
  const ports = { database, studyThreads: noThreads, onStudyEnded, onContradiction: () => undefined };
  await runStudy(ports, server.tenants[0].id, id, new AbortController().signal);
  assert.deepEqual([selections, ends], [['cancelled'], []]);
  assert.equal((await readStudy(server, id)).status, 'cancelled');
});

test('a stopping process ends the statement, but not the study', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(6) });
  await forgetJobs();
  const stop = new AbortController();
  const { database, selections } = sleepingSelections(async () => stop.abort());
  const ports = { database, studyThreads: noThreads, onStudyEnded: () => undefined, onContradiction: () => undefined };
  await assert.rejects(runStudy(ports, server.tenants[0].id, id, stop.signal), /the process stopped/);
  assert.deepEqual(selections, ['cancelled']);
  assert.equal((await readStudy(server, id)).status, 'running');
  await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
});

test('a study whose records take too long to select fails with the reason', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(3) });
  await forgetJobs();
  const ports = { studyThreads: noThreads, onStudyEnded: () => undefined, onContradiction: () => undefined };
  // The limit of the selection, a thousand times as fast.
  const slow = selectingBy((tx) => tx.query<never>('select pg_sleep(60)'), 300);
  await runStudy({ ...ports, database: slow }, server.tenants[0].id, id, new AbortController().signal);
  const { status, error } = await readStudy(server, id);
  assert.deepEqual([status, error], ['failed', 'timed_out']);
});

test('only one process selects the records of a study', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(4) });
  await forgetJobs();
  const tenantId = server.tenants[0].id;
  const { signal } = new AbortController();
  let other: Promise<void> | null = null;
  const database = watching(async (text) => {
    if (other !== null || !text.includes('insert into arbiter.study_chunks')) return;
    other = runStudy(
      {
        database: server.database,
        studyThreads: noThreads,
        onStudyEnded: () => undefined,
        onContradiction: () => undefined,
      },
      tenantId,
      id,
      signal,
    );
    await assert.rejects(other, { name: 'Postponed' });
  });
  await assert.rejects(
    runStudy(
      { database, studyThreads: noThreads, onStudyEnded: () => undefined, onContradiction: () => undefined },
      tenantId,
      id,
      signal,
    ),
    /out of memory/,
  );
  assert.notEqual(other, null);
  const { progress } = await readStudy(server, id);
  assert.equal(progress.total, 60);
});
