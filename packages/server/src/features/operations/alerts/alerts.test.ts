import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { alertMetrics } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { type AlertServer, minuteMs, startAlertServer } from './test-alerts.ts';

/** Alert rules over HTTP, against figures that decisions and responses left (docs/design/api-access.md 10). */

let world: AlertServer;
before(async () => {
  world = await startAlertServer();
});
after(() => world?.close());

test('a rule: defaults, changes, deletion with its history', async () => {
  const created = await world.post({ name: 'Clicks', metric: 'ctr', operator: 'lt', threshold: 0.01 });
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
  assert.deepEqual([tenantId, createdAt], [world.server.tenants[0].id, updatedAt]);
  assert.equal((await world.put(id, { enabled: false })).body.status, 'paused');
  assert.equal((await world.put(id, { enabled: true, threshold: 0.02, rowVersion: 2 })).body.version, 3);
  assert.equal((await world.put(id, { rowVersion: 2 })).status, 409);
  const theirs = { key: world.server.tenants[1]!.keys.admin };
  assert.equal((await world.server.call('GET', `/api/v1/alerts/${id}`, theirs)).status, 404);
  assert.equal((await world.server.call('GET', `/api/v1/alerts/${id}/events`, theirs)).status, 404);
  const viewer = { key: world.server.tenants[0].keys.viewer };
  assert.equal((await world.server.call('PUT', `/api/v1/alerts/${id}`, { ...viewer, body: {} })).status, 403);
  assert.equal((await world.server.call('GET', `/api/v1/alerts/${id}/events`, viewer)).status, 200);
  assert.equal((await world.server.call('DELETE', `/api/v1/alerts/${id}`)).status, 204);
  assert.equal((await world.server.call('GET', `/api/v1/alerts/${id}`)).status, 404);
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
      const { status, body: problem, text } = await world.post(body);
      assert.deepEqual([status, problem.code, problem.errors[0]?.path], [400, code, path], text);
    });
  }
  test("rejects a metric that doesn't support the given filters", async () => {
    const id = await world.rule({ metric: 'ctr', filters: { offerId: world.ids.offer } });
    const refused = await world.put(id, { metric: 'dlq_depth' });
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, '/filters/offerId']);
    assert.equal((await world.put(id, { metric: 'dlq_depth', filters: {} })).status, 200);
  });
});

test('the table of metrics is data', async () => {
  const { body } = await world.server.call<{ data: { metric: string; needsTraces: boolean }[] }>(
    'GET',
    '/api/v1/alerts/metrics',
    {
      key: world.server.tenants[0].keys.viewer,
    },
  );
  assert.deepEqual(
    body.data.map(({ metric }) => metric),
    alertMetrics,
  );
  assert.ok(body.data.every(({ needsTraces }) => !needsTraces));
});

test('figures of history: over the window, by offer and channel, from real decisions and responses', async () => {
  await world.clear();
  world.now += 20 * minuteMs;
  const customers = ['a', 'b', 'c', 'd'];
  const recommended: string[] = [];
  for (const customerId of customers) {
    const { body, text } = await world.server.call<{ recommendationId: string; count: number }>(
      'POST',
      '/api/v1/recommend',
      {
        body: { customerId, channelId: world.ids.channel, decisionFlowKey: 'main' },
      },
    );
    assert.equal(body.count, 1, text);
    recommended.push(body.recommendationId);
  }
  const respond = async (at: number, outcome: string, more: object = {}) => {
    const { status, text } = await world.server.call('POST', '/api/v1/respond', {
      body: { recommendationId: recommended[at], rank: 1, customerId: customers[at], outcome, ...more },
    });
    assert.ok(status < 300, text);
  };
  world.now += 1_000;
  await respond(0, 'click');
  await respond(1, 'convert', { conversionValue: 12.5 });
  await respond(2, 'dismiss');
  world.now += 1_000;
  const wanted = { acceptance_rate: 0.5, ctr: 0.5, conversion_rate: 0.25, revenue: 12.5 };
  const elsewhere = await world.made('channels', { name: 'Mail', channelType: 'email' });
  const rules: (readonly [string, number | null])[] = [];
  for (const [metric, value] of Object.entries(wanted)) {
    const of = { metric, operator: 'gt', threshold: 1_000 };
    rules.push([await world.rule(of), value]);
    rules.push([
      await world.rule({ ...of, filters: { offerId: world.ids.offer, channelId: world.ids.channel } }),
      value,
    ]);
    rules.push([await world.rule({ ...of, filters: { channelId: elsewhere } }), metric === 'revenue' ? 0 : null]);
    rules.push([await world.rule({ ...of, minSamples: 4 }), value]);
    rules.push([await world.rule({ ...of, minSamples: 5 }), metric === 'revenue' ? value : null]);
  }
  const { rulesEvaluated, rulesFired, ok } = await world.tick();
  assert.deepEqual([rulesEvaluated, rulesFired, ok], [rules.length, 0, true]);
  for (const [id, value] of rules) {
    const { lastValue, status, metric, filters } = await world.read(id);
    assert.deepEqual(
      [lastValue, status],
      [value, value === null ? 'no_data' : 'ok'],
      `${metric} ${JSON.stringify(filters)}`,
    );
  }
  world.now += 6 * minuteMs;
  await world.tick();
  assert.equal((await world.read(rules[0]![0])).status, 'no_data', 'the window has gone by');
});

test('figures of decisions: per minute, by flow, failures too', async () => {
  await world.clear();
  world.now += 20 * minuteMs;
  const tenantId = world.server.tenants[0].id;
  const at = (minutesAgo: number) => new Date(Math.floor(world.now / minuteMs) * minuteMs - minutesAgo * minuteMs);
  const minute = (minutesAgo: number, flowId: string, figures: readonly (number | string | readonly number[])[]) =>
    world.server.testDatabase.ownerQuery(
      `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
         policy_blocked, degraded, policy_errors, compute_errors, durations)
       values ($1, $2, $3, 1, 0, $4, $5, $6::jsonb, $7, $8, $9, 0, 0, $10)`,
      [tenantId, at(minutesAgo), flowId, ...figures],
    );
  // Bucket n ends at 16 * 2^((n-1)/4) microseconds: bucket 25 at 1,024, bucket 41 at 16,384.
  const slow = [...Array(40).fill(0), 100];
  await minute(2, world.ids.flow, [
    60,
    6,
    JSON.stringify({ unavailable: 20 }),
    600,
    150,
    3,
    [...Array(24).fill(0), 10_000],
  ]);
  await minute(3, world.ids.flow, [30, 3, JSON.stringify({ internal: 10, not_found: 10 }), 300, 75, 15, slow]);
  await minute(2, world.ids.otherFlow, [10, 0, '{}', 100, 0, 0, slow]);
  await minute(9, world.ids.flow, [1, 1, '{}', 1, 1, 1, slow]);
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
    rules.push([await world.rule({ ...of, metric, filters: { decisionFlowKey: 'main' } }), ofFlow]);
    rules.push([await world.rule({ ...of, metric }), ofAll]);
  }
  rules.push([await world.rule({ ...of, metric: 'latency_p99', filters: { decisionFlowKey: 'main' } }), 1.024]);
  rules.push([await world.rule({ ...of, metric: 'latency_p99', filters: { decisionFlowKey: 'other' } }), 16.384]);
  rules.push([await world.rule({ ...of, metric: 'decision_count', windowMinutes: 10 }), 101]);
  await world.tick();
  for (const [id, value] of rules) {
    const { lastValue, metric } = await world.read(id);
    assert.ok(lastValue !== null && Math.abs(lastValue - value) < 1e-9, `${metric}: ${lastValue} is not ${value}`);
  }
  const nothing = await world.rule({ ...of, metric: 'error_rate', filters: { decisionFlowKey: 'no-such-flow' } });
  const silence = await world.rule({
    metric: 'decision_count',
    operator: 'lt',
    threshold: 1,
    filters: { decisionFlowKey: 'no-such-flow' },
  });
  await world.tick();
  assert.equal((await world.read(nothing)).status, 'no_data');
  assert.equal((await world.read(silence)).status, 'fired', 'no decision at all is a figure');
});

test('figures of now: dead letters and what waits in the outbox', async () => {
  await world.clear();
  const tenantId = world.server.tenants[0].id;
  const dead = await world.rule({ metric: 'dlq_depth', operator: 'gte', threshold: 100 });
  const lag = await world.rule({ metric: 'outbox_lag_seconds', operator: 'gt', threshold: 100_000 });
  await world.server.testDatabase.ownerQuery('delete from arbiter.outbox where tenant_id = $1', [tenantId]);
  await world.tick();
  assert.deepEqual([(await world.read(dead)).lastValue, (await world.read(lag)).lastValue], [0, 0]);
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', $2)`,
    [tenantId, new Date(world.now - 90_000)],
  );
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     select $1, gen_random_uuid(), 'mail.send', '{}', 'x', 6, now() from generate_series(1, 3)`,
    [tenantId],
  );
  await world.tick();
  assert.equal((await world.read(dead)).lastValue, 3);
  assert.ok(Math.abs((await world.read(lag)).lastValue! - 90) < 1);
});

test('history of rules is kept as long as the class metrics says', async () => {
  await world.clear();
  world.now += 200 * minuteMs;
  const id = await world.rule({ operator: 'lt', threshold: 1, cooldownMinutes: 0 });
  await world.tick();
  const job = world.server.jobs.get('alerts.retain')!;
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await world.server.database.withTenant(world.server.tenants[0].id, systemActor('test'), (tx) =>
    tx.query(`update arbiter.alert_events set fired_at = fired_at - interval '366 days' where alert_id = $1`, [id]),
  );
  world.now += 1;
  await world.tick();
  await job.run({}, facts, world.server.tenants[0].id);
  assert.equal((await world.events(id)).length, 1);
});
