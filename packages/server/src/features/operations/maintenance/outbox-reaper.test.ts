import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MaintenanceAnswer } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { takeLease } from '../../../jobs/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { appendEvents } from '../stream/index.ts';

/** What got stuck in the outbox, and jobs that nothing takes (docs/design/api-access.md 14). */

const secret = 'a secret of the scheduler';
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 3, config: { CRON_SECRET: secret } });
  // What the making of the tenants has left.
  await reap();
  await server.testDatabase.ownerQuery('delete from graphile_worker._private_jobs');
  await server.testDatabase.ownerQuery('delete from arbiter.outbox');
});
after(() => server?.close());

async function reap(): Promise<MaintenanceAnswer> {
  const headers = { 'x-cron-secret': secret };
  const answer = await server.call<MaintenanceAnswer>('GET', '/api/v1/cron/outbox-reaper', { key: null, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A row of the outbox that waits since this many seconds. */
async function waiting(tenant: number, seconds: number): Promise<void> {
  const { id } = server.tenants[tenant]!;
  await server.database.withTenant(id, systemActor('test'), async (tx) => {
    await appendEvents(tx, [{ id, type: 'bird.sung.v1', tenantId: id, timestamp: tx.now.toISOString(), payload: {} }]);
  });
  await server.testDatabase.ownerQuery(
    `update arbiter.outbox set created_at = now() - make_interval(secs => $2) where tenant_id = $1 and position is null`,
    [id, seconds],
  );
}
const left = async (tenant: number) =>
  (
    await server.testDatabase.ownerQuery('select from arbiter.outbox where tenant_id = $1 and position is null', [
      server.tenants[tenant]!.id,
    ])
  ).length;

test('publishes rows that waited half a minute, and leaves younger ones to the dispatcher', async () => {
  await waiting(0, 60);
  await waiting(1, 5);
  const { ok, processed, errors } = await reap();
  assert.deepEqual([ok, processed, errors], [true, 1, []]);
  assert.deepEqual([await left(0), await left(1)], [0, 1]);
  assert.equal((await reap()).processed, 0);
  assert.ok(server.log.some(({ msg, rows }) => msg === 'stuck outbox rows found' && rows === 1));
});

test("reports a tenant whose outbox can't be published, and doesn't delay others", async () => {
  const [broken] = server.tenants;
  await waiting(0, 60);
  await waiting(2, 60);
  await server.testDatabase.ownerQuery(
    `create function arbiter.test_refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
     create trigger refuse before update on arbiter.outbox for each row when (old.tenant_id = '${broken.id}')
       execute function arbiter.test_refuse()`,
  );
  const { ok, processed, errors } = await reap();
  assert.deepEqual([ok, processed, errors], [false, 1, [{ tenantId: broken.id, error: 'internal' }]]);
  await server.testDatabase.ownerQuery('drop trigger refuse on arbiter.outbox');
  assert.deepEqual([(await reap()).processed, await left(0)], [1, 0]);
});

test('jobs that wait two minutes without any process taking one raise the alarm', async () => {
  const [one, other] = server.tenants;
  assert.ok(other !== undefined);
  const put = (tenantId: string | null, seconds: number, more = '') =>
    server.testDatabase.ownerQuery(
      `with task as (
         insert into graphile_worker._private_tasks (identifier) values ('segments.refresh')
         on conflict (identifier) do update set identifier = excluded.identifier returning id)
       insert into graphile_worker._private_jobs (task_id, payload, run_at, locked_at, locked_by)
       select id, jsonb_build_object('tenantId', $1::text)::json, now() - make_interval(secs => $2),
         case when $3 = 'locked' then now() end, case when $3 = 'locked' then 'a worker' end from task`,
      [tenantId, seconds, more],
    );
  await put(one.id, 110);
  await put(other.id, 200, 'locked');
  assert.deepEqual([(await reap()).ok, (await reap()).errors], [true, []], 'not long enough, or at work');
  await put(one.id, 130);
  const alarm = await reap();
  assert.deepEqual(
    [alarm.ok, alarm.processed, alarm.errors],
    [false, 0, [{ tenantId: one.id, error: 'queue_without_consumer' }]],
  );
  assert.ok(server.log.some(({ msg, level }) => /no process takes jobs/.test(String(msg)) && level === 'error'));
  await server.database.withSystem('test', (tx) => takeLease(tx, 'worker:w1', 'w1'));
  assert.deepEqual([(await reap()).ok, (await reap()).errors], [true, []], 'a process takes jobs');
  await server.testDatabase.ownerQuery('delete from arbiter.leases');
  await server.testDatabase.ownerQuery('delete from graphile_worker._private_jobs');
  await put(null, 130);
  const ofInstallation = await reap();
  assert.deepEqual([ofInstallation.ok, ofInstallation.errors], [false, []], 'work of no tenant');
});
