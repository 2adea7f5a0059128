import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type AccessServer,
  createAccessServer,
  eventually,
  type TestTenant,
} from '../../operations/admin/test-access-server.ts';

let server: AccessServer;
let tenant: TestTenant;
before(async () => {
  server = await createAccessServer();
  tenant = await server.makeTenant();
});
after(() => server.close());

const make = (body: unknown) => server.call(tenant.admin, 'POST', '/api/v1/api-keys', { body });
const auditOf = async (id: string) =>
  (await server.call(tenant.admin, 'GET', `/api/v1/audit-logs?entityType=apiKey&entityId=${id}`)).body.data;

test('POST returns 201 with the key, once; lists show only its prefix', async () => {
  const { status, body } = await make({ name: 'web', scopes: ['write', 'read', 'read'] });
  assert.equal(status, 201);
  assert.match(body.key, /^krn_[0-9a-f]{64}$/);
  assert.equal(body.prefix, body.key.slice(0, 12));
  assert.deepEqual([body.name, body.scopes, body.role, body.expiresAt], ['web', ['read', 'write'], 'editor', null]);
  const { body: shown } = await server.call(tenant.admin, 'GET', `/api/v1/api-keys/${body.id}`);
  const { key: _key, warning: _warning, ...described } = body;
  assert.deepEqual(shown, { ...described, lastUsedAt: null, createdBy: 'system' });
  const [row] = await auditOf(body.id);
  assert.deepEqual([row.action, row.entityName, row.after.prefix], ['create', 'web', body.prefix]);
  assert.ok(!JSON.stringify(row).includes(body.key));
});

test('an empty body gives a dated name and all four scopes', async () => {
  const { status, body } = await server.call(tenant.admin, 'POST', '/api/v1/api-keys');
  assert.equal(status, 201);
  assert.match(body.name, /^key-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual([body.scopes, body.role], [['read', 'write', 'admin', 'scim'], 'admin']);
});

test('a key with SCIM scope only has no role and opens nothing else', async () => {
  const { body } = await make({ scopes: ['scim'] });
  assert.equal(body.role, null);
  assert.equal((await server.call(body.key, 'GET', '/api/v1/tenant')).status, 403);
});

test('bad values are 400 and create nothing', async () => {
  const count = async () => (await server.call(tenant.admin, 'GET', '/api/v1/api-keys')).body.total;
  const before = await count();
  for (const body of [
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(121) },
    { scopes: [] },
    { scopes: ['root'] },
    { scopes: 'read' },
    { expiresAt: '2020-01-01T00:00:00Z' },
    { expiresAt: '2030-01-01T00:00:00' },
    { expiresAt: 1_900_000_000 },
  ]) {
    const { status, body: problem } = await make(body);
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], JSON.stringify(body));
  }
  assert.equal(await count(), before);
});

test('pages keys newest first, and a cursor whose key was revoked still works', async () => {
  const own = await server.makeTenant();
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const { body } = await server.call(own.admin, 'POST', '/api/v1/api-keys', { body: { name: `k${n}` } });
    ids.push(body.id);
  }
  const first = await server.call(own.admin, 'GET', '/api/v1/api-keys?limit=3');
  assert.deepEqual(
    first.body.data.map(({ name }: { name: string }) => name),
    ['k3', 'k2', 'k1'],
  );
  assert.deepEqual(first.body.pagination, {
    total: 7,
    limit: 3,
    hasMore: true,
    cursor: ids[1],
    nextCursor: ids[1],
  });
  await server.call(own.admin, 'DELETE', `/api/v1/api-keys/${ids[1]}`);
  const second = await server.call(own.admin, 'GET', `/api/v1/api-keys?limit=1000&cursor=${ids[1]}`);
  assert.deepEqual(
    second.body.data.map(({ name }: { name: string }) => name),
    ['k0', 'read', 'write', 'admin'],
  );
  assert.deepEqual(
    [second.body.pagination.limit, second.body.pagination.nextCursor, second.body.total],
    [100, null, 6],
  );
});

test("an expired key isn't listed, counted or read, but can still be revoked", async () => {
  const own = await server.makeTenant();
  const body = { name: 'ends', expiresAt: '2030-01-01T00:00:00Z' };
  const { id } = (await server.call(own.admin, 'POST', '/api/v1/api-keys', { body })).body;
  const list = async () => (await server.call(own.admin, 'GET', '/api/v1/api-keys')).body;
  const before = await list();
  assert.deepEqual([before.data[0].id, before.total], [id, 4]);
  await server.db.ownerQuery('update arbiter.api_keys set expires_at = now() where id = $1', [id]);
  const after = await list();
  assert.deepEqual([after.total, after.data.some((key: { id: string }) => key.id === id)], [3, false]);
  assert.equal((await server.call(own.admin, 'GET', `/api/v1/api-keys/${id}`)).status, 404);
  const older = await server.call(own.admin, 'GET', `/api/v1/api-keys?cursor=${id}`);
  assert.equal(older.body.data.length, 3, 'a cursor whose key has expired still works');
  assert.equal((await server.call(own.admin, 'DELETE', `/api/v1/api-keys/${id}`)).status, 204);
});

test('an id names the same key in upper and lower case', async () => {
  const { body: made } = await make({ name: 'either case' });
  const { status, body } = await server.call(tenant.admin, 'GET', `/api/v1/api-keys/${made.id.toUpperCase()}`);
  assert.deepEqual([status, body.id], [200, made.id]);
});

test('DELETE revokes a key on every node, stores the reason, and returns 404 when repeated', async () => {
  const node = await server.openNode();
  for (const [url, body] of [
    [(id: string) => `/api/v1/api-keys?id=${id}`, { reason: 'lost laptop' }],
    [(id: string) => `/api/v1/api-keys/${id}`, undefined],
  ] as const) {
    const { body: made } = await make({ name: 'short-lived' });
    const works = async () => (await node.call(made.key, 'GET', '/api/v1/tenant')).status === 200;
    assert.ok(await works());
    const first = await server.call(tenant.admin, 'DELETE', url(made.id), body === undefined ? {} : { body });
    assert.deepEqual([first.status, first.body], [204, null]);
    // test/faults/two-nodes.test.ts measures how soon.
    await eventually(20_000, async () => !(await works()), 'the other node refuses the key');
    assert.equal((await server.call(tenant.admin, 'DELETE', url(made.id))).status, 404);
    assert.equal((await server.call(tenant.admin, 'GET', `/api/v1/api-keys/${made.id}`)).status, 404);
    const [row] = await auditOf(made.id);
    assert.equal(row.action, 'revoke');
    assert.deepEqual(row.changes.reason, body === undefined ? undefined : { before: null, after: 'lost laptop' });
  }
  assert.equal((await server.call(tenant.admin, 'DELETE', '/api/v1/api-keys')).status, 400);
});

test('E3: a key created with a key represents the same person', async () => {
  const { body: first } = await make({ name: 'first' });
  const { body: second } = await server.call(first.key, 'POST', '/api/v1/api-keys', { body: { name: 'second' } });
  const { body: shown } = await server.call(tenant.admin, 'GET', `/api/v1/api-keys/${second.id}`);
  assert.equal(shown.createdBy, 'system');
  const [row] = await auditOf(second.id);
  assert.deepEqual([row.userId, row.userName], [`apikey:${first.id}`, 'first']);
});

test('the session says whom a key represents, and nothing without one', async () => {
  const { body: made } = await make({ name: 'who', scopes: ['read'], expiresAt: '2030-01-01T00:00:00Z' });
  const { status, body } = await server.call(made.key, 'GET', '/api/v1/auth/session');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    authenticated: true,
    principal: { kind: 'api_key', id: made.id, name: 'who', userId: null, role: 'viewer', scopes: ['read'] },
    tenant: { id: tenant.id, name: 'Test', isPlayground: false },
    expiresAt: '2030-01-01T00:00:00.000Z',
  });
  for (const headers of [
    {},
    { authorization: 'Bearer nonsense' },
    { 'x-api-key': `krn_${'0'.repeat(64)}` },
    { authorization: `Bearer ${made.key}`, 'x-api-key': tenant.admin },
  ]) {
    const answer = await server.call(null, 'GET', '/api/v1/auth/session', { headers });
    assert.deepEqual([answer.status, answer.body], [200, { authenticated: false }], JSON.stringify(headers));
  }
});
