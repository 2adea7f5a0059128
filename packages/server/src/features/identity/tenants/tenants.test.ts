import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AccessServer, createAccessServer } from '../../operations/admin/test-access-server.ts';

let server: AccessServer;
before(async () => {
  server = await createAccessServer();
});
after(() => server.close());

test('the tenant has the zone of its settings, and an admin can rename it, audited', async () => {
  const tenant = await server.makeTenant();
  await server.call(tenant.admin, 'PUT', '/api/v1/tenant-settings', { body: { timezone: 'Europe/Paris' } });
  const { body } = await server.call(tenant.viewer, 'GET', '/api/v1/tenant');
  const { createdAt, ...rest } = body;
  assert.deepEqual(rest, { id: tenant.id, name: 'Test', isPlayground: false, timezone: 'Europe/Paris' });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);

  const renamed = await server.call(tenant.admin, 'PUT', '/api/v1/tenant', { body: { name: 'Renamed' } });
  assert.deepEqual([renamed.status, renamed.body], [200, { ...body, name: 'Renamed' }]);
  const { body: rows } = await server.call(tenant.admin, 'GET', '/api/v1/audit-logs?entityType=tenant&action=update');
  assert.deepEqual(rows.data[0].changes, { name: { before: 'Test', after: 'Renamed' } });
  for (const name of ['', ' ', 'x'.repeat(101), null, 7]) {
    const { status } = await server.call(tenant.admin, 'PUT', '/api/v1/tenant', { body: { name } });
    assert.equal(status, 400, String(name));
  }
});

test('the status has a quota for playgrounds only', async () => {
  const [normal, playground] = [await server.makeTenant(), await server.makeTenant({ isPlayground: true })];
  const status = async ({ viewer }: { viewer: string }) =>
    (await server.call(viewer, 'GET', '/api/v1/tenant/status')).body;
  const none = { quotaUsed: null, quotaLimit: null, quotaRemaining: null, quotaExceeded: null };
  const facts = { isDemoMode: false, hasData: true };
  assert.deepEqual(await status(normal), { tenantId: normal.id, isPlayground: false, ...facts, ...none });
  const quota = { quotaUsed: 0, quotaLimit: 5000, quotaRemaining: 5000, quotaExceeded: false };
  assert.deepEqual(await status(playground), { tenantId: playground.id, isPlayground: true, ...facts, ...quota });
  await server.db.ownerQuery('update arbiter.playground_quotas set used = 5000 where tenant_id = $1', [playground.id]);
  const { quotaRemaining, quotaExceeded } = await status(playground);
  assert.deepEqual([quotaRemaining, quotaExceeded], [0, true]);
});
