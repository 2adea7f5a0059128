import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Alert, AlertEvent, EventPage } from '@arbiter/contract';
import { IANAZone } from 'luxon';
import { startServerOn, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { says } from '../notifications/test-destination.ts';
import { publishAll } from '../stream/test-publish.ts';
import { type AlertServer, minuteMs, startAlertServer, token } from './test-alerts.ts';

/** The tick over HTTP: when rules fire, whom they notify, and who may call it (docs/design/api-access.md 10). */

let world: AlertServer;
before(async () => {
  world = await startAlertServer();
});
after(() => world?.close());

test('a rule fires, stays silent in its cooldown, fires again after it, and reports it all', async () => {
  await world.clear();
  world.now += 200 * minuteMs;
  const to = await world.made('notifications/providers', {
    kind: 'webhook',
    name: 'Told',
    config: { url: world.peer.url('/told') },
  });
  const channels = [to, { type: 'webhook', target: world.peer.url('/inline') }];
  const id = await world.rule({ name: 'No decisions', operator: 'lt', threshold: 1, cooldownMinutes: 10, channels });
  assert.deepEqual([(await world.tick()).rulesFired, (await world.read(id)).status], [1, 'fired']);
  const firedAt = Date.parse((await world.read(id)).lastFiredAt!);
  const [waiting] = await world.events(id);
  assert.deepEqual(
    waiting?.deliveries.map(({ channel, ok }) => [channel, ok]),
    channels.map((channel) => [channel, null]),
  );
  await world.deliverAll();
  const [event] = await world.events(id);
  assert.deepEqual(
    [event?.value, event?.baseline, event?.threshold, event?.severity, event?.deliveries.map(({ ok }) => ok)],
    [0, 0, 1, 'critical', [true, true]],
  );
  const body = JSON.parse(world.peer.got('/told')[0]!.text) as Record<string, unknown>;
  assert.deepEqual(
    [body.type, body.title, body.severity, body.message],
    ['alert', 'Alert: No decisions', 'critical', 'decision_count is 0 over 5 minutes: below 1.'],
  );
  assert.deepEqual((body.data as { alertId: string; eventId: string }).eventId, event?.id);
  world.now = firedAt + 10 * minuteMs - 2;
  assert.deepEqual(
    [(await world.tick()).rulesFired, (await world.read(id)).status],
    [0, 'cooldown'],
    'a millisecond before its end',
  );
  assert.equal((await world.read(id)).lastFiredAt, new Date(firedAt).toISOString());
  assert.deepEqual([(await world.tick()).rulesFired, (await world.read(id)).status], [1, 'fired'], 'at its end');
  assert.equal((await world.events(id)).length, 2);
  const actions = await world.server.testDatabase.ownerQuery<{ action: string; user_id: string }>(
    'select action, user_id from arbiter.audit_logs where entity_id = $1 order by sequence',
    [id],
  );
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['create', 'alert_fired', 'alert_fired'],
  );
  assert.equal(actions[1]?.user_id, 'system:tick');
  assert.equal((await world.read(id)).version, 1, 'looking at a rule does not change it');
  await world.put(id, { threshold: -1 });
  await world.tick();
  assert.equal((await world.read(id)).status, 'ok');
  await world.put(id, { enabled: false });
  assert.equal((await world.tick()).rulesEvaluated, 0);
  const page = await world.server.call<{ data: AlertEvent[]; pagination: { nextCursor: string; total: number } }>(
    'GET',
    `/api/v1/alerts/${id}/events?limit=1`,
  );
  assert.equal(page.body.pagination.total, 2);
  const next = await world.server.call<{ data: AlertEvent[] }>(
    'GET',
    `/api/v1/alerts/${id}/events?limit=1&cursor=${page.body.pagination.nextCursor}`,
  );
  assert.notEqual(next.body.data[0]?.id, page.body.data[0]?.id);
  assert.equal((await world.server.call('GET', `/api/v1/alerts/${id}/events?cursor=${newId()}`)).status, 400);
});

test('one channel fails, the others are served; a deleted destination is noted, and the rule continues', async () => {
  await world.clear();
  world.peer.on('/down', says(500));
  const down = await world.made('notifications/providers', {
    kind: 'webhook',
    name: 'Down',
    config: { url: world.peer.url('/down') },
  });
  const up = await world.made('notifications/providers', {
    kind: 'webhook',
    name: 'Up',
    config: { url: world.peer.url('/up') },
  });
  const gone = await world.made('notifications/providers', {
    kind: 'webhook',
    name: 'Gone',
    config: { url: world.peer.url('/gone') },
  });
  const of = { operator: 'lt', threshold: 1, cooldownMinutes: 0 };
  const failing = await world.rule({ ...of, channels: [down, up] });
  const orphan = await world.rule({ ...of, channels: [gone, up] });
  assert.equal((await world.server.call('DELETE', `/api/v1/notifications/providers/${gone}`)).status, 204);
  assert.equal((await world.tick()).rulesFired, 2);
  assert.equal((await world.read(orphan)).status, 'delivery_failed');
  await world.deliverAll();
  assert.deepEqual(
    (await world.events(failing))[0]?.deliveries.map(({ ok, error }) => [ok, error]),
    [
      [false, 'responded with 500'],
      [true, null],
    ],
  );
  assert.equal((await world.read(failing)).status, 'delivery_failed');
  assert.deepEqual(
    (await world.events(orphan))[0]?.deliveries.map(({ ok, error }) => [ok, error]),
    [
      [false, 'destination_deleted'],
      [true, null],
    ],
  );
  world.peer.on('/down', says(200));
  await world.deliverAll();
  assert.equal((await world.read(failing)).status, 'fired', 'a later try got through');
  assert.equal((await world.put(orphan, { threshold: 2 })).status, 200, 'and can still be changed');
  assert.equal((await world.put(orphan, { channels: [gone, up] })).status, 200);
});

test('of two parallel ticks, one checks each rule, which fires once', async () => {
  await world.clear();
  const rules: string[] = [];
  for (let at = 0; at < 8; at += 1) rules.push(await world.rule({ operator: 'lt', threshold: 1, cooldownMinutes: 0 }));
  world.now += 1;
  const both = await Promise.all([world.callTick(), world.callTick(), world.callTick()]);
  assert.equal(
    both.reduce((sum, { body }) => sum + body.rulesFired, 0),
    rules.length,
  );
  for (const id of rules) assert.equal((await world.events(id)).length, 1);
});

test('reports a failing rule without data, and still checks the others', async () => {
  await world.clear();
  const key = world.server.tenants[1]!.keys.admin;
  const broken = await world.rule({});
  const good = await world.rule({ name: 'good' });
  const theirs = await world.server.call<Alert>('POST', '/api/v1/alerts', {
    key,
    body: { name: 'Theirs', metric: 'decision_count', operator: 'lt', threshold: 1 },
  });
  await world.server.testDatabase.ownerQuery(`update arbiter.alerts set metric = 'no such metric' where id = $1`, [
    broken,
  ]);
  const { ok, errors, rulesEvaluated, tenantsProcessed } = await world.tick();
  assert.deepEqual([ok, rulesEvaluated, tenantsProcessed], [false, 2, 2]);
  assert.deepEqual(errors, [
    { tenantId: world.server.tenants[0].id, error: `alert rule ${broken} could not be evaluated` },
  ]);
  assert.equal((await world.read(good)).status, 'fired');
  assert.equal(
    (await world.server.call<Alert>('GET', `/api/v1/alerts/${theirs.body.id}`, { key })).body.status,
    'fired',
  );
  await world.server.testDatabase.ownerQuery(`update arbiter.alerts set metric = 'ctr' where id = $1`, [broken]);
  await world.server.call('DELETE', `/api/v1/alerts/${theirs.body.id}`, { key });
});

describe('who can tick', () => {
  const unauthorized = async (headers: Record<string, string>, on: Pick<TestServer, 'call'> = world.server) => {
    const { status, body } = await on.call<{ error: string }>('POST', '/api/cron/tick', { key: null, headers });
    assert.deepEqual([status, body], [401, { error: 'unauthorized' }], JSON.stringify(headers));
  };

  test('accepts the token in any of its headers; the preferred one decides alone', async () => {
    await world.clear();
    for (const headers of [
      { 'x-cron-token': token },
      { 'x-cron-secret': token },
      { authorization: `Bearer ${token}` },
    ]) {
      const { status, body } = await world.callTick(headers);
      assert.equal(status, 200);
      const { durationMs, timestamp, ...rest } = body;
      assert.deepEqual(rest, { ok: true, tenantsProcessed: 2, rulesEvaluated: 0, rulesFired: 0, errors: [] });
      assert.deepEqual([durationMs >= 0, timestamp], [true, new Date(world.now).toISOString()]);
    }
    for (const headers of [
      {},
      { 'x-cron-token': 'wrong' },
      { 'x-cron-token': 'wrong', 'x-cron-secret': token },
      { 'x-cron-token': '' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${world.server.tenants[0].keys.admin}` },
    ] as Record<string, string>[]) {
      await unauthorized(headers);
    }
    for (const method of ['GET', 'HEAD', 'PUT']) {
      assert.equal((await world.server.call(method, '/api/cron/tick', { key: null })).status, 405, method);
    }
  });

  test("without a token the secret works, with one it doesn't; without both nothing does", async () => {
    const secret = 'the secret of the schedulers';
    const { testDatabase } = world.server;
    const beside = (config: object) => startServerOn({ ...testDatabase, close: async () => undefined }, { config });
    const fallback = beside({ CRON_SECRET: secret });
    const both = beside({ CRON_TOKEN: token, CRON_SECRET: secret });
    const none = beside({});
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

test("reports each firing in the tenant's stream, with the state before and after", async () => {
  await world.clear();
  world.now += 200 * minuteMs;
  const id = await world.rule({ operator: 'lt', threshold: 1, cooldownMinutes: 0 });
  await world.tick();
  await world.tick();
  await publishAll(world.server);
  const stream = (key: string) =>
    world.server.call<EventPage>('GET', '/api/v1/events/stream?topic=alert.fired.v1&limit=1000', { key });
  const [viewer, others] = [world.server.tenants[0].keys.viewer, world.server.tenants[1]!.keys.viewer];
  const told = (await stream(viewer)).body.data.filter(({ payload }) => payload.alertId === id);
  assert.deepEqual(
    told.map(({ payload }) => [
      payload.oldStatus,
      payload.newStatus,
      payload.value,
      payload.threshold,
      payload.severity,
    ]),
    [
      ['ok', 'fired', 0, 1, 'critical'],
      ['fired', 'fired', 0, 1, 'critical'],
    ],
  );
  const fired = await world.events(id);
  assert.deepEqual(told.map(({ payload }) => payload.eventId).toSorted(), fired.map((event) => event.id).toSorted());
  assert.ok((await stream(others)).body.data.every(({ payload }) => payload.alertId !== id));
});

test('R12: a clock that ran ahead and is set back neither stops nor mutes a rule', async () => {
  await world.clear();
  world.now += 200 * minuteMs;
  const right = world.now;
  world.now += 25 * 60 * minuteMs;
  const id = await world.rule({ operator: 'lt', threshold: 1, cooldownMinutes: 10 });
  assert.equal((await world.tick()).rulesFired, 1);
  world.now = right;
  assert.deepEqual([(await world.tick()).rulesFired, (await world.read(id)).status], [1, 'fired']);
  assert.equal((await world.read(id)).lastFiredAt, new Date(world.now).toISOString());
  world.now += minuteMs;
  assert.deepEqual([(await world.tick()).rulesFired, (await world.read(id)).status], [0, 'cooldown']);
  // Nodes differ by seconds: that is no clock that was set back.
  world.now -= 3 * minuteMs - 5_000;
  assert.equal((await world.tick()).rulesFired, 0);
});

/** Zones with shifts of one hour, half an hour and two, shifts at midnight, and offsets of 45 minutes. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Los_Angeles',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Chatham',
  'America/St_Johns',
  'Australia/Adelaide',
  'Atlantic/Azores',
];

/** The instants in 2027 at which a zone's offset changes, to the minute. */
function changesOf(zone: string): number[] {
  const offset = (ms: number) => IANAZone.create(zone).offset(ms);
  const changes: number[] = [];
  const end = Date.UTC(2028, 0, 1);
  for (let at = Date.UTC(2027, 0, 1); at < end; at += 6 * 60 * minuteMs) {
    let [before, after] = [at, at + 6 * 60 * minuteMs];
    if (offset(before) === offset(after)) continue;
    while (after - before > minuteMs) {
      const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
      if (offset(middle) === offset(at)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

test('R12: windows and cooldowns keep their length through both clock changes, in twelve zones', async () => {
  await world.clear();
  const { id: tenantId } = world.server.tenants[0];
  const id = await world.rule({ windowMinutes: 5, cooldownMinutes: 3, filters: { decisionFlowKey: 'main' } });
  for (const timezone of zones) {
    const set = await world.server.call('PUT', '/api/v1/tenant-settings', { body: { timezone } });
    assert.equal(set.status, 200, set.text);
    const changes = changesOf(timezone);
    assert.equal(changes.length, 2, timezone);
    for (const change of changes) {
      await world.server.testDatabase.ownerQuery(
        `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
           policy_blocked, degraded, policy_errors, compute_errors, durations)
         select $1, $2::timestamptz + make_interval(mins => n), $3, 1, 0, 1, 0, '{}', 0, 0, 0, 0, 0, '{}'
         from generate_series(-12, 6) n on conflict do nothing`,
        [tenantId, new Date(change), world.ids.flow],
      );
      const fired: number[] = [];
      for (let minute = -2; minute <= 2; minute += 1) {
        world.now = change + minute * minuteMs;
        if ((await world.tick()).rulesFired === 1) fired.push(minute);
        assert.equal((await world.read(id)).lastValue, 5, `${timezone}, minute ${minute}`);
      }
      assert.deepEqual(fired, [-2, 1], timezone);
    }
  }
});
