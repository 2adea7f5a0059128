import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Problem, Session, UserCredential } from '@arbiter/contract';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../main/test-server.ts';
import { createPeople, type Person, trusting } from '../../identity/accounts/test-people.ts';
import { eventually } from './test-access-server.ts';

/** Rights of keys, clients and issued tokens depend on their owner (docs/adr/0068). */

let server: TestServer;
/** Another process over the same database. */
let other: TestNode;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, config: trusting });
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, { config: trusting });
  await Promise.all([server.database.listening(), other.database.listening()]);
  people = createPeople(server);
  // The demoted or deactivated person isn't the last admin.
  await people.person(server.tenants[0], { role: 'admin' });
});
after(async () => {
  await other?.close();
  await server?.close();
});

interface Owner {
  readonly person: Person;
  readonly cookie: string;
  readonly key: string;
  readonly keyId: string;
  readonly scimKey: string;
  readonly client: { readonly id: string; readonly clientId: string; readonly clientSecret: string };
  readonly token: string;
}

const must = async <Body>(method: string, path: string, status: number, options: object = {}): Promise<Body> => {
  const answer = await server.call<Body>(method, `/api/v1/${path}`, options);
  assert.equal(answer.status, status, answer.text);
  return answer.body;
};

const askToken = (from: Pick<TestServer, 'call'>, { clientId, clientSecret }: Owner['client'], scope?: string) =>
  from.call<{ access_token: string; scope: string; error: string }>('POST', '/api/v1/oauth/token', {
    key: null,
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope },
  });

/** An admin with a key, a key for SCIM, a client and a token of it. */
async function owner(): Promise<Owner> {
  const person = await people.person(server.tenants[0], { role: 'admin' });
  const cookie = await people.signIn(person);
  const as = { key: null, headers: { cookie } };
  const key = await must<{ id: string; key: string }>('POST', 'api-keys', 201, { ...as, body: { name: 'nightly' } });
  const scim = await must<{ key: string }>('POST', 'api-keys', 201, {
    ...as,
    body: { name: 'scim', scopes: ['scim'] },
  });
  const client = await must<Owner['client']>('POST', 'oauth/clients', 201, {
    ...as,
    body: { name: 'Campaign tool', scopes: ['read', 'write', 'admin'] },
  });
  const token = (await askToken(server, client)).body.access_token;
  return { person, cookie, key: key.key, keyId: key.id, scimKey: scim.key, client, token };
}

const processes = () => [server, other];

/** Waits until a call answers so on both processes; each had the credential in memory. */
async function answers(method: string, path: string, key: string, status: number): Promise<void> {
  for (const from of processes()) {
    const call = async () => (await from.call(method, `/api/v1/${path}`, { key })).status;
    await eventually(30_000, async () => (await call()) === status, `${method} ${path} answers ${status}`);
  }
}

async function works({ key, scimKey, token, client }: Owner): Promise<void> {
  for (const credential of [key, token]) await answers('GET', 'users', credential, 200);
  await answers('GET', 'scim/v2/Users', scimKey, 200);
  assert.equal((await askToken(server, client)).body.scope, 'read write admin');
}

async function opensNothing({ key, scimKey, token, client }: Owner): Promise<void> {
  for (const credential of [key, token]) await answers('GET', 'offers', credential, 401);
  await answers('GET', 'scim/v2/Users', scimKey, 401);
  for (const from of processes()) {
    const refused = await askToken(from, client);
    assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client']);
  }
}

const setRole = (id: string, role: string) => must('PUT', `users/${id}`, 200, { body: { role } });

test('a key, a client and an issued token can do what their creator can now, and more after a promotion', async () => {
  const admin = await owner();
  await works(admin);

  await setRole(admin.person.id, 'viewer');
  for (const credential of [admin.key, admin.token]) {
    await answers('GET', 'users', credential, 403);
    await answers('GET', 'offers', credential, 200);
    await answers('POST', 'offers', credential, 403);
  }
  await answers('GET', 'scim/v2/Users', admin.scimKey, 403);
  assert.equal((await askToken(server, admin.client)).body.scope, 'read');
  assert.equal((await askToken(server, admin.client, 'admin')).body.error, 'invalid_scope');
  const { principal } = await must<Session>('GET', 'auth/session', 200, { key: admin.key });
  assert.deepEqual([principal?.role, principal?.scopes], ['viewer', ['read']]);

  await setRole(admin.person.id, 'editor');
  for (const credential of [admin.key, admin.token]) {
    await answers('GET', 'users', credential, 403);
    await answers('POST', 'offers', credential, 400);
  }
  assert.equal((await askToken(server, admin.client)).body.scope, 'read write');

  await setRole(admin.person.id, 'admin');
  await works(admin);
});

describe('a deactivated creator', () => {
  const ways: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
    ['by an admin', (id) => must('DELETE', `users/${id}`, 204)],
    ['by SCIM, DELETE', (id) => must('DELETE', `scim/v2/Users/${id}`, 204)],
    [
      'by SCIM, PATCH',
      (id) =>
        must('PATCH', `scim/v2/Users/${id}`, 200, {
          body: { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] },
          headers: { 'content-type': 'application/scim+json' },
        }),
    ],
  ];
  for (const [how, deactivate] of ways) {
    test(`${how}: ends keys, clients and issued tokens on every process; reactivation restores them`, async () => {
      const admin = await owner();
      await works(admin);
      await deactivate(admin.person.id);
      await opensNothing(admin);
      await must('POST', `users/${admin.person.id}/reactivate`, 200);
      await works(admin);
    });
  }

  test('whose row is deleted: the credential opens nothing', async () => {
    const admin = await owner();
    await server.testDatabase.ownerQuery('update arbiter.api_keys set person = $2 where id = $1', [
      admin.keyId,
      '00000000-0000-4000-8000-00000000dead',
    ]);
    await answers('GET', 'offers', admin.key, 401);
  });

  test('credentials of the operator have no owner, and keep working', async () => {
    const made = await must<{ key: string }>('POST', 'api-keys', 201, { body: { name: 'by the operator' } });
    const { principal } = await must<Session>('GET', 'auth/session', 200, { key: made.key });
    assert.deepEqual([principal?.role, principal?.userId], ['admin', null]);
  });
});

describe('reassigning', () => {
  const listed = (id: string) => must<{ data: UserCredential[]; total: number }>('GET', `users/${id}/credentials`, 200);
  const reassign = (id: string, body: object, status = 200, key?: string) =>
    must<Problem & { data: UserCredential[]; total: number }>('POST', `users/${id}/credentials/reassign`, status, {
      body,
      ...(key === undefined ? {} : { key }),
    });

  test('an admin sees the credentials of others, and gives them to another admin', async () => {
    const [leaving, staying] = [await owner(), await owner()];
    const before = await listed(leaving.person.id);
    assert.deepEqual(
      before.data.map(({ kind, name, role }) => [kind, name, role]),
      [
        ['oauth_client', 'Campaign tool', 'admin'],
        ['api_key', 'scim', null],
        ['api_key', 'nightly', 'admin'],
      ],
    );
    assert.equal(before.total, 3);

    const one = await reassign(leaving.person.id, { toUserId: staying.person.id, credentialIds: [leaving.keyId] });
    assert.deepEqual([one.total, one.data[0]?.id], [1, leaving.keyId]);
    assert.equal((await listed(leaving.person.id)).total, 2);
    assert.equal((await reassign(leaving.person.id, { toUserId: staying.person.id })).total, 2);
    await must('DELETE', `users/${leaving.person.id}`, 204);
    await works(leaving);
    assert.equal((await listed(leaving.person.id)).total, 0);
    assert.equal((await listed(staying.person.id)).total, 6);

    // The log names the key, because its previous owner still knows it.
    const made = await must<{ id: string }>('POST', 'categories', 201, {
      body: { name: `by the key ${leaving.keyId}` },
      key: leaving.key,
    });
    const rows = await server.testDatabase.ownerQuery<{
      userId: string;
      action: string;
      entityType: string;
      changes: object;
    }>(
      `select user_id as "userId", action, entity_type as "entityType", changes from arbiter.audit_logs
        where entity_id = any ($1) order by sequence`,
      [[made.id, leaving.keyId, leaving.client.id]],
    );
    assert.deepEqual(
      rows.filter(({ action }) => action === 'update').map(({ entityType, changes }) => [entityType, changes]),
      ['apiKey', 'oauthClient'].map((entityType) => [
        entityType,
        { createdBy: { before: leaving.person.id, after: staying.person.id } },
      ]),
    );
    assert.equal(rows.at(-1)?.userId, `apikey:${leaving.keyId}`);

    await setRole(staying.person.id, 'viewer');
    await answers('GET', 'users', leaving.key, 403);
    await answers('GET', 'users', leaving.token, 403);
  });

  test('is rejected for anyone else, and changes nothing', async () => {
    const leaving = await owner();
    const [tenant, foreign] = [server.tenants[0], server.tenants[1]!];
    const viewer = await people.person(tenant, { role: 'viewer' });
    const inactive = await people.person(tenant, { role: 'admin' });
    await must('DELETE', `users/${inactive.id}`, 204);
    const stranger = await people.person(foreign, { role: 'admin' });
    const invited = await must<{ id: string }>('POST', 'users', 201, {
      body: { email: 'invited@example.test', role: 'admin' },
    });
    for (const toUserId of [viewer.id, inactive.id, invited.id, stranger.id, leaving.person.id, 'nobody']) {
      const { errors } = await reassign(leaving.person.id, { toUserId }, 400);
      assert.equal(errors?.[0]?.path, '/toUserId', toUserId);
    }
    const taker = await people.person(tenant, { role: 'admin' });
    const own = await owner();
    const wrong = await reassign(
      leaving.person.id,
      { toUserId: taker.id, credentialIds: [leaving.keyId, own.keyId] },
      400,
    );
    assert.deepEqual([wrong.code, wrong.errors?.[0]?.path], ['reference_not_found', '/credentialIds/1']);
    await reassign(leaving.person.id, { toUserId: taker.id }, 403, tenant.keys.editor);
    await reassign(leaving.person.id, { toUserId: stranger.id }, 404, foreign.keys.admin);
    await must('GET', `users/${leaving.person.id}/credentials`, 404, { key: foreign.keys.admin });
    await must('GET', `users/${leaving.person.id}/credentials`, 403, { key: tenant.keys.editor });
    assert.equal((await listed(leaving.person.id)).total, 3);
    assert.equal((await listed(taker.id)).total, 0);
  });

  test("all owners of a credential count as one person in the four-eyes rule until it's revoked", async () => {
    const [first, second, third] = [await owner(), await owner(), await owner()];
    const as = (who: Owner) => ({ key: null, headers: { cookie: who.cookie } });
    await reassign(first.person.id, { toUserId: second.person.id, credentialIds: [first.client.id] });
    await must('PUT', 'tenant-settings', 200, { body: { fourEyesEnabled: true } });
    try {
      let counter = 0;
      const file = async (options: object) =>
        (
          await must<{ id: string }>('POST', 'approvals', 201, {
            ...options,
            body: {
              entityType: 'offer',
              entityId: 'new',
              entityName: 'Thing',
              action: 'create',
              payload: { name: `${first.keyId} ${++counter}` },
            },
          })
        ).id;
      const decide = (id: string, options: object, status: number) =>
        must<Problem>('POST', `approvals/${id}`, status, { ...options, body: { action: 'approve' } });
      const byClient = await file({ key: first.token });
      for (const who of [first, second]) {
        assert.equal((await decide(byClient, as(who), 403)).code, 'self_approval_forbidden');
      }
      const byFirst = await file(as(first));
      assert.equal((await decide(byFirst, { key: first.token }, 403)).code, 'self_approval_forbidden');
      await decide(byFirst, as(third), 200);

      await must('DELETE', `oauth/clients/${first.client.id}`, 204);
      // Filed while the client could still act as either.
      assert.equal((await decide(byClient, as(first), 403)).code, 'self_approval_forbidden');
      await decide(byClient, as(third), 200);
      await decide(await file(as(second)), as(first), 200);
    } finally {
      await must('PUT', 'tenant-settings', 200, { body: { fourEyesEnabled: null } });
    }
  });
});
