import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../main/test-server.ts';
import { createPeople, trusting } from '../accounts/test-people.ts';

/** What a directory does to people who are signed in (docs/design/quality.md T11). */

let server: TestServer;
/** Another process over the same database. */
let other: TestNode;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ config: trusting });
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, { config: trusting });
  await Promise.all([server.database.listening(), other.database.listening()]);
  people = createPeople(server);
});
after(async () => {
  await other?.close();
  await server?.close();
});

const users = '/api/v1/scim/v2/Users';
const headers = { 'content-type': 'application/scim+json' };
const off = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };

async function statusOf(from: Pick<TestServer, 'call'>, cookie: string): Promise<number> {
  return (await from.call('GET', '/api/v1/tenant', { key: null, headers: { cookie } })).status;
}

test('deactivation signs out on both processes, however the directory reports it', async () => {
  const [tenant] = server.tenants;
  const ways = [
    (id: string) => server.call('DELETE', `${users}/${id}`),
    (id: string) => server.call('PATCH', `${users}/${id}`, { body: off, headers }),
    (id: string) => server.call('PUT', `${users}/${id}`, { body: { active: false }, headers }),
  ];
  for (const deactivate of ways) {
    const person = await people.person(tenant, { role: 'admin' });
    const cookie = await people.signIn(person);
    for (const from of [server, other]) assert.equal(await statusOf(from, cookie), 200);
    const answer = await deactivate(person.id);
    assert.ok(answer.status < 300, answer.text);
    // At once in the database; the other process is told. How soon is measured in test/faults.
    for (const from of [server, other]) {
      while ((await statusOf(from, cookie)) !== 401) await sleep(10);
    }
    // Back again: the old session stays ended, the password opens a new one.
    const back = await server.call('PUT', `${users}/${person.id}`, { body: { active: true }, headers });
    assert.equal(back.status, 200, back.text);
    assert.equal(await statusOf(server, cookie), 401);
    await people.signIn(person);
  }
});

test('wrong passwords neither reactivate a deactivated person nor deactivate an active one', async () => {
  const [tenant] = server.tenants;
  const shown = async (id: string) => {
    const { body } = await server.call('GET', `${users}/${id}`);
    const { status, lockedUntil } = await people.user(tenant, id);
    return [body.active, status, lockedUntil];
  };
  const miss = async (email: string) => {
    for (let n = 0; n < 5; n += 1) {
      const answer = await people.login({ email, password: 'wrong' });
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials']);
    }
  };
  const gone = await people.person(tenant);
  assert.equal((await server.call('DELETE', `${users}/${gone.id}`)).status, 204);
  const forEver = [false, 'deactivated', '2099-12-31T00:00:00.000Z'];
  assert.deepEqual(await shown(gone.id), forEver);
  await miss(gone.email);
  assert.deepEqual(await shown(gone.id), forEver);
  const counted = await server.testDatabase.ownerQuery(
    'select failed_logins, locked_until from arbiter.users where id = $1',
    [gone.id],
  );
  assert.deepEqual(counted, [{ failed_logins: 0, locked_until: null }]);

  const locked = await people.person(tenant);
  await miss(locked.email);
  const [active, status, until] = await shown(locked.id);
  assert.deepEqual([active, status], [true, 'locked']);
  // A PUT that says active lifts no lock.
  const put = await server.call('PUT', `${users}/${locked.id}`, { body: { active: true, title: 'T' }, headers });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(await shown(locked.id), [true, 'locked', until]);
  // Deactivated and back: free of both.
  await server.call('DELETE', `${users}/${locked.id}`);
  await server.call('PUT', `${users}/${locked.id}`, { body: {}, headers });
  assert.deepEqual(await shown(locked.id), [true, 'active', null]);
  await people.signIn(locked);
});

test("the verification of an earlier address doesn't apply to one that a directory sets", async () => {
  const [tenant] = server.tenants;
  const person = await people.person(tenant);
  await server.testDatabase.ownerQuery('update arbiter.users set address_proven = true where id = $1', [person.id]);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.user_tokens (tenant_id, id, user_id, purpose, token_hash, created_at, expires_at)
     values ($1, gen_random_uuid(), $2, 'reset', decode(repeat('01', 32), 'hex'), now(), now() + interval '1 hour')`,
    [tenant.id, person.id],
  );
  const state = async () =>
    server.testDatabase.ownerQuery(
      `select u.address_proven as proven, t.voided_at is null as open from arbiter.users u
         join arbiter.user_tokens t on t.user_id = u.id where u.id = $1`,
      [person.id],
    );
  await server.call('PUT', `${users}/${person.id}`, { body: { userName: person.email.toUpperCase() }, headers });
  const kept = await state();
  assert.equal(kept[0]?.proven, true);
  const put = await server.call('PUT', `${users}/${person.id}`, { body: { userName: 'victim@example.org' }, headers });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(await state(), [{ proven: false, open: false }]);
});

test("an admin's session opens SCIM from its own page; others are rejected", async () => {
  const [tenant] = server.tenants;
  const call = (cookie: string, method: string, more: Record<string, string> = {}) =>
    server.call(method, method === 'GET' ? users : `${users}/x`, { key: null, headers: { cookie, ...more } });
  const admin = await people.signIn(await people.person(tenant, { role: 'admin' }));
  assert.equal((await call(admin, 'GET')).status, 200);
  assert.equal((await call(admin, 'DELETE')).status, 404);
  assert.equal((await call(admin, 'DELETE', { origin: 'https://evil.example' })).status, 403);
  assert.equal((await call(admin, 'DELETE', { 'x-requested-with': '' })).status, 403);
  const editor = await people.signIn(await people.person(tenant, { role: 'editor' }));
  const refused = await call(editor, 'GET');
  assert.deepEqual([refused.status, refused.headers['content-type']], [403, 'application/scim+json']);
});
