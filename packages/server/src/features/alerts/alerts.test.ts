import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Alert,
  type AlertEvent,
  alertMetrics,
  draftFlowConfig,
  type Problem,
  type TickAnswer,
} from '@arbiter/contract';
import { systemActor } from '../../db/index.ts';
import { startTestServer, type TestServer } from '../../main/test-server.ts';
import { newId } from '../../platform/ids.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../notifications/test-destination.ts';

/** Alert rules and the tick over HTTP, against figures that decisions and responses left (docs/design/api-access.md 10). */

const minuteMs = 60_000;
const token = 'the token of the tick';
let now = Date.UTC(2026, 10, 20, 9, 30, 15);
let server: TestServer;
let peer: TestDestination;
const ids = { offer: '', channel: '', flow: '', otherFlow: '' };
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({ tenants: 2, clock: { now: () => now }, config: { ...reachesDestinations, CRON_TOKEN: token } }),
    startDestination(),
  ]);
  const category = await made('categories', { name: 'Cards' });
  ids.channel = await made('channels', { name: 'Web', channelType: 'web', status: 'active' });
  ids.offer = await made('offers', { name: 'Gold', status: 'active', categoryId: category });
  await made('creatives', {
    name: 'Gold on web',
    offerId: ids.offer,
    channelId: ids.channel,
    status: 'active',
    content: { headline: 'x' },
  });
  for (const [name, key] of [
    ['flow', 'main'],
    ['otherFlow', 'other'],
  ] as const) {
    ids[name] = await made('decision-flows', { key, name: key, draftConfig: draftFlowConfig(category) });
    const published = await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: ids[name] } });
    assert.equal(published.status, 200, published.text);
  }
});
after(() => Promise.all([server?.close(), peer?.close()]));

async function made(path: string, body: object): Promise<string> {
  const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body.id;
}
let counter = 0;
type Answered = Alert & Omit<Problem, 'status'>;
const post = (body: object) =>
  server.call<Answered>('POST', '/api/v1/alerts', {
    body: { name: `Rule ${++counter}`, metric: 'decision_count', operator: 'gte', threshold: 0, ...body },
  });
async function rule(body: object): Promise<string> {
  const answer = await post(body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}
const read = async (id: string) => (await server.call<Alert>('GET', `/api/v1/alerts/${id}`)).body;
const put = (id: string, body: object) => server.call<Answered>('PUT', `/api/v1/alerts/${id}`, { body });
const events = async (id: string) =>
  (await server.call<{ data: AlertEvent[] }>('GET', `/api/v1/alerts/${id}/events`)).body.data;
const callTick = (headers: Record<string, string> = { 'x-cron-token': token }) =>
  server.call<TickAnswer & { error?: string }>('POST', '/api/cron/tick', { key: null, headers });
async function tick(): Promise<TickAnswer> {
  now += 1;
  const { status, body, text } = await callTick();
  assert.equal(status, 200, text);
  return body;
}
/** Delivers what waits in the background, as the worker would. */
async function deliverAll(): Promise<void> {
  const rows = await server.testDatabase.ownerQuery<{ id: string; tenant_id: string }>(
    'select id, tenant_id from arbiter.notification_deliveries order by id',
  );
  for (const { id, tenant_id } of rows) {
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    await server.jobs
      .get('notification.deliver')!
      .run({ deliveryId: id }, facts, tenant_id)
      .catch((error: unknown) => {
        assert.match(String(error), /^DeliveryError/);
      });
  }
}
/** Takes the rules of earlier tests away, so that a tick counts those of its own test. */
async function clear(): Promise<void> {
  const { body } = await server.call<{ data: Alert[] }>('GET', '/api/v1/alerts?limit=200');
  for (const { id } of body.data) assert.equal((await server.call('DELETE', `/api/v1/alerts/${id}`)).status, 204);
}

test('a rule: defaults, changes, deletion with its history', async () => {
  const created = await post({ name: 'Clicks', metric: 'ctr', operator: 'lt', threshold: 0.01 });
  const { id, tenantId, createdAt, updatedAt, ...rest } = created.body;
  assert.deepEqual(rest, {
    name: 'Clicks',
    metric: 'ctr',
    operator: 'lt',
    threshold: 0.01,
    windowMinutes: 5,
    channels: [],
    cooldownMinutes: 60,
    minSamples: 1,
    filters: {},
    enabled: true,
    status: 'ok',
    lastEvaluatedAt: null,
    lastValue: null,
    lastFiredAt: null,
    version: 1,
  });
  assert.deepEqual([tenantId, createdAt], [server.tenants[0].id, updatedAt]);
  assert.equal((await put(id, { enabled: false })).body.status, 'paused');
  assert.equal((await put(id, { enabled: true, threshold: 0.02, rowVersion: 2 })).body.version, 3);
  assert.equal((await put(id, { rowVersion: 2 })).status, 409);
  const theirs = { key: server.tenants[1]!.keys.admin };
  assert.equal((await server.call('GET', `/api/v1/alerts/${id}`, theirs)).status, 404);
  assert.equal((await server.call('GET', `/api/v1/alerts/${id}/events`, theirs)).status, 404);
  const viewer = { key: server.tenants[0].keys.viewer };
  assert.equal((await server.call('PUT', `/api/v1/alerts/${id}`, { ...viewer, body: {} })).status, 403);
  assert.equal((await server.call('GET', `/api/v1/alerts/${id}/events`, viewer)).status, 200);
  assert.equal((await server.call('DELETE', `/api/v1/alerts/${id}`)).status, 204);
  assert.equal((await server.call('GET', `/api/v1/alerts/${id}`)).status, 404);
});

describe('rules that are refused', () => {
  const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
  for (const [words, body, code, path] of [
    ['an unknown metric', { metric: 'happiness' }, 'validation_failed', '/metric'],
    ['an unknown operator', { operator: 'ne' }, 'validation_failed', '/operator'],
    ['a window of 0', { windowMinutes: 0 }, 'validation_failed', '/windowMinutes'],
    ['a window of 10081', { windowMinutes: 10_081 }, 'validation_failed', '/windowMinutes'],
    ['a cooldown below 0', { cooldownMinutes: -1 }, 'validation_failed', '/cooldownMinutes'],
    ['too many samples', { minSamples: 1_000_001 }, 'validation_failed', '/minSamples'],
    [
      '21 channels',
      { channels: Array(21).fill({ type: 'email', target: 'a@b.example' }) },
      'validation_failed',
      '/channels',
    ],
    ['an unknown destination', { channels: [unknown] }, 'reference_not_found', '/channels/0'],
    ['no address', { channels: [{ type: 'email', target: 'nobody' }] }, 'validation_failed', '/channels/0/target'],
    [
      'an inner address',
      { channels: [{ type: 'webhook', target: 'https://10.0.0.1/' }] },
      'validation_failed',
      '/channels/0/target',
    ],
    ['a filter without effect', { filters: { offerId: unknown } }, 'validation_failed', '/filters/offerId'],
    ['an unknown filter', { filters: { city: 'x' } }, 'validation_failed', '/filters/city'],
    ['an unknown offer', { metric: 'ctr', filters: { offerId: unknown } }, 'reference_not_found', '/filters/offerId'],
  ] as const) {
    test(words, async () => {
      const { status, body: problem, text } = await post(body);
      assert.deepEqual([status, problem.code, problem.errors[0]?.path], [400, code, path], text);
    });
  }
  test('a metric that does not know the filters that are there', async () => {
    const id = await rule({ metric: 'ctr', filters: { offerId: ids.offer } });
    const refused = await put(id, { metric: 'dlq_depth' });
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, '/filters/offerId']);
    assert.equal((await put(id, { metric: 'dlq_depth', filters: {} })).status, 200);
  });
});

test('the table of metrics is data', async () => {
  const { body } = await server.call<{ data: { metric: string; needsTraces: boolean }[] }>(
    'GET',
    '/api/v1/alerts/metrics',
    {
      key: server.tenants[0].keys.viewer,
    },
  );
  assert.deepEqual(
    body.data.map(({ metric }) => metric),
    alertMetrics,
  );
  assert.ok(body.data.every(({ needsTraces }) => !needsTraces));
});

test('figures of history: over the window, by offer and channel, from real decisions and responses', async () => {
  await clear();
  now += 20 * minuteMs;
  const customers = ['a', 'b', 'c', 'd'];
  const recommended: string[] = [];
  for (const customerId of customers) {
    const { body, text } = await server.call<{ recommendationId: string; count: number }>('POST', '/api/v1/recommend', {
      body: { customerId, channelId: ids.channel, decisionFlowKey: 'main' },
    });
    assert.equal(body.count, 1, text);
    recommended.push(body.recommendationId);
  }
  const respond = async (at: number, outcome: string, more: object = {}) => {
    const { status, text } = await server.call('POST', '/api/v1/respond', {
      body: { recommendationId: recommended[at], rank: 1, customerId: customers[at], outcome, ...more },
    });
    assert.ok(status < 300, text);
  };
  now += 1_000;
  await respond(0, 'click');
  await respond(1, 'convert', { conversionValue: 12.5 });
  await respond(2, 'dismiss');
  now += 1_000;
  const wanted = { acceptance_rate: 0.5, ctr: 0.5, conversion_rate: 0.25, revenue: 12.5 };
  const elsewhere = await made('channels', { name: 'Mail', channelType: 'email' });
  const rules: (readonly [string, number | null])[] = [];
  for (const [metric, value] of Object.entries(wanted)) {
    const of = { metric, operator: 'gt', threshold: 1_000 };
    rules.push([await rule(of), value]);
    rules.push([await rule({ ...of, filters: { offerId: ids.offer, channelId: ids.channel } }), value]);
    rules.push([await rule({ ...of, filters: { channelId: elsewhere } }), metric === 'revenue' ? 0 : null]);
    rules.push([await rule({ ...of, minSamples: 4 }), value]);
    rules.push([await rule({ ...of, minSamples: 5 }), metric === 'revenue' ? value : null]);
  }
  const { rulesEvaluated, rulesFired, ok } = await tick();
  assert.deepEqual([rulesEvaluated, rulesFired, ok], [rules.length, 0, true]);
  for (const [id, value] of rules) {
    const { lastValue, status, metric, filters } = await read(id);
    assert.deepEqual(
      [lastValue, status],
      [value, value === null ? 'no_data' : 'ok'],
      `${metric} ${JSON.stringify(filters)}`,
    );
  }
  now += 6 * minuteMs;
  await tick();
  assert.equal((await read(rules[0]![0])).status, 'no_data', 'the window has gone by');
});

test('figures of decisions: per minute, by flow, failures too', async () => {
  await clear();
  now += 20 * minuteMs;
  const tenantId = server.tenants[0].id;
  const at = (minutesAgo: number) => new Date(Math.floor(now / minuteMs) * minuteMs - minutesAgo * minuteMs);
  const minute = (minutesAgo: number, flowId: string, figures: readonly (number | string | readonly number[])[]) =>
    server.testDatabase.ownerQuery(
      `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
         policy_blocked, degraded, policy_errors, compute_errors, durations)
       values ($1, $2, $3, 1, 0, $4, $5, $6::jsonb, $7, $8, $9, 0, 0, $10)`,
      [tenantId, at(minutesAgo), flowId, ...figures],
    );
  // Bucket n ends at 16 * 2^((n-1)/4) microseconds: bucket 25 at 1,024, bucket 41 at 16,384.
  const slow = [...Array(40).fill(0), 100];
  await minute(2, ids.flow, [60, 6, JSON.stringify({ unavailable: 20 }), 600, 150, 3, [...Array(24).fill(0), 10_000]]);
  await minute(3, ids.flow, [30, 3, JSON.stringify({ internal: 10, not_found: 10 }), 300, 75, 15, slow]);
  await minute(2, ids.otherFlow, [10, 0, '{}', 100, 0, 0, slow]);
  await minute(9, ids.flow, [1, 1, '{}', 1, 1, 1, slow]);
  const of = { operator: 'lt', threshold: -1 };
  const wanted: readonly (readonly [string, number, number])[] = [
    ['decision_count', 90, 100],
    ['error_rate', 40 / 130, 40 / 140],
    ['selection_frequency', 81 / 90, 91 / 100],
    ['degraded_scoring_rate', 18 / 90, 18 / 100],
    ['cap_block_rate', 225 / 900, 225 / 1000],
  ];
  const rules: (readonly [string, number])[] = [];
  for (const [metric, ofFlow, ofAll] of wanted) {
    rules.push([await rule({ ...of, metric, filters: { decisionFlowKey: 'main' } }), ofFlow]);
    rules.push([await rule({ ...of, metric }), ofAll]);
  }
  rules.push([await rule({ ...of, metric: 'latency_p99', filters: { decisionFlowKey: 'main' } }), 1.024]);
  rules.push([await rule({ ...of, metric: 'latency_p99', filters: { decisionFlowKey: 'other' } }), 16.384]);
  rules.push([await rule({ ...of, metric: 'decision_count', windowMinutes: 10 }), 101]);
  await tick();
  for (const [id, value] of rules) {
    const { lastValue, metric } = await read(id);
    assert.ok(lastValue !== null && Math.abs(lastValue - value) < 1e-9, `${metric}: ${lastValue} is not ${value}`);
  }
  const nothing = await rule({ ...of, metric: 'error_rate', filters: { decisionFlowKey: 'no-such-flow' } });
  const silence = await rule({
    metric: 'decision_count',
    operator: 'lt',
    threshold: 1,
    filters: { decisionFlowKey: 'no-such-flow' },
  });
  await tick();
  assert.equal((await read(nothing)).status, 'no_data');
  assert.equal((await read(silence)).status, 'fired', 'no decision at all is a figure');
});

test('figures of now: dead letters and what waits in the outbox', async () => {
  await clear();
  const tenantId = server.tenants[0].id;
  const dead = await rule({ metric: 'dlq_depth', operator: 'gte', threshold: 100 });
  const lag = await rule({ metric: 'outbox_lag_seconds', operator: 'gt', threshold: 100_000 });
  await server.testDatabase.ownerQuery('delete from arbiter.outbox where tenant_id = $1', [tenantId]);
  await tick();
  assert.deepEqual([(await read(dead)).lastValue, (await read(lag)).lastValue], [0, 0]);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', $2)`,
    [tenantId, new Date(now - 90_000)],
  );
  await server.testDatabase.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     select $1, gen_random_uuid(), 'mail.send', '{}', 'x', 6, now() from generate_series(1, 3)`,
    [tenantId],
  );
  await tick();
  assert.equal((await read(dead)).lastValue, 3);
  assert.ok(Math.abs((await read(lag)).lastValue! - 90) < 1);
});

test('a rule fires, is silent in its cooldown, and fires again after it; all of it is told', async () => {
  await clear();
  now += 200 * minuteMs;
  const to = await made('notifications/providers', {
    kind: 'webhook',
    name: 'Told',
    config: { url: peer.url('/told') },
  });
  const channels = [to, { type: 'webhook', target: peer.url('/inline') }];
  const id = await rule({ name: 'No decisions', operator: 'lt', threshold: 1, cooldownMinutes: 10, channels });
  assert.deepEqual([(await tick()).rulesFired, (await read(id)).status], [1, 'fired']);
  const firedAt = Date.parse((await read(id)).lastFiredAt!);
  const [waiting] = await events(id);
  assert.deepEqual(
    waiting?.deliveries.map(({ channel, ok }) => [channel, ok]),
    channels.map((channel) => [channel, null]),
  );
  await deliverAll();
  const [event] = await events(id);
  assert.deepEqual(
    [event?.value, event?.baseline, event?.threshold, event?.severity, event?.deliveries.map(({ ok }) => ok)],
    [0, 0, 1, 'critical', [true, true]],
  );
  const body = JSON.parse(peer.got('/told')[0]!.text) as Record<string, unknown>;
  assert.deepEqual(
    [body.type, body.title, body.severity, body.message],
    ['alert', 'Alert: No decisions', 'critical', 'decision_count is 0 over 5 minutes: below 1.'],
  );
  assert.deepEqual((body.data as { alertId: string; eventId: string }).eventId, event?.id);
  now = firedAt + 10 * minuteMs - 2;
  assert.deepEqual(
    [(await tick()).rulesFired, (await read(id)).status],
    [0, 'cooldown'],
    'a millisecond before its end',
  );
  assert.equal((await read(id)).lastFiredAt, new Date(firedAt).toISOString());
  assert.deepEqual([(await tick()).rulesFired, (await read(id)).status], [1, 'fired'], 'at its end');
  assert.equal((await events(id)).length, 2);
  const actions = await server.testDatabase.ownerQuery<{ action: string; user_id: string }>(
    'select action, user_id from arbiter.audit_logs where entity_id = $1 order by sequence',
    [id],
  );
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['create', 'alert_fired', 'alert_fired'],
  );
  assert.equal(actions[1]?.user_id, 'system:tick');
  assert.equal((await read(id)).version, 1, 'looking at a rule does not change it');
  await put(id, { threshold: -1 });
  await tick();
  assert.equal((await read(id)).status, 'ok');
  await put(id, { enabled: false });
  assert.equal((await tick()).rulesEvaluated, 0);
  const page = await server.call<{ data: AlertEvent[]; pagination: { nextCursor: string; total: number } }>(
    'GET',
    `/api/v1/alerts/${id}/events?limit=1`,
  );
  assert.equal(page.body.pagination.total, 2);
  const next = await server.call<{ data: AlertEvent[] }>(
    'GET',
    `/api/v1/alerts/${id}/events?limit=1&cursor=${page.body.pagination.nextCursor}`,
  );
  assert.notEqual(next.body.data[0]?.id, page.body.data[0]?.id);
  assert.equal((await server.call('GET', `/api/v1/alerts/${id}/events?cursor=${newId()}`)).status, 400);
});

test('one channel fails, the others are served; a deleted destination is noted, and the rule goes on', async () => {
  await clear();
  peer.on('/down', says(500));
  const down = await made('notifications/providers', {
    kind: 'webhook',
    name: 'Down',
    config: { url: peer.url('/down') },
  });
  const up = await made('notifications/providers', { kind: 'webhook', name: 'Up', config: { url: peer.url('/up') } });
  const gone = await made('notifications/providers', {
    kind: 'webhook',
    name: 'Gone',
    config: { url: peer.url('/gone') },
  });
  const of = { operator: 'lt', threshold: 1, cooldownMinutes: 0 };
  const failing = await rule({ ...of, channels: [down, up] });
  const orphan = await rule({ ...of, channels: [gone, up] });
  assert.equal((await server.call('DELETE', `/api/v1/notifications/providers/${gone}`)).status, 204);
  assert.equal((await tick()).rulesFired, 2);
  assert.equal((await read(orphan)).status, 'delivery_failed');
  await deliverAll();
  assert.deepEqual(
    (await events(failing))[0]?.deliveries.map(({ ok, error }) => [ok, error]),
    [
      [false, 'answered 500'],
      [true, null],
    ],
  );
  assert.equal((await read(failing)).status, 'delivery_failed');
  assert.deepEqual(
    (await events(orphan))[0]?.deliveries.map(({ ok, error }) => [ok, error]),
    [
      [false, 'destination_deleted'],
      [true, null],
    ],
  );
  peer.on('/down', says(200));
  await deliverAll();
  assert.equal((await read(failing)).status, 'fired', 'a later try got through');
  assert.equal((await put(orphan, { threshold: 2 })).status, 200, 'and can still be changed');
  assert.equal((await put(orphan, { channels: [gone, up] })).status, 200);
});

test('two ticks at once: each rule is looked at by one of them, and fires once', async () => {
  await clear();
  const rules: string[] = [];
  for (let at = 0; at < 8; at += 1) rules.push(await rule({ operator: 'lt', threshold: 1, cooldownMinutes: 0 }));
  now += 1;
  const both = await Promise.all([callTick(), callTick(), callTick()]);
  assert.equal(
    both.reduce((sum, { body }) => sum + body.rulesFired, 0),
    rules.length,
  );
  for (const id of rules) assert.equal((await events(id)).length, 1);
});

test('a rule that fails is told, without data, and keeps no other from being looked at', async () => {
  await clear();
  const key = server.tenants[1]!.keys.admin;
  const broken = await rule({});
  const good = await rule({ name: 'good' });
  const theirs = await server.call<Alert>('POST', '/api/v1/alerts', {
    key,
    body: { name: 'Theirs', metric: 'decision_count', operator: 'lt', threshold: 1 },
  });
  await server.testDatabase.ownerQuery(`update arbiter.alerts set metric = 'no such metric' where id = $1`, [broken]);
  const { ok, errors, rulesEvaluated, tenantsProcessed } = await tick();
  assert.deepEqual([ok, rulesEvaluated, tenantsProcessed], [false, 2, 2]);
  assert.deepEqual(errors, [
    { tenantId: server.tenants[0].id, error: `the alert rule ${broken} could not be looked at` },
  ]);
  assert.equal((await read(good)).status, 'fired');
  assert.equal((await server.call<Alert>('GET', `/api/v1/alerts/${theirs.body.id}`, { key })).body.status, 'fired');
  await server.testDatabase.ownerQuery(`update arbiter.alerts set metric = 'ctr' where id = $1`, [broken]);
  await server.call('DELETE', `/api/v1/alerts/${theirs.body.id}`, { key });
});

describe('who may tick', () => {
  const unauthorized = async (headers: Record<string, string>, on = server) => {
    const { status, body } = await on.call<{ error: string }>('POST', '/api/cron/tick', { key: null, headers });
    assert.deepEqual([status, body], [401, { error: 'unauthorized' }], JSON.stringify(headers));
  };

  test('the token in any of its headers; the preferred one decides alone', async () => {
    await clear();
    for (const headers of [
      { 'x-cron-token': token },
      { 'x-cron-secret': token },
      { authorization: `Bearer ${token}` },
    ]) {
      const { status, body } = await callTick(headers);
      assert.equal(status, 200);
      const { durationMs, timestamp, ...rest } = body;
      assert.deepEqual(rest, { ok: true, tenantsProcessed: 2, rulesEvaluated: 0, rulesFired: 0, errors: [] });
      assert.deepEqual([durationMs >= 0, timestamp], [true, new Date(now).toISOString()]);
    }
    for (const headers of [
      {},
      { 'x-cron-token': 'wrong' },
      { 'x-cron-token': 'wrong', 'x-cron-secret': token },
      { 'x-cron-token': '' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${server.tenants[0].keys.admin}` },
    ] as Record<string, string>[]) {
      await unauthorized(headers);
    }
    for (const method of ['GET', 'HEAD', 'PUT']) {
      assert.equal((await server.call(method, '/api/cron/tick', { key: null })).status, 405, method);
    }
  });

  test('without a token the secret opens it, with one it does not; with neither nothing does', async () => {
    const secret = 'the secret of the schedulers';
    const fallback = await startTestServer({ config: { CRON_SECRET: secret } });
    const both = await startTestServer({ config: { CRON_TOKEN: token, CRON_SECRET: secret } });
    const none = await startTestServer();
    try {
      const opened = await fallback.call('POST', '/api/cron/tick', { key: null, headers: { 'x-cron-secret': secret } });
      assert.equal(opened.status, 200);
      await unauthorized({ 'x-cron-secret': secret }, both);
      await unauthorized({ 'x-cron-token': '' }, none);
      await unauthorized({ authorization: 'Bearer undefined' }, none);
    } finally {
      await Promise.all([fallback.close(), both.close(), none.close()]);
    }
  });
});

test('history of rules is kept as long as the class metrics says', async () => {
  await clear();
  const id = await rule({ operator: 'lt', threshold: 1, cooldownMinutes: 0 });
  await tick();
  const job = server.jobs.get('alerts.retain')!;
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    tx.query(`update arbiter.alert_events set fired_at = fired_at - interval '366 days' where alert_id = $1`, [id]),
  );
  now += 1;
  await tick();
  await job.run({}, facts, server.tenants[0].id);
  assert.equal((await events(id)).length, 1);
});
