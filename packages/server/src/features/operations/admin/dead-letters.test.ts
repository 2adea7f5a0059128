import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';

let server: TestServer;
let mine: TestTenant;
let theirs: TestTenant;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  [mine, theirs] = [server.tenants[0], server.tenants[1]!];
});
after(() => server?.close());

async function plant(tenant: TestTenant, topic: string, howMany: number): Promise<string[]> {
  const ids = Array.from({ length: howMany }, newId);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     select $1, id, $3, '{}', 'Error: no', 6, '2026-11-20T09:00:00Z'::timestamptz + make_interval(secs => n)
     from unnest($2::uuid[]) with ordinality as l(id, n)`,
    [tenant.id, ids, topic],
  );
  return ids;
}
const clear = () => server.testDatabase.ownerQuery('delete from arbiter.dead_letters');
const list = (query = '', key = mine.keys.admin) => server.call('GET', `/api/v1/admin/dlq${query}`, { key });
const act = (body: object, key = mine.keys.admin) => server.call('POST', '/api/v1/admin/dlq', { body, key });
const audited = async () =>
  (
    await server.testDatabase.ownerQuery<{ action: string; entity_id: string; after: object }>(
      `select action, entity_id, after from arbiter.audit_logs where tenant_id = $1 and entity_type = 'deadLetter' order by sequence`,
      [mine.id],
    )
  ).map(({ action, entity_id: entityId, after }) => ({ action, entityId, after }));

test('E32: 10 are OK, 11 and 100 WARNING, 101 CRITICAL; newest first, 50 listed, 200 at most', async () => {
  await clear();
  assert.deepEqual((await list()).body, { totalEvents: 0, byTopic: {}, events: [], alert: 'OK' });
  const ids = await plant(mine, 'stream.expire', 10);
  await plant(theirs, 'stream.expire', 500);
  assert.equal((await list()).body.alert, 'OK');
  const [newest] = (await list('?limit=1')).body.events as object[];
  assert.deepEqual(newest, {
    id: ids[9],
    topic: 'stream.expire',
    payload: {},
    error: 'Error: no',
    retryCount: 6,
    failedAt: '2026-11-20T09:00:10.000Z',
  });
  await plant(mine, 'keys.expire', 1);
  assert.equal((await list()).body.alert, 'WARNING');
  await plant(mine, 'keys.expire', 89);
  const hundred = (await list()).body;
  assert.deepEqual(
    [hundred.alert, hundred.totalEvents, hundred.byTopic, (hundred.events as object[]).length],
    ['WARNING', 100, { 'keys.expire': 90, 'stream.expire': 10 }, 50],
  );
  await plant(mine, 'keys.expire', 151);
  const many = (await list('?limit=1000')).body;
  assert.deepEqual([many.alert, many.totalEvents, (many.events as object[]).length], ['CRITICAL', 251, 200]);
  const one = (await list('?topic=stream.expire')).body;
  assert.deepEqual([one.alert, one.totalEvents, one.byTopic], ['OK', 10, { 'stream.expire': 10 }]);
});

test('retry requeues jobs and purge deletes them; IDs and topic must both match', async () => {
  await clear();
  const streams = await plant(mine, 'stream.expire', 3);
  const keys = await plant(mine, 'keys.expire', 2);
  const foreign = await plant(theirs, 'keys.expire', 2);
  const earlier = (await audited()).length;
  const both = { topic: 'stream.expire', eventIds: [streams[0]!, keys[0]!, foreign[0]!, newId()] };
  assert.deepEqual((await act({ action: 'retry', ...both })).body, { action: 'retry', requeued: 1 });
  assert.deepEqual((await act({ action: 'retry', ...both })).body, { action: 'retry', requeued: 0 });
  assert.deepEqual((await act({ action: 'purge', eventIds: [keys[0]] })).body, { action: 'purge', deleted: 1 });
  assert.deepEqual((await act({ action: 'purge' })).body, { action: 'purge', deleted: 3 });
  assert.equal((await list()).body.totalEvents, 0);
  assert.equal((await list('', theirs.keys.admin)).body.totalEvents, 2);
  const queued = await server.testDatabase.ownerQuery(
    `select t.identifier, payload ->> 'triesBefore' as tries, max_attempts from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id where payload ->> 'tenantId' = $1`,
    [mine.id],
  );
  assert.deepEqual(queued, [{ identifier: 'stream.expire', tries: '6', max_attempts: 6 }]);
  assert.deepEqual((await audited()).slice(earlier), [
    { action: 'redrive', entityId: 'stream.expire', after: { action: 'retry', requeued: 1, ...both } },
    { action: 'redrive', entityId: 'stream.expire', after: { action: 'retry', requeued: 0, ...both } },
    { action: 'purge', entityId: 'all', after: { action: 'purge', deleted: 1, topic: null, eventIds: [keys[0]] } },
    { action: 'purge', entityId: 'all', after: { action: 'purge', deleted: 3, topic: null, eventIds: null } },
  ]);
});

test('rejects empty IDs, an unknown topic and a missing action, and changes nothing', async () => {
  await clear();
  await plant(mine, 'stream.expire', 2);
  const earlier = (await audited()).length;
  for (const [body, path] of [
    [{ action: 'purge', eventIds: [] }, '/eventIds'],
    [{ action: 'purge', eventIds: ['nonsense'] }, '/eventIds/0'],
    [{ action: 'purge', topic: 'no.such' }, '/topic'],
    [{ action: 'purge', topic: '' }, '/topic'],
    [{ action: 'burn' }, '/action'],
    [{}, '/action'],
  ] as const) {
    const refused = await act(body);
    assert.equal(refused.status, 400, refused.text);
    assert.equal((refused.body.errors as { path: string }[])[0]!.path, path);
  }
  const unknown = await list('?topic=no.such');
  assert.deepEqual([unknown.status, unknown.body.code], [400, 'validation_failed']);
  for (const key of [mine.keys.editor, mine.keys.viewer]) {
    assert.equal((await list('', key)).status, 403);
    assert.equal((await act({ action: 'purge' }, key)).status, 403);
  }
  assert.equal((await list()).body.totalEvents, 2);
  assert.equal((await audited()).length, earlier);
});
