import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session, User } from '@arbiter/contract';
import { onTenantCreated } from '../../../main/feature-parts.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { createPasswords } from '../../../platform/crypto/passwords.ts';
import { applyBootstrap } from './index.ts';

/** Persons before there are sessions: users from the operator's file, and keys that act for them (docs/design/api-settled.md 6, 100). */

const pepperText = 'a pepper of these tests, 32 chars';
const passwords = createPasswords();
const key = (name: string) => `krn_${name.padEnd(24, '0')}`;
const person = (name: string, role: string) => ({ email: `${name}@Bank.test`, password: 'Passw0rd', name, role });

let server: TestServer;
const apply = (tenants: readonly object[]) =>
  applyBootstrap(
    server.database,
    { tenants },
    { pepper: keyOf(pepperText), passwords, onTenantCreated, packs: { keys: [], loadWhenNone: async () => false } },
  );
async function applied(...tenants: readonly object[]): Promise<string> {
  const result = await apply(tenants);
  assert.ok('tenants' in result, JSON.stringify(result));
  return result.tenants[0]!.id;
}
async function problemPaths(...tenants: readonly object[]): Promise<string[]> {
  const result = await apply(tenants);
  assert.ok('problems' in result, JSON.stringify(result));
  return result.problems.map(({ path }) => path);
}

const bank = {
  name: 'Bank',
  users: [person('ada', 'admin'), person('ben', 'editor'), person('cleo', 'viewer')],
  apiKeys: [
    { name: 'of ada', key: key('ada'), user: 'ADA@bank.test' },
    { name: 'of ben', key: key('ben'), scopes: ['write', 'read'], user: 'ben@bank.test' },
    { name: 'of nobody', key: key('none') },
  ],
};
let tenantId: string;
before(async () => {
  server = await startTestServer({ config: { API_KEY_PEPPER: pepperText } });
  tenantId = await applied(bank);
});
after(() => server?.close());

const get = <Body>(path: string, as = key('ada')) => server.call<Body>('GET', `/api/v1/${path}`, { key: as });
interface Page {
  readonly data: User[];
  readonly pagination: { readonly total: number; readonly nextCursor: string | null };
}
const list = async (query = '') => (await get<Page>(`users${query}`)).body;
const names = ({ data }: Page) => data.map(({ name }) => name);
const idOf = async (name: string) => (await list(`?q=${name}@`)).data[0]!.id;
const audit = (entityType: string) =>
  server.testDatabase.ownerQuery<{ userId: string; userName: string; action: string }>(
    `select user_id as "userId", user_name as "userName", action from arbiter.audit_logs
      where tenant_id = $1 and entity_type = $2 order by sequence`,
    [tenantId, entityType],
  );

test('lists users newest first, page by page, by name, address, role and status', async () => {
  assert.deepEqual(names(await list()), ['cleo', 'ben', 'ada']);
  const first = await list('?limit=2');
  assert.deepEqual([names(first), first.pagination.total], [['cleo', 'ben'], 3]);
  assert.deepEqual(names(await list(`?limit=2&cursor=${first.pagination.nextCursor}`)), ['ada']);
  for (const [query, expected] of [
    ['search=BEN', ['ben']],
    ['q=bank.TEST', ['cleo', 'ben', 'ada']],
    ['q=%25', []],
    ['q=_', []],
    ['role=viewer', ['cleo']],
    ['role=member', []],
    ['status=active', ['cleo', 'ben', 'ada']],
    ['status=deactivated', []],
    ['role=editor&status=active&q=b', ['ben']],
  ] as const) {
    assert.deepEqual(names(await list(`?${query}`)), expected, query);
  }
  for (const query of ['role=root', 'status=asleep', 'limit=0', 'limit=x']) {
    assert.equal((await get(`users?${query}`)).status, 400, query);
  }
  assert.equal((await get<{ code: string }>('users?cursor=nonsense')).body.code, 'invalid_cursor');
});

test('shows one user with all that is known, to admins of the tenant only', async () => {
  const id = await idOf('ada');
  const { status, body } = await get<User>(`users/${id}`);
  assert.equal(status, 200);
  const { createdAt, updatedAt, emailVerifiedAt, ...rest } = body;
  assert.deepEqual(rest, {
    id,
    name: 'ada',
    email: 'ada@Bank.test',
    image: null,
    role: 'admin',
    status: 'active',
    source: 'bootstrap',
    externalId: null,
    lastLoginAt: null,
    lockedUntil: null,
    secondFactor: false,
  });
  for (const instant of [createdAt, updatedAt, emailVerifiedAt]) assert.ok(!Number.isNaN(Date.parse(String(instant))));
  for (const other of ['nonsense', tenantId]) assert.equal((await get(`users/${other}`)).status, 404);
  for (const path of ['users', `users/${id}`]) {
    assert.equal((await get(path, key('ben'))).status, 403, path);
    assert.equal((await server.call('GET', `/api/v1/${path}`, { key: server.tenants[0].keys.viewer })).status, 403);
  }
  assert.equal((await server.call('GET', `/api/v1/users/${id}`)).status, 404, 'nor by the admin of another tenant');
  assert.deepEqual((await server.call<Page>('GET', '/api/v1/users')).body.data, []);
});

test('the status follows from what is known', async () => {
  const id = await idOf('cleo');
  const statusWith = async (change: string) => {
    await server.testDatabase.ownerQuery(`update arbiter.users set ${change} where id = $1`, [id]);
    const { status } = (await get<User>(`users/${id}`)).body;
    assert.ok(names(await list(`?status=${status}`)).includes('cleo'), status);
    return status;
  };
  assert.equal(await statusWith('email_verified_at = null'), 'invited');
  assert.equal(await statusWith(`locked_until = now() + interval '1 hour'`), 'locked');
  assert.equal(await statusWith(`locked_until = now() - interval '1 hour'`), 'invited');
  assert.equal(await statusWith('deactivated_at = now()'), 'deactivated');
  assert.equal(await statusWith('deactivated_at = null, locked_until = null, email_verified_at = now()'), 'active');
});

test('the session names the person behind a key', async () => {
  const userIdOf = async (as: string) => (await get<Session>('auth/session', as)).body.principal;
  assert.deepEqual(
    [(await userIdOf(key('ada')))?.userId, (await userIdOf(key('ada')))?.kind],
    [await idOf('ada'), 'api_key'],
  );
  assert.equal((await userIdOf(key('ben')))?.role, 'editor');
  assert.equal((await userIdOf(key('none')))?.userId, null);
});

test("what a person's key does counts as the person's, including keys that it creates", async () => {
  const [ada, ben] = [await idOf('ada'), await idOf('ben')];
  const make = (as: string, name: string) =>
    server.call<{ id: string }>('POST', '/api/v1/categories', { key: as, body: { name } });
  assert.equal((await make(key('ben'), 'by ben')).status, 201);
  const made = await server.call<{ id: string; key: string }>('POST', '/api/v1/api-keys', {
    key: key('ada'),
    body: {},
  });
  assert.equal(made.status, 201);
  assert.equal((await get<{ createdBy: string }>(`api-keys/${made.body.id}`)).body.createdBy, ada);
  assert.equal((await make(made.body.key, 'by ada')).status, 201);
  assert.equal((await make(key('none'), 'by nobody')).status, 201);
  assert.deepEqual(
    (await audit('category')).map(({ userId, userName }) => [userId.replace(/:.*/, ''), userName]),
    [
      [ben, 'ben'],
      [ada, 'ada'],
      ['apikey', 'of nobody'],
    ],
  );
});

test('a mandate names a person; with four eyes, not the owner of the calling key', async () => {
  const [ada] = [await idOf('ada')];
  await applied({ ...bank, users: [...bank.users, person('dora', 'admin')], settings: { fourEyesEnabled: true } });
  const mandate = async (approver: string, name: string) =>
    server.call<{ errors: { path: string }[] }>('POST', '/api/v1/offers', {
      key: key('ada'),
      body: {
        name,
        mandatory: true,
        mandatoryReason: 'law',
        mandatoryExpiresAt: '2199-01-01T00:00:00Z',
        mandatoryApprovedBy: approver,
      },
    });
  const own = await mandate(ada, 'own');
  assert.deepEqual([own.status, own.body.errors[0]?.path], [400, '/mandatoryApprovedBy'], own.text);
  assert.equal((await mandate(await idOf('ben'), 'no admin')).status, 400);
  assert.equal((await mandate(await idOf('dora'), 'another')).status, 201);
});

test('every node sees at once that a person was renamed or deactivated', async () => {
  const node = server.authenticator;
  const proven = async (name: string) => node.authenticate({ kind: 'apiKey', value: key(name) });
  assert.equal((await proven('ben'))?.actor.name, 'ben');
  await server.testDatabase.ownerQuery(`update arbiter.users set name = 'Benjamin' where name = 'ben'`);
  await until(async () => (await proven('ben'))?.actor.name === 'Benjamin');
  await server.testDatabase.ownerQuery(`update arbiter.users set deactivated_at = now() where name = 'Benjamin'`);
  await until(async () => (await proven('ben')) === null);
  assert.equal((await get('categories', key('ben'))).status, 401);
  await server.testDatabase.ownerQuery(
    `update arbiter.users set deactivated_at = null, name = 'ben' where name = 'Benjamin'`,
  );
  await until(async () => (await proven('ben')) !== null);
});

test('the file moves a key to another person, keeps a key without a person, and changes nothing twice', async () => {
  const dora = await idOf('dora');
  const key2 = { name: 'of ben', key: key('ben'), scopes: ['write', 'read'] };
  const before = (await audit('apiKey')).length;
  await applied({ ...bank, apiKeys: [{ ...key2, user: 'dora@BANK.test' }] });
  await until(async () => (await get<Session>('auth/session', key('ben'))).body.principal?.userId === dora);
  assert.equal((await audit('apiKey')).length, before + 1);
  await applied({ ...bank, apiKeys: [key2] });
  await applied({ ...bank, apiKeys: [{ ...key2, user: 'dora@bank.test' }] });
  assert.equal((await audit('apiKey')).length, before + 1);
  assert.equal((await get<Session>('auth/session', key('ben'))).body.principal?.userId, dora);
});

test("a key for an unknown person is an error of the file, which isn't applied", async () => {
  const known = { name: 'k', key: key('fresh'), user: 'dora@bank.test' };
  const paths = ['/tenants/0/apiKeys/1/user'];
  assert.deepEqual(
    await problemPaths({ ...bank, apiKeys: [known, { ...known, key: key('x'), user: 'eve@bank.test' }] }),
    paths,
  );
  assert.deepEqual(
    await problemPaths({ name: 'New', apiKeys: [known] }),
    ['/tenants/0/apiKeys/0/user'],
    'a person of another tenant',
  );
  assert.deepEqual(await problemPaths({ ...bank, apiKeys: [{ ...known, user: 'no address' }] }), [
    '/tenants/0/apiKeys/0/user',
  ]);
  assert.equal((await get('categories', key('fresh'))).status, 401);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
