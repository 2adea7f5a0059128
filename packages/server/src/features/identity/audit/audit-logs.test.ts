import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { AuditLog } from '@arbiter/contract';
import { type AccessServer, createAccessServer, type TestTenant } from '../../operations/admin/test-access-server.ts';

let server: AccessServer;
let nowMs = Date.parse('2026-11-20T09:00:00Z');
before(async () => {
  server = await createAccessServer({ now: () => nowMs });
});
after(() => server.close());

const rename = (tenant: TestTenant, name: string) =>
  server.call(tenant.admin, 'PUT', '/api/v1/tenant', { body: { name } });
const list = async (tenant: TestTenant, query: string): Promise<AuditLog[]> => {
  const { status, body } = await server.call(tenant.admin, 'GET', `/api/v1/audit-logs?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};

test('a row says who changed what and when, with the request', async () => {
  const tenant = await server.makeTenant();
  const { headers } = await rename(tenant, 'Second');
  const [row] = await list(tenant, 'limit=1');
  assert.ok(row);
  const { id, sequence, prevHash, integrityHash, ...rest } = row;
  assert.deepEqual(rest, {
    tenantId: tenant.id,
    timestamp: '2026-11-20T09:00:00.000Z',
    userId: rest.userId,
    userName: 'admin',
    requestId: headers['x-request-id'],
    action: 'update',
    entityType: 'tenant',
    entityId: tenant.id,
    entityName: 'Second',
    entityVersion: null,
    changes: { name: { before: 'Test', after: 'Second' } },
    before: { id: tenant.id, name: 'Test', isPlayground: false, createdAt: '2026-11-20T09:00:00.000Z' },
    after: { id: tenant.id, name: 'Second', isPlayground: false, createdAt: '2026-11-20T09:00:00.000Z' },
  });
  assert.match(rest.userId, /^apikey:[0-9a-f-]{36}$/);
  assert.equal(sequence, 5);
  assert.match(prevHash, /^[0-9a-f]{64}$/);
  assert.deepEqual((await server.call(tenant.admin, 'GET', `/api/v1/audit-logs/${id}`)).body, row);

  // Anyone can recompute the hash from the answer: sorted members, no white space (RFC 8785).
  const sorted = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .sort()
            .map(([key, entry]) => [key, sorted(entry)]),
        );
  const { integrityHash: _hash, ...content } = row;
  assert.equal(
    createHash('sha256')
      .update(JSON.stringify(sorted(content)))
      .digest('hex'),
    integrityHash,
  );
});

test('lists are newest first, paged by cursor, and filtered', async () => {
  const tenant = await server.makeTenant();
  for (let n = 1; n <= 5; n++) await rename(tenant, `N${n}`);
  const page = (cursor: string | null) =>
    server.call(
      tenant.admin,
      'GET',
      `/api/v1/audit-logs?entityType=tenant&limit=4${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
  const first = (await page(null)).body;
  assert.deepEqual(
    first.data.map((row: AuditLog) => row.entityName),
    ['N5', 'N4', 'N3', 'N2'],
  );
  assert.deepEqual([first.pagination.total, first.pagination.limit, first.pagination.hasMore], [6, 4, true]);
  const second = (await page(first.pagination.nextCursor)).body;
  assert.deepEqual(
    second.data.map((row: AuditLog) => [row.action, row.entityName]),
    [
      ['update', 'N1'],
      ['create', 'Test'],
    ],
  );
  assert.deepEqual([second.pagination.hasMore, second.pagination.nextCursor], [false, null]);
  assert.equal((await list(tenant, 'action=create&entityType=tenant')).length, 1);
  assert.equal((await list(tenant, 'userId=system:test')).length, 4);
  assert.equal((await list(tenant, 'limit=9999')).length, 9);
  for (const query of ['limit=0', 'limit=x', 'action=explode', 'from=yesterday', 'to=2026-11-20T09:00:00']) {
    assert.equal((await server.call(tenant.admin, 'GET', `/api/v1/audit-logs?${query}`)).status, 400, query);
  }
});

test("from and to are half-open; days are days of the tenant's zone", async () => {
  const tenant = await server.makeTenant();
  await server.call(tenant.admin, 'PUT', '/api/v1/tenant-settings', { body: { timezone: 'Asia/Tokyo' } });
  const start = nowMs;
  nowMs = Date.parse('2026-11-21T14:59:59.999Z');
  await rename(tenant, 'last of the 21st in Tokyo');
  nowMs += 1;
  await rename(tenant, 'first of the 22nd in Tokyo');
  nowMs = start;
  const names = async (query: string) =>
    (await list(tenant, `entityType=tenant&action=update&${query}`)).map((row) => row.entityName);
  assert.deepEqual(await names('from=2026-11-22'), ['first of the 22nd in Tokyo']);
  assert.deepEqual(await names('to=2026-11-22'), ['last of the 21st in Tokyo']);
  assert.deepEqual(await names('to=2026-11-21'), []);
  assert.deepEqual(await names('from=2026-11-21T15:00:00Z'), ['first of the 22nd in Tokyo']);
  assert.deepEqual(await names('from=2026-11-21&to=2026-11-21T15:00:00Z'), ['last of the 21st in Tokyo']);
});

test("verify finds a row that the database's owner changed, within the newest rows requested", async () => {
  const tenant = await server.makeTenant();
  for (let n = 1; n <= 3; n++) await rename(tenant, `N${n}`);
  const verify = async (query = '') =>
    (await server.call(tenant.admin, 'GET', `/api/v1/audit-logs/verify${query}`)).body;
  const whole = {
    intact: true,
    verified: 7,
    total: 7,
    scanned: 7,
    fromSequence: 1,
    nextSequence: null,
    checkpoint: null,
  };
  assert.deepEqual(await verify(), whole);
  const [first] = await server.db.ownerQuery<{ id: string }>(
    `update arbiter.audit_logs set user_name = 'nobody' where tenant_id = $1 and sequence = 1 returning id`,
    [tenant.id],
  );
  assert.deepEqual(await verify(), {
    ...whole,
    intact: false,
    verified: 0,
    brokenAtId: first?.id,
    brokenReason: 'hash_mismatch',
  });
  assert.deepEqual(await verify('?limit=6'), { ...whole, verified: 6, scanned: 6, fromSequence: 2 });
  for (const limit of ['0', '100001', 'all']) {
    assert.equal((await server.call(tenant.admin, 'GET', `/api/v1/audit-logs/verify?limit=${limit}`)).status, 400);
  }
});

test('nobody can write to the log: 405 with Allow', async () => {
  const tenant = await server.makeTenant();
  const [row] = await list(tenant, 'limit=1');
  for (const url of ['/api/v1/audit-logs', `/api/v1/audit-logs/${row?.id}`, '/api/v1/audit-logs/verify']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body, headers } = await server.call(tenant.admin, method, url, { body: {} });
      assert.deepEqual([status, body.code], [405, 'method_not_allowed'], `${method} ${url}`);
      assert.match(String(headers.allow), /GET/);
    }
  }
});
