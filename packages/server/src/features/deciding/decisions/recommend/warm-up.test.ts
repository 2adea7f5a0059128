import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tenantsUsedLast } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { systemClock } from '../../../../platform/time/clock.ts';
import { zoneClock } from '../../../../platform/time/zones.ts';
import { lastMinute } from '../minutes/decision-minutes.store.ts';
import { rehearse } from './rehearsal.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  for (const tenant of server.tenants) {
    const made = await server.call('POST', '/api/v1/categories', { body: { name: 'Cards' }, key: tenant.keys.admin });
    assert.equal(made.status, 201, made.text);
  }
});
after(() => server?.close());

/** Rows of every table of ours, by table. */
async function rowsOfEveryTable(): Promise<Record<string, number>> {
  const tables = await server.testDatabase.ownerQuery<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'arbiter' and c.relkind in ('r', 'p') order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await server.testDatabase.ownerQuery<{ rows: number }>(
      `select count(*)::int as rows from arbiter.${name}`,
    );
    counts[name] = row!.rows;
  }
  return counts;
}

test('the rehearsal decides, responds and seals like a batch', async () => {
  await rehearse({ clock: systemClock, zoneClock });
  await assert.rejects(
    rehearse({
      clock: systemClock,
      zoneClock: () => {
        throw new Error('no such zone');
      },
    }),
    /no such zone/,
    'a decision that fails is told',
  );
});

test("warming up reads the tenants' catalogues, writes nothing, and leaves no trace in the metrics", async () => {
  const before = await rowsOfEveryTable();
  assert.ok(Object.keys(before).length > 20);
  const told = async () => (await server.registry.metrics()).replaceAll(/^(?!svc_).*$/gm, '');
  const metricsBefore = await told();
  await server.decisions.warmUp(performance.now() + 60_000);
  assert.deepEqual(await rowsOfEveryTable(), before);
  const changed = (await told()).split('\n').filter((line) => !metricsBefore.includes(line));
  // Reading catalogues is reported as always, although no decision was made.
  assert.ok(changed.includes('svc_plan_compile_seconds_count 2'), changed.join('\n'));
  assert.deepEqual(
    changed.filter((line) => !/^svc_(plan_compile_seconds|cache_requests_total\{cache="catalogues")/.test(line)),
    [],
  );
});

test('continues to read a slow catalogue after the start', async () => {
  const busy = await startTestServer();
  try {
    const body = { name: 'Cards' };
    assert.equal((await busy.call('POST', '/api/v1/categories', { body })).status, 201);
    const release = await busy.testDatabase.ownerHold('lock table arbiter.offers in access exclusive mode');
    await busy.decisions.warmUp(performance.now() + 50);
    assert.ok(!(await busy.registry.metrics()).includes('svc_plan_compile_seconds_count 1'));
    await release();
    const decided = await busy.call('POST', '/api/v1/recommend', { body: { customerId: 'Ada', channel: 'email' } });
    assert.equal(decided.status, 200, decided.text);
  } finally {
    await busy.close();
  }
});

test('orders tenants by their last decision, then by the last change of their catalogue', async () => {
  const used = await startTestServer({ tenants: 3 });
  try {
    for (const { keys } of used.tenants) {
      const made = await used.call('POST', '/api/v1/categories', { body: { name: 'Cards' }, key: keys.admin });
      assert.equal(made.status, 201, made.text);
    }
    const [first, second, third] = used.tenants.map(({ id }) => id);
    const listed = async () => {
      const rows = await used.database.withSystem('test', (tx) => tenantsUsedLast(tx, lastMinute, 2));
      return rows.map(({ id, usedAt }) => [id, usedAt?.toISOString() ?? null]);
    };
    assert.deepEqual(await listed(), [
      [third, null],
      [second, null],
    ]);
    const decided = (tenantId: string | undefined, minute: string) =>
      used.testDatabase.ownerQuery(
        `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors,
           candidates, policy_blocked, degraded, policy_errors, compute_errors, durations)
         values ($1, $2, gen_random_uuid(), 1, 0, 1, 0, '{}', 1, 0, 0, 0, 0, '{}')`,
        [tenantId, minute],
      );
    await decided(second, '2026-11-01T10:00:00Z');
    await decided(first, '2026-11-01T10:01:00Z');
    await decided(second, '2026-11-01T09:00:00Z');
    assert.deepEqual(await listed(), [
      [first, '2026-11-01T10:01:00.000Z'],
      [second, '2026-11-01T10:00:00.000Z'],
    ]);
  } finally {
    await used.close();
  }
});
