import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CacheFlushed } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { publishAll } from '../stream/test-publish.ts';

/** Resets what is in memory and what was counted (docs/design/api-access.md 15). */

const now = Date.UTC(2026, 10, 20, 23, 30);
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
});
after(() => server?.close());

const flush = (body: object, key = server.tenants[0].keys.admin) =>
  server.call<CacheFlushed>('POST', '/api/v1/admin/cache', { body, key });

test('scope all recounts the daily figures from history, in days of the zone', async () => {
  const { id: tenantId, keys } = server.tenants[0];
  const make = async (path: string, body: object) =>
    (await server.call<{ id: string }>('POST', path, { body })).body.id;
  const offerId = await make('/api/v1/offers', { name: 'Gold', status: 'active' });
  const channelId = await make('/api/v1/channels', { name: 'Web', channelType: 'web', status: 'active' });
  await make('/api/v1/creatives', { name: 'Gold on web', offerId, channelId, status: 'active' });
  const decided = await server.call<{ count: number }>('POST', '/api/v1/recommend', {
    body: { customerId: 'C-1', channelId },
  });
  assert.equal(decided.body.count, 1, decided.text);
  await publishAll(server);
  const days = () =>
    server.testDatabase.ownerQuery<{ day: string; impressions: number }>(
      'select day::text, impressions::int from arbiter.daily_totals where tenant_id = $1 order by day',
      [tenantId],
    );
  assert.deepEqual(await days(), [{ day: '2026-11-20', impressions: 1 }]);
  const changed = await server.call('PUT', '/api/v1/tenant-settings', { body: { timezone: 'Asia/Tokyo' } });
  assert.equal(changed.status, 200);
  await server.testDatabase.ownerQuery('update arbiter.daily_totals set impressions = 7 where tenant_id = $1', [
    tenantId,
  ]);
  const waiting = () =>
    server.testDatabase.ownerQuery(
      `select j.payload ->> 'tenantId' as tenant from graphile_worker._private_jobs j
         join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'totals.recount'`,
    );
  assert.deepEqual((await flush({ scope: 'offers' })).body.flushed, ['offers']);
  assert.deepEqual(await waiting(), []);
  assert.equal((await flush({}, keys.editor)).status, 403);
  for (let times = 0; times < 2; times += 1) {
    const { status, body } = await flush({});
    assert.deepEqual(
      [status, body.flushed],
      [200, ['offers', 'qualificationRule', 'contactPolicy', 'objectiveCounts', 'dailyTotals']],
    );
  }
  assert.deepEqual(await waiting(), [{ tenant: tenantId }], 'one run for both calls');
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await server.jobs.get('totals.recount')!.run({}, facts, tenantId);
  assert.deepEqual(await days(), [{ day: '2026-11-21', impressions: 1 }]);
});
