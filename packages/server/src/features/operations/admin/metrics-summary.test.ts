import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MetricsSummary } from '@arbiter/contract';
import { createNodeMetrics } from '../../../main/metrics/node-metrics.ts';
import { metricsOfProcess, shownMetrics, summaryOf } from '../../../main/metrics/tenant-metrics.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

const token = 'a token of the summary tests';
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2, config: { METRICS_TOKEN: token, METRICS_TENANT_LABEL: true } });
  for (const key of [server.tenants[0].keys.admin, server.tenants[1]!.keys.admin]) {
    await server.call('POST', '/api/v1/channels', { key, body: { name: 'Mail', channelType: 'email' } });
  }
});
after(() => server?.close());

const summary = async (tenant: number) => {
  const { status, body, text } = await server.call<MetricsSummary>('GET', '/api/v1/metrics/summary', {
    key: server.tenants[tenant]!.keys.admin,
  });
  assert.equal(status, 200, text);
  return body;
};
const decide = (tenant: number) =>
  server.call('POST', '/api/v1/recommend', {
    key: server.tenants[tenant]!.keys.admin,
    body: { customerId: 'C', channel: 'email' },
  });

test("shows counters and histograms of the caller's tenant only, and nothing of the process", async () => {
  assert.deepEqual(await summary(0), {});
  for (let n = 0; n < 3; n += 1) assert.equal((await decide(0)).status, 200);
  await decide(1);
  const own = await summary(0);
  assert.deepEqual(own.svc_recommend_requests_total, {
    name: 'svc_recommend_requests_total',
    help: 'Recommend requests.',
    type: 'counter',
    values: [{ labels: { status: 'ok' }, value: 3 }],
  });
  const times = own.svc_recommend_latency_seconds!;
  assert.equal(times.type, 'histogram');
  const of = (labels: object) =>
    times.values.find(
      (each) => JSON.stringify(Object.entries(each.labels).sort()) === JSON.stringify(Object.entries(labels).sort()),
    )?.value;
  assert.equal(of({ channel: 'email', le: '+Inf' }), 3);
  assert.equal(of({ channel: 'email', stat: 'count' }), 3);
  assert.ok(of({ channel: 'email', stat: 'sum' })! > 0);
  assert.deepEqual((await summary(1)).svc_recommend_requests_total?.values, [{ labels: { status: 'ok' }, value: 1 }]);
  assert.ok(Object.keys(own).every((name) => !/http|process|nodejs/.test(name)));
  const { keys } = server.tenants[0];
  assert.equal((await server.call('GET', '/api/v1/metrics/summary', { key: keys.editor })).status, 403);
});

test('METRICS_TENANT_LABEL: the text shows the tenant instead of the sum over all', async () => {
  const { text } = await server.call('GET', '/api/v1/metrics', {
    key: null,
    headers: { authorization: `Bearer ${token}` },
  });
  const lines = text.split('\n').filter((line) => line.startsWith('svc_recommend_requests_total'));
  assert.equal(lines.length, 2);
  assert.ok(
    lines.every((line) => /tenant="[0-9a-f-]{36}"/.test(line)),
    lines.join('\n'),
  );
  assert.match(text, /^svc_http_requests_total/m);
});

test('sums over processes, including one that has ended', async () => {
  const node = createNodeMetrics(() => 1);
  const metrics = await server.metrics();
  node.reported('1', metrics);
  node.reported('2', metrics);
  node.ended('1');
  const [tenant] = server.tenants;
  const once = summaryOf(metrics, tenant.id).svc_recommend_requests_total!.values[0]!.value;
  assert.equal(summaryOf(await node.read(), tenant.id).svc_recommend_requests_total!.values[0]!.value, once * 2);
  assert.doesNotMatch(await node.text((all) => shownMetrics(all, false)), /tenant/);
  assert.deepEqual(summaryOf(await metricsOfProcess(server.registry, []), tenant.id), {});
});
