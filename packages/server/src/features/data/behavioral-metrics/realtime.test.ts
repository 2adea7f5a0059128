import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
let channelId: string;
let offerId: string;
before(async () => {
  server = await startTestServer();
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offerId = await server.create('offers', { name: 'A', status: 'active' });
  await server.create('creatives', { name: 'A', offerId, channelId, status: 'active' });
});
after(() => server?.close());

const metric = (name: string, more: object) =>
  server.create('behavioral-metrics', { name, aggregateFunction: 'count', computeMode: 'realtime', ...more });
const valuesOf = async (id: string) => {
  const { body, text } = await server.call<{ data: { customerId: string; value: number }[] }>(
    'GET',
    `/api/v1/behavioral-metrics/${id}/values`,
  );
  assert.ok(Array.isArray(body.data), text);
  return Object.fromEntries(body.data.map(({ customerId, value }) => [customerId, value]));
};
let events = 0;
const respond = async (customerId: string, body: object) => {
  const call = { customerId, offerId, channelId, idempotencyKey: `event ${++events}`, ...body };
  const { status, text } = await server.call('POST', '/api/v1/respond', { body: call });
  assert.equal(status, 200, text);
};

test('64 parallel events are counted exactly, and a rebuild among them changes nothing', async () => {
  const clicks = await metric('Clicks', { sourceField: 'positive', windowDays: 30 });
  const value = await metric('Value', { aggregateFunction: 'sum', sourceField: 'totalValue' });
  await respond('first', { outcome: 'click' });
  const rebuild = (id: string) => server.call('POST', `/api/v1/behavioral-metrics/${id}/compute`);
  const parallel = Array.from({ length: 64 }, (_, at) =>
    respond(`customer ${at % 4}`, { outcome: 'convert', conversionValue: 0.1 }),
  );
  const rebuilt = await Promise.all([rebuild(clicks), rebuild(value), ...parallel]);
  assert.deepEqual(
    rebuilt.slice(0, 2).map((answer) => answer?.status),
    [200, 200],
  );
  const each = (number: number) => Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`customer ${at}`, number]));
  assert.deepEqual(await valuesOf(clicks), { ...each(16), first: 1 });
  assert.deepEqual(await valuesOf(value), { ...each(1.6), first: 0 });
  await rebuild(clicks);
  assert.deepEqual(await valuesOf(clicks), { ...each(16), first: 1 }, 'history says the same');
});

test('counts what decisions show, and drops days that leave the window', async () => {
  const id = await metric('Contacts', { sourceField: 'impressions', windowDays: 2 });
  const { body, text } = await server.call<{ decisions: unknown[] }>('POST', '/api/v1/recommend', {
    body: { customerId: 'viewer', channelId },
  });
  assert.equal(body.decisions.length, 1, text);
  assert.deepEqual(await valuesOf(id), { viewer: 1 });
  const shift = (days: number) =>
    server.testDatabase.ownerQuery(
      'update arbiter.behavioral_metric_days set day = day - $2::int where metric_id = $1',
      [id, days],
    );
  await shift(1);
  assert.deepEqual(await valuesOf(id), { viewer: 1 }, 'yesterday is in a window of two days');
  await shift(1);
  assert.deepEqual(await valuesOf(id), {});
});

test('a policy sees the event before the decision', async () => {
  const metricId = await metric('Dismissals', {
    sourceField: 'negative',
    windowDays: 90,
    groupByDimensions: ['offerId'],
  });
  await server.create('contact-policies', {
    ...{ name: 'Tired', ruleType: 'metric_condition', scope: 'global' },
    config: { metricId, operator: 'gte', threshold: 2 },
  });
  const shown = async () => {
    const { body } = await server.call<{ decisions: unknown[]; recommendationId: string }>(
      'POST',
      '/api/v1/recommend',
      {
        body: { customerId: 'tired', channelId },
      },
    );
    return body;
  };
  await respond('tired', { outcome: 'dismiss' });
  const open = await shown();
  await respond('tired', { outcome: 'dismiss' });
  const closed = await shown();
  assert.deepEqual([open.decisions.length, closed.decisions.length], [1, 0]);
  for (const { recommendationId } of [open, closed]) {
    const replay = await server.call<{ identical: boolean }>('POST', `/api/v1/decisions/${recommendationId}/replay`, {
      body: {},
    });
    assert.equal(replay.body.identical, true, replay.text);
  }
});
