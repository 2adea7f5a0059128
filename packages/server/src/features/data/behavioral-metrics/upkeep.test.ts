import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BehavioralMetric, BehavioralMetricCreate } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { createQueueKeeper, createWorker } from '../../../jobs/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { importLines } from '../../deciding/history-import/test-import.ts';

let server: TestServer;
let channelId: string;
let offerId: string;
const url = '/api/v1/behavioral-metrics';
before(async () => {
  server = await startTestServer();
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offerId = await server.create('offers', { name: 'A', status: 'active' });
  await server.create('creatives', { name: 'A', offerId, channelId, status: 'active' });
});
after(() => server?.close());

const owner = (text: string, values: readonly unknown[] = []) => server.testDatabase.ownerQuery(text, [...values]);
const create = (name: string, more: Partial<BehavioralMetricCreate> = {}) =>
  server.create('behavioral-metrics', { name, aggregateFunction: 'count', sourceField: 'positive', ...more });
const read = async (id: string) => (await server.call<BehavioralMetric>('GET', `${url}/${id}`)).body;
const compute = (id: string) => server.call<{ code?: string }>('POST', `${url}/${id}/compute`);
const remove = async (id: string) => assert.equal((await server.call('DELETE', `${url}/${id}`)).status, 204);
const runJob = (name: string, payload: object = {}) =>
  server.jobs
    .get(name)!
    .run(payload, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, server.tenants[0].id);
async function valuesOf(id: string) {
  const { body } = await server.call<{ data: { customerId: string; value: number }[] }>('GET', `${url}/${id}/values`);
  return Object.fromEntries(body.data.map(({ customerId, value }) => [customerId, value]));
}
let events = 0;
async function click(customerId: string) {
  const body = { customerId, offerId, channelId, outcome: 'click', idempotencyKey: `upkeep ${++events}` };
  assert.equal((await server.call('POST', '/api/v1/respond', { body })).status, 200);
}
async function importClick(customerId: string, timestamp: Date) {
  const line = { key: `upkeep ${++events}`, customerId, outcome: 'click', offerId, timestamp: timestamp.toISOString() };
  assert.equal((await importLines(server, [line])).imported, 1);
}

test('a computation that fails says why, goes to the dead letters, and works again later', async () => {
  const id = await create('Fails');
  await click('failing');
  await owner(`alter table arbiter.behavioral_metric_values add constraint broken check (customer_id <> 'failing')`);
  await runJob('metrics.compute');
  const dead: string[] = [];
  const keeper = createQueueKeeper(server.testDatabase.database, {
    registry: server.jobs,
    workerId: () => null,
    onDead: (topic) => void dead.push(topic),
  });
  const worker = await createWorker({
    url: server.testDatabase.url,
    registry: server.jobs,
    concurrency: 1,
    graceMs: 5_000,
    onError: () => undefined,
  });
  const until = performance.now() + 60_000;
  while (!dead.includes('metric.compute')) {
    assert.ok(performance.now() < until, 'timed out');
    await owner('update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()');
    await owner(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
    await keeper.look();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await worker.stop();
  const failed = await read(id);
  assert.ok(failed.lastError !== null && failed.lastError.length > 0);
  assert.equal(failed.lastComputedAt, null);
  assert.ok(!failed.lastError.includes('failing'), 'no customer in the error');
  const letters = await server.call<{ events: { topic: string; payload: object }[] }>('GET', '/api/v1/admin/dlq');
  assert.deepEqual(
    letters.body.events.map(({ topic, payload }) => ({ topic, payload })),
    [{ topic: 'metric.compute', payload: { metricId: id } }],
  );
  await owner('alter table arbiter.behavioral_metric_values drop constraint broken');
  await runJob('metric.compute', { metricId: id });
  assert.equal((await read(id)).lastError, null);
  assert.deepEqual(await valuesOf(id), { failing: 1 });
  await remove(id);
});

test('erasure and retention delete values', async () => {
  const batch = await create('Batch');
  const realtime = await create('Realtime', { computeMode: 'realtime', windowDays: 30 });
  await click('erased');
  await click('stays');
  await compute(batch);
  const values = async () => [(await valuesOf(batch)).erased, (await valuesOf(realtime)).erased];
  assert.deepEqual(await values(), [1, 1]);
  const { status, text } = await server.call<{ erased?: unknown }>(
    'DELETE',
    '/api/v1/customers/erased/data?scope=everything',
    {
      headers: { 'x-confirm-delete': 'erased' },
    },
  );
  assert.equal(status, 200, text);
  assert.match(text, /"metricValues":2/);
  assert.deepEqual(await values(), [undefined, undefined]);
  await compute(batch);
  await compute(realtime);
  assert.deepEqual(await values(), [undefined, undefined], 'history has nothing to bring back');

  const age = (days: number) =>
    Promise.all([
      owner(`update arbiter.behavioral_metric_states set last_computed_at = now() - make_interval(days => $1)`, [days]),
      owner(`update arbiter.behavioral_metric_days set day = (now() - make_interval(days => $1))::date`, [days]),
    ]);
  await age(364);
  await runJob('behavioral-metrics.retain');
  assert.equal((await valuesOf(batch)).stays, 1, '365 days are kept');
  const count = async (table: string) =>
    (await owner(`select from arbiter.${table} where metric_id = any($1)`, [[batch, realtime]])).length;
  assert.ok((await count('behavioral_metric_days')) > 0);
  await age(368);
  await runJob('behavioral-metrics.retain');
  assert.deepEqual([await count('behavioral_metric_values'), await count('behavioral_metric_days')], [0, 0]);
  await remove(batch);
  await remove(realtime);
});

test('imported history counts in realtime, on its own day', async () => {
  const week = await create('Week', { computeMode: 'realtime', windowDays: 7 });
  const ever = await create('Ever', { computeMode: 'realtime' });
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  await importClick('imported', ago(3));
  await importClick('imported', ago(20));
  const values = async () => [(await valuesOf(week)).imported, (await valuesOf(ever)).imported];
  assert.deepEqual(await values(), [1, 2]);
  await compute(week);
  await compute(ever);
  assert.deepEqual(await values(), [1, 2], 'history says the same');
  await remove(week);
  await remove(ever);
});

test('a new time zone rebuilds the days, and so does enabling metrics', async () => {
  const id = await create('Zoned', { computeMode: 'realtime' });
  const noon = new Date(Math.floor(Date.now() / 86_400_000 - 3) * 86_400_000 + 23.5 * 3_600_000);
  await importClick('zoned', noon);
  const day = async () =>
    (await owner(
      `select day::text as day from arbiter.behavioral_metric_days where metric_id = $1 and customer_id = 'zoned'`,
      [id],
    )) as {
      day: string;
    }[];
  const date = (at: Date) => at.toISOString().slice(0, 10);
  const ofZone = (rows: readonly { day: string }[], wanted: Date) =>
    assert.ok(
      rows.some(({ day: found }) => found === date(wanted)),
      JSON.stringify(rows),
    );
  ofZone(await day(), noon);
  const set = async (body: object) =>
    assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body })).status, 200);
  const nextDue = async () => Date.parse((await read(id)).nextComputeAt ?? '') - Date.now();
  const rebuild = () => runJob('metric.compute', { metricId: id });
  await owner('update arbiter.behavioral_metrics set updated_at = now() - make_interval(hours => 1)');
  await rebuild();
  assert.equal((await read(id)).nextComputeAt, null);
  await set({ timezone: 'Asia/Tokyo' });
  assert.ok((await nextDue()) < 120_000, 'due once transactions of the old zone have ended');
  await rebuild();
  ofZone(await day(), new Date(noon.getTime() + 9 * 3_600_000));
  assert.equal(
    (await day()).some(({ day: found }) => found === date(noon)),
    false,
  );
  await set({ enableBehavioralMetrics: false });
  await click('while off');
  await rebuild();
  await set({ enableBehavioralMetrics: true });
  assert.equal((await valuesOf(id))['while off'], undefined);
  assert.ok((await nextDue()) < 120_000);
  await rebuild();
  assert.equal((await valuesOf(id))['while off'], 1);
  await set({ timezone: null });
  await remove(id);
});

test('a metric redefined or deleted during its computation keeps nothing of the old definition', async () => {
  const id = await create('Races');
  await click('racing');
  const actor = systemActor('test');
  // Holds the lock that a computation waits for.
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = (): void => undefined;
  const holding = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const blocker = server.database.withTenant(server.tenants[0].id, actor, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.behavioral_metric_values:' || $1, 0))`, [
      tx.tenantId,
    ]);
    isHeld();
    await held;
  });
  await holding;
  const computing = runJob('metric.compute', { metricId: id });
  const change = await server.call('PUT', `${url}/${id}`, { body: { sourceField: 'negative' } });
  assert.equal(change.status, 200, change.text);
  release();
  await blocker;
  await computing;
  assert.equal((await valuesOf(id)).racing, 0, 'the new definition');
  const twice = await Promise.all([compute(id), runJob('metric.compute', { metricId: id }), compute(id)]);
  assert.deepEqual([twice[0]?.status, twice[2]?.status], [200, 200]);
  const parallel = runJob('metric.compute', { metricId: id }).catch((error: unknown) => error);
  await remove(id);
  await parallel;
  await runJob('metric.compute', { metricId: id });
  assert.deepEqual(await owner('select from arbiter.behavioral_metric_values where metric_id = $1', [id]), []);
});
