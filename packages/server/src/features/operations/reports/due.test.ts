import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ReportRun, ReportRunRow, ReportSchedule, ReportTemplate, TickAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { clockChanges, dueMinutes, firstJump, wallClocks } from '../../../platform/time/test-clock-changes.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../notifications/test-destination.ts';
import { startReports } from './index.ts';

/** Reports that schedules start: the tick claims them, a job writes them (docs/design/quality.md T22, E10, E29). */

const minuteMs = 60_000;
const token = 'the token of the tick';
const morning = Date.UTC(2026, 10, 20, 9, 30);
let now = morning;
let server: TestServer;
let peer: TestDestination;
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({ tenants: 2, clock: { now: () => now }, config: { ...reachesDestinations, CRON_TOKEN: token } }),
    startDestination(),
  ]);
});
after(() => Promise.all([server?.close(), peer?.close()]));

let counter = 0;
async function made<T extends { readonly id: string }>(path: string, body: object): Promise<T> {
  const answer = await server.call<T>('POST', `/api/v1/${path}`, { body: { name: `Name ${++counter}`, ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
const template = (body: object = {}) =>
  made<ReportTemplate>('reports/templates', { dataSources: [{ sourceKey: 'summary' }], ...body });
const schedule = (templateId: string, body: object = {}) =>
  made<ReportSchedule>('reports/schedules', { templateId, cronExpression: '0 * * * *', timezone: 'UTC', ...body });
const read = async (id: string) => (await server.call<ReportSchedule>('GET', `/api/v1/reports/schedules/${id}`)).body;
const runsOf = async (templateId: string) =>
  (await server.call<{ data: ReportRunRow[] }>('GET', `/api/v1/reports/runs?templateId=${templateId}&limit=200`)).body
    .data;
const run = async (id: string) => (await server.call<ReportRun>('GET', `/api/v1/reports/runs/${id}`)).body;
async function tick(): Promise<TickAnswer> {
  const { status, body, text } = await server.call<TickAnswer>('POST', '/api/cron/tick', {
    key: null,
    headers: { 'x-cron-token': token },
  });
  assert.equal(status, 200, text);
  return body;
}
const facts = (jobId = '1') => ({ jobId, attempt: 1, dueAt: null, signal: new AbortController().signal });
/** Runs the queue job by job in order, like one worker. Returns the tenants of the jobs. */
async function workAll(): Promise<string[]> {
  const worked: string[] = [];
  for (;;) {
    const [next] = await server.testDatabase.ownerQuery<{ id: string; tenantId: string }>(
      `delete from graphile_worker._private_jobs where id = (
         select j.id from graphile_worker._private_jobs j
           join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'report.run'
          order by j.priority, j.run_at, j.id limit 1)
       returning id::text as id, payload ->> 'tenantId' as "tenantId"`,
    );
    if (next === undefined) return worked;
    worked.push(next.tenantId);
    await server.jobs.get('report.run')!.run({}, facts(next.id), next.tenantId);
  }
}
/** Delivers what waits in the background; each try that fails is one of the queue's. */
async function deliverAll(): Promise<void> {
  const rows = await server.testDatabase.ownerQuery<{ id: string; tenant_id: string }>(
    'select id, tenant_id from arbiter.notification_deliveries order by id',
  );
  for (const { id, tenant_id } of rows) {
    await server.jobs
      .get('notification.deliver')!
      .run({ deliveryId: id }, facts(), tenant_id)
      .catch((error: unknown) => assert.match(String(error), /^DeliveryError/));
  }
}
const webhook = async (path: string) =>
  (await made<{ id: string }>('notifications/providers', { kind: 'webhook', config: { url: peer.url(path) } })).id;

test('the tick commits the run with the claim; a job writes it and sends it to each destination independently', async () => {
  const [good, bad] = [await webhook('/good'), await webhook('/bad')];
  peer.on('/bad', says(503));
  const { id: templateId } = await template({ formats: ['csv'], filters: { destinations: [good, bad] } });
  const { id } = await schedule(templateId);
  now = Date.UTC(2026, 10, 20, 9, 59, 59, 999);
  await tick();
  assert.deepEqual(await runsOf(templateId), [], 'a millisecond early');
  now += 1;
  assert.equal((await tick()).ok, true);
  await tick();
  const [started, ...more] = await runsOf(templateId);
  assert.ok(started !== undefined && more.length === 0);
  assert.deepEqual(
    [started.status, started.triggeredBy, started.scheduleId, started.startedAt, started.completedAt],
    ['running', 'schedule', id, '2026-11-20T10:00:00.000Z', null],
  );
  const moved = await read(id);
  assert.deepEqual(
    [moved.nextRunAt, moved.lastRunAt, moved.lastRunId],
    ['2026-11-20T11:00:00.000Z', '2026-11-20T10:00:00.000Z', started.id],
  );
  now += 1_500;
  assert.deepEqual(await workAll(), [server.tenants[0].id]);
  const written = await run(started.id);
  assert.deepEqual(
    [written.status, written.durationMs, written.artifacts.map(({ format }) => format), written.sectionsData.length],
    ['completed', 1_500, ['csv'], 1],
  );
  assert.deepEqual(
    written.deliveryResults.map(({ providerId, ok }) => [providerId, ok]),
    [
      [good, null],
      [bad, null],
    ],
  );
  await deliverAll();
  const delivered = await run(started.id);
  assert.deepEqual(
    [delivered.status, delivered.deliveryResults.map(({ ok, error }) => [ok, error])],
    [
      'completed_with_errors',
      [
        [true, null],
        [false, 'responded with 503'],
      ],
    ],
  );
  const hook = JSON.parse(peer.got('/good')[0]!.text);
  assert.deepEqual(
    [hook.type, hook.data.runId, hook.data.artifacts.map(({ format }: { format: string }) => format)],
    ['report', started.id, ['csv']],
  );
  peer.on('/bad', says(200));
  await deliverAll();
  assert.equal((await run(started.id)).status, 'completed', 'a later try was taken');
  assert.deepEqual([peer.got('/good').length, peer.got('/bad').length], [1, 2]);
});

test("destinations of the schedule take precedence over the template's; reports one deleted in the meantime", async () => {
  const [own, usual, gone] = [await webhook('/own'), await webhook('/usual'), await webhook('/gone')];
  const { id: templateId } = await template({ filters: { destinations: [usual] } });
  const { id } = await schedule(templateId, { destinations: [own, gone] });
  now = Date.parse((await read(id)).nextRunAt!);
  await tick();
  assert.equal((await server.call('DELETE', `/api/v1/notifications/providers/${gone}`)).status, 204);
  const [started] = await runsOf(templateId);
  await workAll();
  await deliverAll();
  const { status, deliveryResults } = await run(started!.id);
  assert.deepEqual(
    [status, deliveryResults.map(({ ok, error }) => [ok, error])],
    [
      'completed_with_errors',
      [
        [true, null],
        [false, 'destination_deleted'],
      ],
    ],
  );
  assert.deepEqual([peer.got('/own').length, peer.got('/usual').length], [1, 0]);
});

test('E10: two parallel ticks, repeatedly, start each due run once', async () => {
  const { id: templateId } = await template();
  const ids = await Promise.all(Array.from({ length: 5 }, () => schedule(templateId, { cronExpression: '* * * * *' })));
  now = Math.ceil(now / minuteMs) * minuteMs;
  const rounds = 12;
  for (let round = 0; round < rounds; round++) {
    now += minuteMs;
    const answers = await Promise.all([tick(), tick(), startReports(server, new Date(now))]);
    assert.ok(answers[0].ok && answers[1].ok && answers[2].length === 0);
  }
  const runs = await runsOf(templateId);
  assert.equal(runs.length, ids.length * rounds);
  assert.equal(new Set(runs.map(({ scheduleId, startedAt }) => `${scheduleId} ${startedAt}`)).size, runs.length);
  assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
});

test('E10: a missed day is one run; a disabled template or schedule has none', async () => {
  const { id: templateId } = await template();
  const { id } = await schedule(templateId, { cronExpression: '*/5 * * * *' });
  const off = await schedule(templateId, { enabled: false });
  now += 26 * 3_600_000;
  await tick();
  assert.equal((await runsOf(templateId)).length, 1);
  const next = (await read(id)).nextRunAt!;
  assert.ok(Date.parse(next) > now && Date.parse(next) <= now + 5 * minuteMs);
  assert.equal(
    (await server.call('PATCH', `/api/v1/reports/templates/${templateId}`, { body: { enabled: false } })).status,
    200,
  );
  now = Date.parse(next);
  await tick();
  const moved = await read(id);
  assert.equal((await runsOf(templateId)).length, 1);
  assert.deepEqual(
    [Date.parse(moved.nextRunAt!), moved.lastRunAt],
    [now + 5 * minuteMs, (await runsOf(templateId))[0]?.startedAt],
  );
  assert.equal((await read(off.id)).nextRunAt, null);
});

test("reports a schedule that can't start, and doesn't delay others", async () => {
  const { id: templateId } = await template();
  const [broken, whole] = [await schedule(templateId), await schedule(templateId)];
  await server.testDatabase.ownerQuery(`update arbiter.report_schedules set timezone = 'Mars/Olympus' where id = $1`, [
    broken.id,
  ]);
  now = Date.parse(whole.nextRunAt!);
  const answer = await tick();
  assert.equal(answer.ok, false);
  assert.deepEqual(
    answer.errors.filter(({ error }) => error.includes(broken.id)).map(({ tenantId }) => tenantId),
    [server.tenants[0].id],
  );
  assert.deepEqual(
    (await runsOf(templateId)).map(({ scheduleId }) => scheduleId),
    [whole.id],
  );
  assert.equal((await server.call('DELETE', `/api/v1/reports/schedules/${broken.id}`)).status, 204);
});

test('a run lost long ago fails with the longest duration that can be stored', async () => {
  const { id: templateId } = await template();
  const { id } = await schedule(templateId);
  now = Date.parse((await read(id)).nextRunAt!);
  await tick();
  const [lost] = await runsOf(templateId);
  assert.equal((await server.call('DELETE', `/api/v1/reports/schedules/${id}`)).status, 204);
  const began = now;
  now += 400 * 86_400_000;
  await tick();
  assert.deepEqual([(await run(lost!.id)).status, (await run(lost!.id)).durationMs], ['failed', 2_147_483_647]);
  now = began;
});

test('a run whose process ended fails as interrupted, found by its job or the tick', async () => {
  await workAll();
  const { id: templateId } = await template();
  const { id } = await schedule(templateId);
  const start = async () => {
    now = Date.parse((await read(id)).nextRunAt!);
    await tick();
    return (await runsOf(templateId))[0]!.id;
  };
  /** What a process leaves behind that dies while writing. */
  const crash = (runId: string) =>
    server.testDatabase.ownerQuery(
      `with begun as (update arbiter.report_runs set begun_at = $2 where id = $1)
       update arbiter.report_leases set alive_until = $2::timestamptz + interval '5 minutes', job_id = 'of a crash'
        where run_id = $1`,
      [runId, new Date(now)],
    );
  const handedBack = () => server.jobs.get('report.run')!.run({}, facts('of a crash'), server.tenants[0].id);
  const first = await start();
  await crash(first);
  await handedBack();
  const byJob = await run(first);
  assert.deepEqual([byJob.status, byJob.error, byJob.artifacts], ['failed', 'interrupted', []]);
  const second = await start();
  await crash(second);
  now += 5 * minuteMs;
  await tick();
  assert.equal((await run(second)).status, 'running', 'it may still be at work');
  now += 1;
  await tick();
  const byTick = await run(second);
  assert.deepEqual([byTick.status, byTick.error, byTick.durationMs], ['failed', 'interrupted', 5 * minuteMs + 1]);
  await handedBack();
  assert.equal((await run(second)).status, 'failed', 'its job comes too late');
  const third = await start();
  assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
  await workAll();
  assert.deepEqual([(await run(third)).status, (await run(third)).error], ['failed', 'template_deleted']);
  assert.deepEqual(
    await server.testDatabase.ownerQuery('select from arbiter.report_leases where run_id = any($1)', [
      [first, second, third],
    ]),
    [],
  );
});

test("a tenant with many due reports doesn't delay others: the tenants take turns", async () => {
  await workAll();
  const [busy, other] = server.tenants;
  assert.ok(other !== undefined);
  const { id: templateId } = await template();
  const many = 12;
  const theirs = await Promise.all(Array.from({ length: many }, () => schedule(templateId)));
  const own = { key: other.keys.admin };
  const ofOther = await server.call<ReportTemplate>('POST', '/api/v1/reports/templates', {
    ...own,
    body: { name: 'Of another', dataSources: [{ sourceKey: 'summary' }] },
  });
  for (const name of ['One', 'Two']) {
    const body = { templateId: ofOther.body.id, name, cronExpression: '0 * * * *', timezone: 'UTC' };
    assert.equal((await server.call('POST', '/api/v1/reports/schedules', { ...own, body })).status, 201);
  }
  now = Date.parse((await read(theirs[0]!.id)).nextRunAt!);
  assert.equal((await tick()).ok, true);
  const worked = await workAll();
  assert.equal(worked.filter((id) => id === busy.id).length, many);
  assert.deepEqual(
    worked.slice(0, 4).toSorted(),
    [busy.id, busy.id, other.id, other.id].toSorted(),
    'each has had two turns after four',
  );
  const runs = await runsOf(templateId);
  assert.ok(runs.length === many && runs.every(({ status }) => status === 'completed'));
  assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
});

test("while a tenant's report is written, its other jobs do nothing, and the active one continues with the next", async () => {
  const { id: templateId } = await template();
  const [first] = [await schedule(templateId), await schedule(templateId)];
  now = Date.parse((await read(first.id)).nextRunAt!);
  await tick();
  const oldest = (await runsOf(templateId)).at(-1)!;
  await server.testDatabase.ownerQuery(
    `with begun as (update arbiter.report_runs set begun_at = $2 where id = $1)
     update arbiter.report_leases set alive_until = $2::timestamptz + interval '5 minutes', job_id = 'at work'
      where run_id = $1`,
    [oldest.id, new Date(now)],
  );
  const worked = (await workAll()).filter((id) => id === server.tenants[0].id);
  assert.equal(worked.length, 1);
  assert.deepEqual(
    (await runsOf(templateId)).map(({ status }) => status),
    ['running', 'running'],
  );
  await server.jobs.get('report.run')!.run({}, facts('at work'), server.tenants[0].id);
  assert.deepEqual(
    (await runsOf(templateId)).map(({ status, error }) => [status, error]),
    [
      ['completed', null],
      ['failed', 'interrupted'],
    ],
  );
  assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
});

test('the tick continues with runs behind one that was lost with its job', async () => {
  const { id: templateId } = await template();
  const [first] = [await schedule(templateId), await schedule(templateId)];
  now = Date.parse((await read(first.id)).nextRunAt!);
  await tick();
  const oldest = (await runsOf(templateId)).at(-1)!;
  await server.testDatabase.ownerQuery(
    `with begun as (update arbiter.report_runs set begun_at = $2 where id = $1),
     job as (delete from graphile_worker._private_jobs)
     update arbiter.report_leases set alive_until = $2::timestamptz + interval '5 minutes', job_id = 'gone'
      where run_id = $1`,
    [oldest.id, new Date(now)],
  );
  now += 5 * minuteMs + 1;
  await tick();
  assert.deepEqual(await workAll(), [server.tenants[0].id]);
  assert.deepEqual(
    (await runsOf(templateId)).map(({ status, error }) => [status, error]),
    [
      ['completed', null],
      ['failed', 'interrupted'],
    ],
  );
  assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
});

test('R12: every minute around both clock changes of twelve zones: each due run once, and no other', async () => {
  const patterns: readonly [cron: string, hours: readonly number[] | null, minutes: readonly number[]][] = [
    ['*/30 * * * *', null, [0, 30]],
    ['0 0 * * *', [0], [0]],
    ['30 0,1,2,3 * * *', [0, 1, 2, 3], [30]],
    ['0,10,50 2 * * *', [2], [0, 10, 50]],
  ];
  const reachMs = 130 * minuteMs;
  for (const { id } of (await server.call<{ data: ReportTemplate[] }>('GET', '/api/v1/reports/templates')).body.data) {
    assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${id}`)).status, 204);
  }
  let compared = 0;
  for (const [zone, ...days] of clockChanges) {
    for (const day of days) {
      const around = Date.parse(`${day}T00:00Z`);
      const walls = wallClocks(zone, around - 36 * 60 * minuteMs, around + 48 * 60 * minuteMs);
      const change = firstJump(walls);
      now = change - reachMs;
      const { id: templateId } = await template();
      const ids: string[] = [];
      for (const [cronExpression] of patterns)
        ids.push((await schedule(templateId, { cronExpression, timezone: zone })).id);
      for (now += minuteMs; now <= change + reachMs; now += minuteMs) {
        assert.deepEqual(await startReports(server, new Date(now)), []);
      }
      const runs = Map.groupBy(await runsOf(templateId), ({ scheduleId }) => scheduleId);
      for (const [at, [cron, hours, minutes]] of patterns.entries()) {
        const wanted = dueMinutes(walls, hours, minutes).filter(
          (ms) => ms > change - reachMs && ms <= change + reachMs,
        );
        const found = (runs.get(ids[at]!) ?? []).map(({ startedAt }) => startedAt).reverse();
        const expected = wanted.map((ms) => new Date(ms).toISOString());
        assert.deepEqual(found, expected, `${cron} in ${zone} on ${day}`);
        compared += found.length;
      }
      assert.equal((await server.call('DELETE', `/api/v1/reports/templates/${templateId}`)).status, 204);
    }
  }
  assert.ok(compared > 250, `${compared} runs were compared`);
});
