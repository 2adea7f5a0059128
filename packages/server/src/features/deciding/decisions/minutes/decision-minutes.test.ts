import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../db/test-database.ts';
import { startTestServer } from '../../../../main/test-server.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { newId } from '../../../../platform/ids.ts';
import { bucketOf, createDecisionMinutes, type MinuteFigures } from './decision-minutes.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const allKnown = async (_tx: unknown, ids: readonly string[]) => new Set(ids);
const fail = (error: unknown): void => assert.fail(String(error));
const minute = Date.UTC(2026, 10, 20, 9, 30);
const figures: MinuteFigures = {
  decisions: 1,
  empty: 0,
  candidates: 200,
  policyBlocked: 3,
  degraded: 0,
  policyErrors: 1,
  computeErrors: 2,
};

/** A row as the driver reads it. */
interface Row {
  readonly minute: Date;
  readonly flow_id: string;
  readonly flow_version: number;
  readonly arm: number;
  readonly decisions: number;
  readonly empty: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly candidates: number;
  readonly policy_blocked: number;
  readonly degraded: number;
  readonly policy_errors: number;
  readonly compute_errors: number;
  readonly durations: readonly number[];
  readonly p50_us: number;
  readonly p99_us: number;
}

const rowsOf = (tenantId: string, of: TestDatabase = db) =>
  of.ownerQuery<Row>(
    'select * from arbiter.decision_minutes where tenant_id = $1 order by minute, flow_id, flow_version',
    [tenantId],
  );

test('the figures of two processes share a row, with quantiles over all decisions', async () => {
  const tenant = newId();
  const flow = { id: newId(), version: 3 };
  let now = minute + 1_000;
  const clock = { now: () => now };
  const open = () => createDecisionMinutes(db.database, allKnown, clock, fail);
  const [one, two] = [open(), open()];
  const timed = (count: number, agoMs: number) =>
    Array.from({ length: count }, () => ({ flow, figures, startedAt: performance.now() - agoMs }));
  // One process has most of the decisions and is fast, the other is slow: averaging two quantiles wouldn't give these.
  one.decided(tenant, timed(97, 1_000));
  two.decided(tenant, timed(3, 60_000));
  two.decided(tenant, [{ flow, figures: { ...figures, empty: 1, degraded: 1 }, startedAt: performance.now() - 1_000 }]);
  one.failed(tenant, flow, new AppError('unavailable'), performance.now() - 1_000);
  two.failed(tenant, flow, new AppError('unavailable'), performance.now() - 1_000);
  two.failed(tenant, flow, new Error('a fault of ours'), performance.now() - 1_000);
  two.failed(tenant, null, new AppError('not_found'), performance.now());
  await Promise.all([one.flush('due'), two.flush('due')]);
  assert.equal((await rowsOf(tenant))[1]?.decisions, 101, 'before the minute is over');
  now = minute + 60_000;
  await Promise.all([one.flush('due'), two.flush('due')]);
  await Promise.all([one.flush('all'), two.flush('all')]);

  const [unknown, row, ...others] = await rowsOf(tenant);
  assert.deepEqual(others, []);
  assert.deepEqual([unknown!.flow_version, unknown!.decisions, unknown!.errors], [0, 0, { not_found: 1 }]);
  assert.equal(new Date(row!.minute).getTime(), minute);
  assert.deepEqual([row!.flow_id, row!.flow_version, row!.arm], [flow.id, 3, 0]);
  assert.deepEqual(row!.errors, { unavailable: 2, internal: 1 });
  assert.deepEqual(
    [
      row!.decisions,
      row!.empty,
      row!.candidates,
      row!.policy_blocked,
      row!.degraded,
      row!.policy_errors,
      row!.compute_errors,
    ],
    [101, 1, 20_200, 303, 1, 101, 202],
  );
  assert.equal(
    row!.durations.reduce((sum, n) => sum + n, 0),
    104,
    'failures take their time too',
  );
  // Upper ends of the buckets, at most 19 % above; the machine may have been slow by some ms.
  assert.ok(row!.p50_us >= 1_000_000 && row!.p50_us < 2_000_000, String(row!.p50_us));
  assert.ok(row!.p99_us >= 60_000_000 && row!.p99_us < 80_000_000, String(row!.p99_us));
});

test("writes the minutes of many tenants once they're over, in one transaction each", async () => {
  const tenants = Array.from({ length: 21 }, () => newId());
  const flow = { id: newId(), version: 1 };
  let now = minute + 1_000;
  const minutes = createDecisionMinutes(db.database, allKnown, { now: () => now }, fail);
  for (const tenant of tenants) minutes.decided(tenant, [{ flow, figures, startedAt: performance.now() }]);
  await minutes.flush('due');
  assert.deepEqual(await rowsOf(tenants[0]!), []);
  now = minute + 60_000;
  await minutes.flush('due');
  for (const tenant of tenants) assert.equal((await rowsOf(tenant)).length, 1);
});

test("doesn't write figures of a deleted flow, but keeps failures without a flow", async () => {
  const tenant = newId();
  const [gone, there] = [newId(), newId()];
  const clock = { now: () => minute };
  const minutes = createDecisionMinutes(db.database, async () => new Set([there]), clock, fail);
  for (const id of [gone, there]) {
    minutes.decided(tenant, [{ flow: { id, version: 1 }, figures, startedAt: performance.now() }]);
  }
  minutes.failed(tenant, null, new AppError('unavailable'), performance.now());
  await minutes.flush('all');
  const found = (await rowsOf(tenant)).map(({ flow_id, decisions }) => [flow_id, decisions]);
  assert.deepEqual(found, [
    ['00000000-0000-0000-0000-000000000000', 0],
    [there, 1],
  ]);
});

test("keeps figures that can't be written, and writes them later", async () => {
  const tenant = newId();
  const flow = { id: newId(), version: 1 };
  let isAway = true;
  const told: unknown[] = [];
  const database: typeof db.database.withTenant = (...args) =>
    isAway ? Promise.reject(new Error('away')) : db.database.withTenant(...args);
  const minutes = createDecisionMinutes({ withTenant: database }, allKnown, { now: () => minute }, (error) =>
    told.push(error),
  );
  minutes.decided(tenant, [{ flow, figures, startedAt: performance.now() }]);
  await minutes.flush('all');
  minutes.failed(tenant, flow, new AppError('unavailable'), performance.now());
  isAway = false;
  await minutes.flush('all');
  assert.equal(told.length, 1);
  const [row] = await rowsOf(tenant);
  assert.deepEqual([row!.decisions, row!.errors], [1, { unavailable: 1 }]);
});

test('a quantile is the end of its bucket', async () => {
  const endOf = async (bucket: number): Promise<number> => {
    const text = `{${'0,'.repeat(bucket)}1}`;
    const [row] = await db.ownerQuery<{ p: number }>('select arbiter.duration_quantile($1::int[], 0.99) as p', [text]);
    return row!.p;
  };
  for (const us of [0, 1, 15.9, 16, 17, 100, 1_000, 123_456, 60_000_000]) {
    const bucket = bucketOf(us);
    assert.ok(us <= (await endOf(bucket)), `${us} is above bucket ${bucket}`);
    if (bucket > 0) assert.ok(us >= (await endOf(bucket - 1)) - 1, `${us} is below bucket ${bucket}`);
  }
  const [none] = await db.ownerQuery<{ p: number | null }>(`select arbiter.duration_quantile('{}', 0.5) as p`);
  assert.equal(none!.p, null);
});

test('counts decisions and server failures but not dry runs, and writes the last minute at the end', async () => {
  const server = await startTestServer();
  const [tenant] = server.tenants;
  const ask = (body: object) => server.call('POST', '/api/v1/recommend', { body: { customerId: 'C1', ...body } });
  const created = await server.call('POST', '/api/v1/offers', { body: { name: 'A', status: 'active' } });
  assert.equal(created.status, 201, created.text);
  for (const [status, body] of [
    [200, {}],
    [200, { channel: 'sms' }],
    [200, { dryRun: true }],
    [404, { decisionFlowKey: 'nowhere' }],
    [404, { decisionFlowKey: 'nowhere', dryRun: true }],
    [400, { channelId: newId() }],
    [400, { placement: 'a', placements: [{ placementId: newId() }] }],
  ] as const) {
    const answer = await ask(body);
    assert.equal(answer.status, status, answer.text);
  }
  const sums: Record<string, number> = {};
  const { testDatabase } = server;
  await server.decisions.close();
  for (const row of await rowsOf(tenant.id, testDatabase)) {
    for (const name of ['decisions', 'empty'] as const) sums[name] = (sums[name] ?? 0) + row[name];
    for (const [code, n] of Object.entries(row.errors)) sums[code] = (sums[code] ?? 0) + Number(n);
    const isKnown = row.flow_version > 0;
    assert.equal(row.errors.not_found === undefined, isKnown, 'no flow was found for it');
  }
  await server.close();
  assert.deepEqual(sums, { decisions: 2, empty: 1, not_found: 1, reference_not_found: 1 });
});
