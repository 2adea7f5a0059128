import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Problem, User } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createPerson } from './index.ts';

/** What admins can change about users (docs/design/api-access.md 5.2 and 22; docs/design/quality.md T11). */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

let counter = 0;
const person = async (role: User['role'] = 'editor', tenant = server.tenants[0], verified = true) => {
  const wanted = {
    email: `p${++counter}@example.test`,
    name: `P ${counter}`,
    role,
    source: 'invite' as const,
    verified,
  };
  return server.database.withTenant(tenant.id, systemActor('test'), (tx) => createPerson(tx, wanted));
};
const call = <Body = User & Partial<Pick<Problem, 'code' | 'errors'>>>(
  method: string,
  path: string,
  body?: object,
  key = server.tenants[0].keys.admin,
) => server.call<Body>(method, `/api/v1/users${path}`, { key, ...(body === undefined ? {} : { body }) });
const rows = async (id: string) =>
  server.testDatabase.ownerQuery<{ action: string; changes: Record<string, unknown> }>(
    'select action, changes from arbiter.audit_logs where entity_id = $1 order by sequence offset 1',
    [id],
  );

test('changes name and role, and only what is sent', async () => {
  const { id, name } = await person('viewer');
  const renamed = await call('PUT', `/${id}`, { name: 'Another' });
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.role], [200, 'Another', 'viewer']);
  const raised = await call('PUT', `/${id}`, { id, role: 'admin' });
  assert.deepEqual([raised.body.name, raised.body.role], ['Another', 'admin']);
  assert.equal((await call('PUT', `/${id}`, {})).status, 200);
  assert.equal((await call('PUT', `/${id}`, { name: 'Another', role: 'admin' })).status, 200);
  assert.deepEqual(
    (await rows(id)).map(({ changes }) => changes),
    [{ name: { before: name, after: 'Another' } }, { role: { before: 'viewer', after: 'admin' } }],
    'what changes nothing leaves no row',
  );
  for (const [body, path] of [
    [{ role: 'member' }, '/role'],
    [{ role: 'root' }, '/role'],
    [{ role: null }, '/role'],
    [{ name: ' ' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ id: server.tenants[0].id }, '/id'],
  ] as const) {
    const refused = await call('PUT', `/${id}`, body);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, path], refused.text);
  }
  assert.equal((await rows(id)).length, 2);
});

test('an admin can promote a member from a directory', async () => {
  const { id } = await person('member');
  assert.equal((await call('PUT', `/${id}`, { role: 'editor' })).body.role, 'editor');
});

test('deactivates and reactivates repeatedly, and shows it', async () => {
  const { id } = await person();
  for (const _ of [1, 2]) assert.equal((await call('DELETE', `/${id}`)).status, 204);
  assert.partialDeepStrictEqual((await call('GET', `/${id}`)).body, {
    status: 'deactivated',
    lockedUntil: '2099-12-31T00:00:00.000Z',
  });
  await server.testDatabase.ownerQuery(
    `update arbiter.users set locked_until = now() + interval '10 minutes', failed_logins = 3 where id = $1`,
    [id],
  );
  assert.equal((await call('POST', `/${id}/unlock`)).body.status, 'deactivated', 'no way around the deactivation');
  assert.equal((await call('GET', `/${id}`)).body.lockedUntil, '2099-12-31T00:00:00.000Z');
  for (const _ of [1, 2]) {
    const back = await call('POST', `/${id}/reactivate`);
    assert.deepEqual([back.status, back.body.status, back.body.lockedUntil], [200, 'active', null]);
  }
  assert.deepEqual(
    (await rows(id)).map(({ action }) => action),
    ['update', 'update', 'update'],
  );
});

test('unlocking ends a lock after wrong passwords', async () => {
  const { id } = await person();
  await server.testDatabase.ownerQuery(
    `update arbiter.users set locked_until = now() + interval '10 minutes' where id = $1`,
    [id],
  );
  assert.equal((await call('GET', `/${id}`)).body.status, 'locked');
  assert.equal((await call('POST', `/${id}/unlock`)).body.status, 'active');
  assert.equal((await call('POST', `/${id}/unlock`)).status, 200);
  assert.equal((await rows(id)).length, 1);
});

test("the last admin stays, even if two leave at once; invited and deactivated admins don't count", async () => {
  const tenant = server.tenants[1]!;
  const key = tenant.keys.admin;
  const one = await person('admin', tenant);
  const invited = await person('admin', tenant, false);
  const away = await person('admin', tenant);
  assert.equal((await call('DELETE', `/${away.id}`, undefined, key)).status, 204);
  for (const [method, body] of [
    ['PUT', { role: 'editor' }],
    ['DELETE', undefined],
  ] as const) {
    const refused = await call<Problem>(method, `/${one.id}`, body, key);
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_admin']);
  }
  assert.equal((await call('PUT', `/${one.id}`, { name: 'Still', role: 'admin' }, key)).status, 200);
  assert.equal((await call('PUT', `/${invited.id}`, { role: 'viewer' }, key)).status, 200);
  const two = await person('admin', tenant);
  const answers = await Promise.all([
    call('PUT', `/${one.id}`, { role: 'viewer' }, key),
    call('DELETE', `/${two.id}`, undefined, key),
  ]);
  const codes = answers.map(({ status }) => status);
  assert.equal(codes.filter((status) => status === 409).length, 1, codes.join());
});

test('rejects other tenants, wrong roles and invalid IDs', async () => {
  const stranger = await person('viewer', server.tenants[1]!);
  const own = await person('viewer');
  const calls: [method: string, suffix: string, body?: object][] = [
    ['GET', ''],
    ['PUT', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['POST', '/reactivate'],
    ['POST', '/unlock'],
    ['POST', '/resend-invite'],
  ];
  for (const [method, suffix, body] of calls) {
    for (const id of [stranger.id, server.tenants[0].id, 'nonsense', stranger.id.toUpperCase()]) {
      const answer = await call<Problem>(method, `/${id}${suffix}`, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${id}${suffix}`);
    }
    for (const role of ['viewer', 'editor'] as const) {
      const answer = await call<Problem>(method, `/${own.id}${suffix}`, body, server.tenants[0].keys[role]);
      assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden'], `${method} ${suffix} by ${role}`);
    }
  }
  for (const role of ['viewer', 'editor'] as const) {
    const key = server.tenants[0].keys[role];
    assert.equal((await call('POST', '', { email: 'x@example.test' }, key)).status, 403);
  }
  assert.deepEqual(await rows(stranger.id), []);
  assert.deepEqual(await rows(own.id), []);
});
