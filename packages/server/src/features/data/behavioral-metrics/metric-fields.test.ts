import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
let channelId: string;
let offerId: string;
const people = ['one', 'two', 'three', 'none'];
before(async () => {
  server = await startTestServer({ tenants: 2 });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offerId = await server.create('offers', { name: 'A', status: 'active' });
  await server.create('creatives', { name: 'A', offerId, channelId, status: 'active' });
  const fields = [{ name: 'customer_id', dataType: 'varchar(64)', isPrimaryKey: true }];
  const schema = await server.create('schemas', { name: 'people', displayName: 'People', fields });
  const rows = people.map((customer_id) => ({ customer_id }));
  assert.equal((await call('POST', `/api/v1/schemas/${schema}/data`, { rows })).status, 201);
  for (const [customerId, clicks] of [
    ['one', 1],
    ['two', 2],
    ['three', 3],
  ] as const) {
    for (let at = 0; at < clicks; at++) await click(customerId);
  }
});
after(() => server?.close());

interface Answer {
  readonly id: string;
  readonly key: string;
  readonly code: string;
  readonly viewName: string;
  readonly customerCount: number;
  readonly totalSampled: number;
  readonly qualifying: number;
  readonly fieldDistribution: { readonly min: number; readonly max: number } | null;
  readonly errors: { readonly path: string }[];
  readonly data: { readonly customerId: string }[];
}
const call = (method: string, path: string, body?: unknown) =>
  server.call<Answer>(method, path, body === undefined ? {} : { body });
let events = 0;
async function click(customerId: string) {
  const body = { customerId, offerId, channelId, outcome: 'click', idempotencyKey: `click ${++events}` };
  assert.equal((await call('POST', '/api/v1/respond', body)).status, 200);
}
async function metric(name: string, more: object = {}) {
  const { status, body, text } = await call('POST', '/api/v1/behavioral-metrics', {
    ...{ name, aggregateFunction: 'count', sourceField: 'positive', windowDays: 30 },
    ...more,
  });
  assert.equal(status, 201, text);
  return body;
}
const compute = async (id: string) =>
  assert.equal((await call('POST', `/api/v1/behavioral-metrics/${id}/compute`)).status, 200);
const leaf = (key: string, operator: string, value?: unknown) => ({
  name: `${key} ${operator} ${String(value)}`,
  filters: [{ field: `metric.${key}`, operator, ...(value === undefined ? {} : { value }) }],
});
async function segment(body: object) {
  const answer = await call('POST', '/api/v1/segments', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
const members = async (id: string) =>
  (await call('GET', `/api/v1/segments/${id}/customers`)).body.data.map(({ customerId }) => customerId).sort();
/** Rows of the view, as the tenant's own role reads them. */
const viewed = ({ viewName }: Answer, tenantId = server.tenants[0].id) =>
  server.database.withTenant(tenantId, { id: 'system:test', name: 'system', role: 'admin' }, async (tx) => {
    const rows = await tx.query<{ customer_id: string }>(
      `select customer_id from "t_${server.tenants[0].id.replaceAll('-', '')}"."${viewName}"`,
    );
    return rows.map(({ customer_id }) => customer_id).sort();
  });

test('a segment reads batch and realtime metrics at the boundary', async () => {
  for (const computeMode of ['batch', 'realtime']) {
    const { id, key } = await metric(`Clicks ${computeMode}`, { computeMode });
    await compute(id);
    for (const [operator, value, wanted] of [
      ['gte', 2, ['three', 'two']],
      ['gt', 2, ['three']],
      ['lt', 1, ['none']],
      ['eq', 0, ['none']],
      ['between', [1, 2], ['one', 'two']],
      ['in', [1, 3], ['one', 'three']],
      ['not_exists', undefined, []],
    ] as const) {
      const made = await segment(leaf(key, operator, value));
      const name = `${computeMode} ${operator} ${String(value)}`;
      assert.deepEqual(await members(made.id), wanted, name);
      assert.deepEqual(await viewed(made), wanted, name);
      assert.equal(made.customerCount, wanted.length, name);
    }
  }
});

test('a segment follows its metric without being rebuilt', async () => {
  const { id, key } = await metric('Follows');
  const average = await metric('Average', { aggregateFunction: 'avg', sourceField: 'totalValue' });
  assert.deepEqual(await members((await segment(leaf(average.key, 'not_exists'))).id), people.toSorted());
  const made = await segment(leaf(key, 'gte', 2));
  const change = async (body: object) => {
    const { status, text } = await call('PUT', `/api/v1/behavioral-metrics/${id}`, body);
    assert.equal(status, 200, text);
  };
  assert.deepEqual(await viewed(made), [], 'never computed');
  await compute(id);
  assert.deepEqual(await viewed(made), ['three', 'two']);
  await change({ computeMode: 'realtime' });
  assert.deepEqual(await viewed(made), []);
  await compute(id);
  assert.deepEqual(await viewed(made), ['three', 'two']);
  await server.testDatabase.ownerQuery(
    `update arbiter.behavioral_metric_days set day = day - 29 where metric_id = $1 and customer_id = 'two'`,
    [id],
  );
  assert.deepEqual(await viewed(made), ['three', 'two'], 'the first day of the window');
  await change({ windowDays: 29 });
  await compute(id);
  await server.testDatabase.ownerQuery(
    `update arbiter.behavioral_metric_days set day = day - 29 where metric_id = $1 and customer_id = 'two'`,
    [id],
  );
  assert.deepEqual(await viewed(made), ['three'], 'one day before the window');
  await change({ name: 'Renamed' });
  assert.deepEqual(await viewed(made), ['three'], 'the key stays');
  const refresh = async () => (await call('POST', `/api/v1/segments/${made.id}/refresh`)).body.customerCount;
  assert.equal(await refresh(), 1);
  await change({ status: 'archived' });
  assert.equal(await refresh(), 0, 'archived metrics have no values');
  await change({ status: 'active' });
  await call('PUT', '/api/v1/tenant-settings', { enableBehavioralMetrics: false });
  assert.deepEqual(await viewed(made), [], 'metrics are off');
  assert.equal((await call('POST', '/api/v1/segments/preview', leaf(key, 'gte', 2))).body.code, 'feature_disabled');
  await call('PUT', '/api/v1/tenant-settings', { enableBehavioralMetrics: true });
  assert.deepEqual(await viewed(made), ['three']);
  assert.deepEqual(await viewed(made, server.tenants[1]?.id), [], 'another tenant');
});

test('a decision sees membership by a metric', async () => {
  const { key } = await metric('Decides', { computeMode: 'realtime' });
  const { id } = await segment(leaf(key, 'gte', 2));
  await server.create('contact-policies', {
    ...{ name: 'Clicked enough', ruleType: 'segment_exclusion', scope: 'global' },
    config: { excludeSegments: [id] },
  });
  const shown = async () => {
    const answer = await server.call<{ decisions: unknown[] }>('POST', '/api/v1/recommend', {
      body: { customerId: 'none', channelId },
    });
    return answer.body.decisions.length;
  };
  await click('none');
  assert.equal(await shown(), 1);
  await click('none');
  assert.equal(await shown(), 0);
  await server.testDatabase.ownerQuery(`delete from arbiter.contact_policies`);
});

test("rejects fields that aren't metrics, and keeps metrics that segments read", async () => {
  const { id, key } = await metric('Kept');
  const grouped = await metric('Grouped', { groupByDimensions: ['offerId'] });
  const path = '/filters/0/field';
  for (const [body, wanted] of [
    [leaf('nothing', 'gt', 1), path],
    [leaf('', 'gt', 1), path],
    [leaf(grouped.key, 'gt', 1), path],
    [leaf(key, 'contains', '1'), '/filters/0/operator'],
    [leaf(key, 'gt', 'many'), '/filters/0/value'],
    [leaf(`${key}" or true --`, 'exists'), path],
    [leaf('__proto__', 'exists'), path],
  ] as const) {
    const { status, body: answer } = await call('POST', '/api/v1/segments', body);
    assert.deepEqual([status, answer.errors[0]?.path], [400, wanted], JSON.stringify(body));
  }
  const made = await segment({ ...leaf(key, 'gt', 1), status: 'draft' });
  const metricUrl = `/api/v1/behavioral-metrics/${id}`;
  const removal = await call('DELETE', metricUrl);
  assert.deepEqual([removal.status, removal.body.code], [409, 'in_use'], removal.text);
  assert.ok(removal.text.includes(made.id), removal.text);
  const grouping = await call('PUT', metricUrl, { groupByDimensions: ['offerId'] });
  assert.deepEqual([grouping.status, grouping.body.errors[0]?.path], [409, '/groupByDimensions'], grouping.text);
  assert.equal((await call('PUT', `/api/v1/segments/${made.id}`, { filters: [] })).status, 200);
  assert.equal((await call('DELETE', metricUrl)).status, 204);
});

test('estimates the reach of a metric condition', async () => {
  const { id } = await metric('Reach', { computeMode: 'realtime' });
  const plain = await metric('Reach batch', { aggregateFunction: 'max' });
  await compute(id);
  await compute(plain.id);
  await click('two');
  const estimate = (body: object) =>
    call('POST', '/api/v1/qualification-rules/reach-estimate', { ruleType: 'metric_condition', ...body });
  for (const [operator, value, wanted] of [
    ['gte', 3, 2],
    ['gt', 3, 0],
    ['lt', 1, 0],
    ['eq', 3, 2],
    ['lte', 2.5, 2],
    [undefined, undefined, 4],
  ] as const) {
    const { body, text } = await estimate({ field: id, operator, value });
    assert.deepEqual([body.totalSampled, body.qualifying], [4, wanted], `${operator} ${value}: ${text}`);
  }
  assert.deepEqual((await estimate({ field: id })).body.fieldDistribution?.max, 3);
  const missing = await metric('Never computed', { aggregateFunction: 'ratio' });
  assert.equal((await estimate({ field: missing.id })).body.qualifying, 0);
  assert.equal((await estimate({ field: missing.id, onMissing: 'pass' })).body.qualifying, 4);
  assert.equal((await estimate({ field: missing.id })).body.fieldDistribution, null);
  const grouped = await metric('Reach grouped', { groupByDimensions: ['offerId'] });
  for (const [body, path, code] of [
    [{}, '/field', 'validation_failed'],
    [{ field: 'nothing' }, '/field', 'reference_not_found'],
    [{ field: grouped.id }, '/field', 'validation_failed'],
    [{ field: id, operator: 'neq' }, '/operator', 'validation_failed'],
    [{ field: id, value: '3' }, '/value', 'validation_failed'],
  ] as const) {
    const answer = await estimate(body);
    assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, code, path], answer.text);
  }
});
