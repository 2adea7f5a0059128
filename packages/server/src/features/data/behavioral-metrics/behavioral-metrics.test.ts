import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { maxBehavioralMetrics } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { keyOf } from './keys.rules.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const url = '/api/v1/behavioral-metrics';
const count = { aggregateFunction: 'count', sourceField: 'impressions' };
interface Answer {
  readonly id: string;
  readonly key: string;
  readonly code: string;
  readonly version: number;
  readonly nextComputeAt: string | null;
  readonly lastComputedAt: string | null;
  readonly lastError: string | null;
  readonly errors: { path: string; message: string }[];
  readonly data: unknown[];
  readonly valueCount: number;
}
const call = (method: string, path: string, body?: unknown, key?: string) =>
  server.call<Answer>(method, path, { ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) });
const create = async (body: object) => {
  const { status, body: metric, text } = await call('POST', url, { ...count, ...body });
  assert.equal(status, 201, text);
  return metric;
};
const remove = async (id: string) => assert.equal((await call('DELETE', `${url}/${id}`)).status, 204);

test('derives a key from the name, and keeps it', async () => {
  for (const [name, key] of [
    ['Contacts 30d', 'contacts_30d'],
    ['  --Größe & Co.  ', 'gr_e_co'],
    ['30 Days', '30_days'],
    ['???', 'metric_2'],
  ] as const) {
    assert.equal(keyOf(name, new Set(['metric_1'])), key);
  }
  const metric = await create({ name: 'Contacts 30d' });
  assert.equal(metric.key, 'contacts_30d');
  const duplicate = await call('POST', url, { ...count, name: 'contacts-30d' });
  assert.deepEqual([duplicate.status, duplicate.body.code], [409, 'duplicate_key']);
  const named = await call('POST', url, { ...count, name: 'Contacts 30d', key: 'other' });
  assert.deepEqual([named.status, named.body.code], [409, 'duplicate_name']);
  const renamed = await call('PUT', `${url}/${metric.id}`, { name: 'Renamed' });
  assert.deepEqual([renamed.status, renamed.body.key, renamed.body.version], [200, 'contacts_30d', 2]);
  assert.equal((await call('PUT', `${url}/${metric.id}`, { key: 'contacts_30d' })).status, 200);
  assert.equal((await call('PUT', `${url}/${metric.id}`, { key: 'other' })).body.errors[0]?.path, '/key');
  await remove(metric.id);
});

test('rejects what the contract excludes, with its path', async () => {
  for (const [body, path] of [
    [{ name: '' }, '/name'],
    [{ name: 'a'.repeat(101) }, '/name'],
    [{ description: 'a'.repeat(501) }, '/description'],
    [{ aggregateFunction: 'median' }, '/aggregateFunction'],
    [{ sourceField: 'clicks' }, '/sourceField'],
    [{ windowDays: 0 }, '/windowDays'],
    [{ windowDays: 366 }, '/windowDays'],
    [{ groupByDimensions: ['offerId', 'channelId', 'creativeId'] }, '/groupByDimensions'],
    [{ groupByDimensions: ['categoryId'] }, '/groupByDimensions/0'],
    [{ groupByDimensions: ['offerId', 'offerId'] }, '/groupByDimensions'],
    [{ batchIntervalMin: 4 }, '/batchIntervalMin'],
    [{ batchIntervalMin: 1441 }, '/batchIntervalMin'],
    [{ sqlFilter: 'a'.repeat(501) }, '/sqlFilter'],
    [{ sqlFilter: '1=1' }, '/sqlFilter'],
    [{ computeMode: 'realtime', aggregateFunction: 'avg' }, '/computeMode'],
    [{ computeMode: 'realtime', aggregateFunction: 'ratio' }, '/computeMode'],
    [{ filterConditions: [{ field: 'age', operator: 'eq', value: 1 }] }, '/filterConditions/0/field'],
    [{ filterConditions: [{ field: 'offerId', operator: 'eq', value: 'x' }] }, '/filterConditions/0/value'],
    [{ filterConditions: [{ field: 'hour', operator: 'contains', value: '1' }] }, '/filterConditions/0/operator'],
    [{ status: 'draft' }, '/status'],
  ] as const) {
    const { status, body: answer } = await call('POST', url, { ...count, name: 'Rejected', ...body });
    assert.deepEqual([status, answer.errors[0]?.path], [400, path], JSON.stringify(body));
  }
  assert.deepEqual((await call('GET', url)).body.data, []);
  const metric = await create({ name: 'Average', aggregateFunction: 'avg' });
  const change = await call('PUT', `${url}/${metric.id}`, { computeMode: 'realtime' });
  assert.deepEqual([change.status, change.body.errors[0]?.path], [400, '/computeMode']);
  assert.equal(
    (await call('PUT', `${url}/${metric.id}`, { computeMode: 'realtime', aggregateFunction: 'sum' })).status,
    200,
  );
  await remove(metric.id);
});

test('holds the limit under parallel creation', async () => {
  const tenant = server.tenants[1];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => call('POST', url, { ...count, name: `Parallel ${at}` }, tenant?.keys.editor)),
  );
  const statuses = Map.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ''}`);
  assert.deepEqual(
    [statuses.get('201 ')?.length, statuses.get('409 limit_reached')?.length],
    [maxBehavioralMetrics, 30 - maxBehavioralMetrics],
  );
  const [first] = answers.filter(({ status }) => status === 201);
  assert.equal(
    (await call('PUT', `${url}/${first?.body.id}`, { status: 'archived' }, tenant?.keys.editor)).status,
    200,
  );
  const more = await call('POST', url, { ...count, name: 'More' }, tenant?.keys.editor);
  assert.equal(more.body.code, 'limit_reached', 'archived metrics count too');
  assert.equal((await call('GET', `${url}/${first?.body.id}`)).status, 404, 'metrics of another tenant');
});

test('is off with enableBehavioralMetrics', async () => {
  const metric = await create({ name: 'Off' });
  const set = (enableBehavioralMetrics: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableBehavioralMetrics } });
  await set(false);
  for (const [method, path, body] of [
    ['POST', url, { ...count, name: 'Off 2' }],
    ['PUT', `${url}/${metric.id}`, { name: 'Off 3' }],
    ['DELETE', `${url}/${metric.id}`, undefined],
    ['POST', `${url}/${metric.id}/compute`, undefined],
  ] as const) {
    const answer = await call(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [403, 'feature_disabled'], `${method} ${path}`);
  }
  assert.equal((await call('GET', `${url}/${metric.id}`)).status, 200);
  assert.equal((await call('GET', `${url}/${metric.id}/values`)).status, 200);
  await set(true);
  await remove(metric.id);
});

test('computes active metrics only, and says when next', async () => {
  const metric = await create({ name: 'Status' });
  assert.notEqual(metric.nextComputeAt, null, 'due at once');
  await call('PUT', `${url}/${metric.id}`, { status: 'paused' });
  const paused = await call('POST', `${url}/${metric.id}/compute`);
  assert.deepEqual([paused.status, paused.body.code], [409, 'invalid_transition']);
  assert.equal((await call('GET', `${url}/${metric.id}`)).body.nextComputeAt, null);
  await call('PUT', `${url}/${metric.id}`, { status: 'active' });
  const computed = await call('POST', `${url}/${metric.id}/compute`);
  assert.deepEqual([computed.status, computed.body.valueCount], [200, 0], computed.text);
  const { lastComputedAt, nextComputeAt } = (await call('GET', `${url}/${metric.id}`)).body;
  assert.equal(Date.parse(nextComputeAt ?? '') - Date.parse(lastComputedAt ?? ''), 60 * 60_000);
  await remove(metric.id);
});
