import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Backtest, MetricsSummary, Study, StudyStarted } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createStudyThreads } from '../../../main/threads/study-threads.ts';
import { callSignalMemory } from '../decisions/index.ts';
import { expirePlans, openPlan } from '../plans/index.ts';
import { runStudy, type StudyThreads } from './run-study.ts';
import { expireStudies, plansOfStudies } from './studies.store.ts';
import type { StudyStep } from './study-kind.ts';
import { decideRounds, makeWorld, type StudyWorld } from './test-catalogue.ts';
import { backtest, lastHour, readRows, readStudy, runStudies, startBacktest } from './test-studies.ts';

let server: TestServer;
let world: StudyWorld;
const pause = (at: number) => [{ kind: 'offers', key: `Offer ${at}`, patch: { status: 'paused' } }];

const lastHourFixed = lastHour();

before(async () => {
  server = await startTestServer({ tenants: 2 });
  world = await makeWorld(server);
  await decideRounds(server, 8, 30);
});
after(() => server?.close());

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);
const start = (body: object, key?: string) =>
  server.call<StudyStarted & { code?: string; from?: string; errors?: { path: string }[] }>(
    'POST',
    '/api/v1/decision-flows/main/backtest',
    { body: { version: 'draft', ...lastHour(), ...body }, ...(key === undefined ? {} : { key }) },
  );

test('the live flow changes nothing, alone and in a chain', async () => {
  for (const mode of ['independent', 'chained']) {
    const { result, id } = await backtest(server, 'main', { mode, verify: true });
    assert.deepEqual(
      [result.verdict, result.decisions, result.customers, result.changed, result.notEvaluable],
      ['ok', 240, 30, 0, {}],
    );
    assert.deepEqual(result.drift, { checked: 240, mismatches: 0 });
    assert.deepEqual(await readRows(server, id), []);
  }
});

test('a study shows its progress, its result and its lines, and is listed', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(0) });
  const queued = await readStudy(server, id);
  assert.deepEqual([queued.status, queued.progress.total, queued.result], ['queued', 0, null]);
  assert.deepEqual(await readRows(server, id), []);
  await runStudies(server);
  const { status, progress, result, spec } = await readStudy(server, id);
  assert.deepEqual([status, progress], ['completed', { decisions: 240, total: 240 }]);
  assert.deepEqual([spec.mode, spec.maxDecisions, spec.compareTo], ['independent', 100_000, 'recorded']);
  assert.ok(result !== null && result.changed > 20);
  assert.equal(result.lost[0]?.offerId, world.offers[0]);
  assert.ok((result.lost[0]?.customers ?? 0) >= 10);
  assert.equal((await readRows(server, id)).length, result.changed);
  assert.equal(result.samples.length > 0 && result.samples.every(({ kind }) => kind !== 'same'), true);
  const list = await server.call<{ data: Study[] }>('GET', `/api/v1/studies?flowId=${world.flowId}&limit=1`);
  assert.deepEqual(
    list.body.data.map((study) => study.id),
    [id],
  );
  const form = await server.call<Backtest>('GET', `/api/v1/decision-flows/main/backtests/${id}`);
  assert.deepEqual(
    [form.body.status, form.body.changed, form.body.unchanged],
    ['completed', result.changed, result.same],
  );
});

test('the tenant’s metrics count its studies', async () => {
  const { body } = await server.call<MetricsSummary>('GET', '/api/v1/metrics/summary');
  const completed = body.svc_studies_total?.values.find(({ labels }) => labels.outcome === 'completed');
  assert.deepEqual([completed?.labels.kind, (completed?.value ?? 0) >= 3], ['backtest', true]);
  const other = await server.call<MetricsSummary>('GET', '/api/v1/metrics/summary', {
    key: server.tenants[1]!.keys.admin,
  });
  assert.equal(other.body.svc_studies_total, undefined);
});

test('blanks counts of few customers, but checks limits against the real counts', async () => {
  const change = [{ kind: 'offers', key: 'Offer 1', patch: { priority: 99 } }];
  const limits = {
    maxChangedShare: 0,
    maxNewlyEmptyShare: 0.5,
    maxLostShare: 1,
    mustKeep: [world.offers[5]],
    maxEngineUsP99: 1e6,
  };
  const { result } = await backtest(server, 'main', { overlay: change, limits });
  assert.deepEqual([result.verdict, result.reasons], ['failed', ['limit_failed']]);
  assert.deepEqual(
    result.limits.map(({ name, passed }) => `${name} ${passed}`),
    ['maxChangedShare false', 'maxNewlyEmptyShare true', 'maxLostShare true', 'mustKeep true', 'maxEngineUsP99 true'],
  );
  for (const { count, customers } of [...result.gained, ...result.lost]) {
    assert.equal(count === null, customers === null);
    assert.ok(customers === null || customers >= 10);
  }
});

test('gives the same bytes when a thread ends three times', async () => {
  const body = { overlay: pause(2), mode: 'chained', ...lastHourFixed };
  const undisturbed = await startBacktest(server, 'main', body);
  await runStudies(server);
  const id = await startBacktest(server, 'main', body);
  await server.testDatabase.ownerQuery(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = 'study.run'`,
  );
  const { url, isCluster } = server.testDatabase;
  const masterKeys = [Buffer.alloc(32, 7)];
  let ends = 0;
  for (let tries = 0; ends < 4; tries += 1) {
    assert.ok(tries < 20);
    const threads = createStudyThreads({
      ...{ url, isCluster, pooled: false, masterKeys, count: 1, callMemory: callSignalMemory() },
      isPressed: () => false,
      onError: () => undefined,
    });
    const killing: StudyThreads = {
      count: 1,
      claim: threads.claim,
      start(step) {
        const started = threads.start(step);
        // The thread ends while it works on its second chunk of this life.
        if (ends < 3 && step.chunk !== null && step.chunk > ends) void threads.close();
        return started;
      },
    };
    const run = runStudy(
      {
        database: server.database,
        studyThreads: killing,
        onStudyEnded: () => undefined,
        onContradiction: () => undefined,
      },
      server.tenants[0].id,
      id,
      new AbortController().signal,
    );
    if (ends < 3) await assert.rejects(run);
    else await run;
    ends += 1;
    await threads.close();
  }
  const texts = await server.testDatabase.ownerQuery<{ result: string; rows: string }>(
    `select md5(s.result::text) as result, (select md5(string_agg(c.row_lines, '' order by c.number))
       from arbiter.study_chunks c where c.tenant_id = s.tenant_id and c.study_id = s.id and c.row_count > 0) as rows
     from arbiter.studies s where s.id = any($1::uuid[])`,
    [[undisturbed, id]],
  );
  assert.equal(texts.length, 2);
  assert.ok(texts[0]?.rows);
  assert.deepEqual(texts[0], texts[1]);
});

test("a study whose chunk fails releases all threads before it's retried", async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(4) });
  const failing = Promise.withResolvers<never>();
  let steps = 0;
  const threads: StudyThreads = {
    count: 2,
    claim: () => () => undefined,
    start() {
      steps += 1;
      if (steps === 1) return { result: failing.promise, stop: () => undefined };
      // While the result of the second is stored, the first fails.
      setImmediate(() => failing.reject(new Error('out of memory')));
      return {
        result: Promise.resolve({ chunk: { partial: Buffer.from('{}'), rows: null }, outcome: null }),
        stop: () => undefined,
      };
    },
  };
  const ports = {
    database: server.database,
    studyThreads: threads,
    onStudyEnded: () => undefined,
    onContradiction: () => undefined,
  };
  await assert.rejects(runStudy(ports, server.tenants[0].id, id, new AbortController().signal), /out of memory/);
  // A thread that continued would start its next step by then.
  await setTimeout(300);
  assert.equal(steps, 2);
  await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
});

test('counts offers for which a customer contradicted the check of a study', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(4) });
  const counted: number[] = [];
  const ports = {
    database: server.database,
    studyThreads: {
      count: 1,
      claim: () => () => undefined,
      start: ({ chunk }: StudyStep) => ({
        result: Promise.resolve(
          chunk === null
            ? { chunk: null, outcome: { result: '{}', load: null, contradictions: 2 } }
            : { chunk: { partial: Buffer.from('{}'), rows: null }, outcome: null },
        ),
        stop: () => undefined,
      }),
    },
    onStudyEnded: () => undefined,
    onContradiction: (offers: number) => counted.push(offers),
  };
  await runStudy(ports, server.tenants[0].id, id, new AbortController().signal);
  assert.deepEqual(counted, [2]);
});

for (const [name, overlay] of [
  ['the draft', []],
  ['an overlay', pause(5)],
] as const) {
  test(`the plan of ${name} uses one version of the catalogue while someone changes it`, async (t) => {
    const hashOf = async (): Promise<string> => {
      const id = await startBacktest(server, 'main', { overlay });
      const { candidateHash } = await readStudy(server, id);
      await server.call('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
      return candidateHash;
    };
    const before = await hashOf();
    const { withTenant } = server.database;
    const prioritize = async (priority: number): Promise<void> => {
      const { status, text } = await server.call('PUT', '/api/v1/offers', { body: { id: world.offers[0], priority } });
      assert.equal(status, 200, text);
    };
    let isChanged = false;
    // Someone changes an offer when policies have been read and offers have not.
    const changingTx = (tx: Tx): Tx => ({
      ...tx,
      async query(text, values) {
        const rows = await tx.query<never>(text, values);
        if (!isChanged && text.includes('contact_policies')) {
          isChanged = true;
          await prioritize(11);
        }
        return rows;
      },
    });
    t.mock.method(server.database, 'withTenant', ((tenantId, who, work, options) =>
      withTenant(tenantId, who, (tx) => work(changingTx(tx)), options)) as typeof withTenant);
    const during = await hashOf();
    t.mock.restoreAll();
    assert.ok(isChanged);
    assert.equal(during, before);
    assert.notEqual(await hashOf(), before);
    await prioritize(90);
  });
}

test('the earliest possible start can be used, and a legal hold makes all of history possible', async () => {
  const keep = (legalHold: boolean) =>
    server.call('POST', '/api/v1/admin/retention-configs', {
      body: { dataClass: 'decisions', retentionDays: 365, legalHold },
    });
  const startAt = async (from: string | undefined) => {
    const answer = await start({ from });
    if (answer.status === 202) await server.call('POST', `/api/v1/studies/${answer.body.studyId}/cancel`, { body: {} });
    return answer;
  };
  const refused = await startAt('2019-01-01');
  assert.equal(refused.body.code, 'history_unavailable');
  assert.equal((await startAt(refused.body.from)).status, 202);
  assert.equal((await keep(true)).status, 200);
  assert.equal((await startAt('2019-01-01')).status, 202);
  await keep(false);
});

test('rejects an identical study while it waits, and queues others', async () => {
  const first = await startBacktest(server, 'main', { overlay: pause(3), ...lastHourFixed });
  const again = await start({ overlay: pause(3), ...lastHourFixed });
  assert.deepEqual([again.status, again.body.code, again.body.studyId], [409, 'study_running', first]);
  const second = await startBacktest(server, 'main', { overlay: pause(4), ...lastHourFixed });
  await server.testDatabase.ownerQuery(`update arbiter.studies set status = 'running' where id = $1`, [first]);
  // While the first one runs, nobody works on the second.
  await runStudies(server);
  assert.equal((await readStudy(server, first)).status, 'completed');
  await runStudies(server);
  assert.equal((await readStudy(server, second)).status, 'completed');
});
test('a study can be cancelled once', async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(5) });
  const cancel = () => server.call<Study & { code: string }>('POST', `/api/v1/studies/${id}/cancel`, { body: {} });
  const done = await cancel();
  assert.deepEqual([done.status, done.body.status], [200, 'cancelled']);
  assert.deepEqual([(await cancel()).status, (await cancel()).body.code], [409, 'invalid_transition']);
  await runStudies(server);
  assert.deepEqual([(await readStudy(server, id)).status, await readRows(server, id)], ['cancelled', []]);
});

test('rejects bad input and changes nothing', async () => {
  const count = async () => (await server.testDatabase.ownerQuery('select from arbiter.studies')).length;
  const before = await count();
  const refused = async (body: object, status: number, code: string, path?: string) => {
    const answer = await start(body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    if (path !== undefined) assert.equal(answer.body.errors?.[0]?.path, path);
    return answer.body;
  };
  await refused({ maxDecisions: 1_000_001 }, 400, 'validation_failed', '/maxDecisions');
  await refused({ maxNotEvaluableShare: 0.3 }, 400, 'validation_failed', '/maxNotEvaluableShare');
  await refused({ version: 'published' }, 400, 'validation_failed');
  await refused({ version: 0 }, 400, 'validation_failed');
  await refused({ version: 9 }, 404, 'not_found');
  await refused({ compareTo: 9 }, 404, 'not_found');
  await refused({ from: lastHour().to, to: lastHour().from }, 400, 'validation_failed', '/from');
  await refused({ from: 'yesterday' }, 400, 'validation_failed', '/from');
  await refused({ limits: { maxChanged: 1 } }, 400, 'validation_failed');
  const old = await refused({ from: '2019-01-01' }, 409, 'history_unavailable', '/from');
  assert.ok(Date.parse(old.from ?? '') > Date.now() - 366 * 86_400_000);
  await refused(
    { overlay: [{ kind: 'offers', key: 'Unknown', patch: null }] },
    422,
    'overlay_invalid',
    '/overlay/0/key',
  );
  await refused({ overlay: [{ kind: 'decision-flows', key: 'main', patch: null }] }, 422, 'overlay_invalid');
  const unknown = await server.call('POST', '/api/v1/decision-flows/unknown/backtest', {
    body: { version: 'draft', ...lastHour() },
  });
  assert.equal(unknown.status, 404);
  assert.equal(await count(), before);
  assert.equal((await start({}, server.tenants[0].keys.viewer)).status, 403);
});

test("another tenant's study isn't found", async () => {
  const id = await startBacktest(server, 'main', { overlay: pause(1) });
  const key = server.tenants[1]!.keys.admin;
  for (const [method, path] of [
    ['GET', `studies/${id}`],
    ['GET', `studies/${id}/rows`],
    ['POST', `studies/${id}/cancel`],
    ['GET', `decision-flows/main/backtests/${id}`],
  ] as const) {
    const body = method === 'POST' ? { body: {} } : {};
    assert.equal((await server.call(method, `/api/v1/${path}`, { key, ...body })).status, 404, path);
  }
  const list = await server.call<{ data: unknown[] }>('GET', '/api/v1/studies', { key });
  assert.deepEqual(list.body.data, []);
  await runStudies(server);
});

test('audits starting, cancelling and reading lines', async () => {
  const rows = await server.testDatabase.ownerQuery<{ action: string }>(
    `select distinct action from arbiter.audit_logs where entity_type = 'study' order by action`,
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['create', 'read', 'update'],
  );
});

test('keeps plans of studies until the studies expire after 90 days', async () => {
  const named = await inTenant(plansOfStudies);
  assert.ok(named.length > 3);
  await server.testDatabase.ownerQuery(`update arbiter.plans set retired_at = '2020-01-01'`);
  const expire = () => inTenant(async (tx) => expirePlans(tx, tx.now, await plansOfStudies(tx)));
  await expire();
  for (const hash of named) await inTenant((tx) => openPlan(tx, hash));
  const left = async () =>
    (await server.testDatabase.ownerQuery('select from arbiter.plans where hash = any($1::bytea[])', [named])).length;
  assert.equal(await left(), named.length);
  await inTenant(expireStudies);
  assert.ok((await inTenant(plansOfStudies)).length > 0);
  await server.testDatabase.ownerQuery(`update arbiter.studies set expires_at = now() - interval '1 hour'`);
  await inTenant(expireStudies);
  assert.deepEqual(await inTenant(plansOfStudies), []);
  assert.deepEqual(await server.testDatabase.ownerQuery('select from arbiter.study_chunks'), []);
  await expire();
  assert.equal(await left(), 0);
});
