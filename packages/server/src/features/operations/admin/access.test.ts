import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Operation } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { type AccessServer, accessOperations, createAccessServer, type TestTenant } from './test-access-server.ts';

let server: AccessServer;
let tenant: TestTenant;
before(async () => {
  server = await createAccessServer();
  tenant = await server.makeTenant();
});
after(() => server.close());

/** A request that reaches the operation: path ids that name nothing, required query values filled in. */
const urlOf = (operation: Operation) =>
  operation.path.replace('{id}', newId()) + (operation.id === 'apiKeys.revokeByQuery' ? `?id=${newId()}` : '');
const guarded = accessOperations.filter((operation) => operation.auth === 'credential');

test('without or with a wrong credential, every operation is 401', async () => {
  for (const operation of guarded) {
    for (const key of [null, `krn_${'f'.repeat(64)}`, 'krn_short', 'not-a-key']) {
      const { status, body } = await server.call(key, operation.method, urlOf(operation));
      assert.deepEqual([status, body.code], [401, 'unauthorized'], operation.id);
    }
  }
});

test('below the role, every operation is 403, even if the caller claims a higher one (T13)', async () => {
  for (const operation of guarded) {
    const below = operation.role === 'admin' ? [tenant.viewer, tenant.editor] : [];
    for (const key of below) {
      for (const headers of [{}, { 'x-user-role': 'admin' }]) {
        const { status, body } = await server.call(key, operation.method, urlOf(operation), { headers });
        assert.deepEqual([status, body.code], [403, 'forbidden'], operation.id);
      }
    }
    if (operation.role === 'admin') {
      const lowered = { headers: { 'x-user-role': 'viewer' } };
      assert.equal((await server.call(tenant.admin, operation.method, urlOf(operation), lowered)).status, 403);
    }
  }
});

test('E22: an unsafe request without X-Requested-With is 403 and changes nothing', async () => {
  const rows = () => server.db.ownerQuery('select count(*) from arbiter.audit_logs');
  const before = await rows();
  for (const operation of guarded.filter(({ method }) => method !== 'GET')) {
    const headers = { 'x-requested-with': ' ' };
    const { status, body } = await server.call(tenant.admin, operation.method, urlOf(operation), { headers });
    assert.deepEqual([status, body.code], [403, 'csrf_header_required'], operation.id);
  }
  assert.deepEqual(await rows(), before);
});

test('T13: a key of one tenant with the id of another in X-Tenant-Id is 403', async () => {
  const other = await server.makeTenant();
  for (const operation of guarded) {
    const headers = { 'x-tenant-id': other.id };
    const { status, body } = await server.call(tenant.admin, operation.method, urlOf(operation), { headers });
    assert.deepEqual([status, body.code], [403, 'tenant_mismatch'], operation.id);
  }
  const own = { headers: { 'x-tenant-id': tenant.id, 'x-api-key': tenant.viewer } };
  assert.equal((await server.call(null, 'GET', '/api/v1/tenant', own)).status, 200);
});

test('T1: responds alike to IDs of another tenant, random and malformed IDs', async () => {
  const other = await server.makeTenant();
  const { body: keys } = await server.call(other.admin, 'GET', '/api/v1/api-keys');
  const { body: rows } = await server.call(other.admin, 'GET', '/api/v1/audit-logs');
  const foreign = { key: keys.data[0].id, row: rows.data[0].id };
  const requests: readonly [method: string, url: (id: string) => string, id: string][] = [
    ['GET', (id) => `/api/v1/api-keys/${id}`, foreign.key],
    ['DELETE', (id) => `/api/v1/api-keys/${id}`, foreign.key],
    ['DELETE', (id) => `/api/v1/api-keys?id=${id}`, foreign.key],
    ['GET', (id) => `/api/v1/audit-logs/${id}`, foreign.row],
    ['GET', (id) => `/api/v1/audit-logs?cursor=${id}`, foreign.row],
    ['GET', (id) => `/api/v1/api-keys?cursor=${id}`, foreign.key],
  ];
  for (const [method, url, id] of requests) {
    const answers = [];
    for (const each of [id, newId(), 'nonsense']) {
      const { status, body } = await server.call(tenant.admin, method, url(each));
      answers.push({ status, body: { ...body, requestId: '' } });
    }
    const expected = url('').includes('cursor') ? 'invalid_cursor' : 'not_found';
    assert.equal(answers[0]?.body.code, expected, url(id));
    assert.deepEqual(answers[1], answers[0], url(id));
    assert.deepEqual(answers[2], answers[0], url(id));
  }
  assert.equal((await server.call(other.admin, 'GET', `/api/v1/api-keys/${foreign.key}`)).status, 200);
});
