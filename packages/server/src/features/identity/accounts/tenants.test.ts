import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Membership, SignedIn } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { makeSignInLink } from './index.ts';
import { cookieOf, createPeople, type Person, trusting } from './test-people.ts';

/** One person in several tenants (docs/design/api-settled.md "Access and console"). */

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 4, clock: { now: () => nowMs }, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const change = (id: string, what: string) =>
  server.testDatabase.ownerQuery(`update arbiter.users set ${what} where id = $1`, [id]);
let counter = 0;
/** Accounts of one address in the first tenants, each with its own password, all verified by email. */
async function accounts(count: number): Promise<Person[]> {
  const email = `several-${++counter}@example.test`;
  const made: Person[] = [];
  for (const [index, tenant] of server.tenants.slice(0, count).entries()) {
    const person = await people.person(tenant, { email, password: `Passw0rd ${index}` });
    await change(person.id, 'address_proven = true');
    made.push(person);
  }
  return made;
}
const list = async (cookie: string) =>
  (await people.open<{ data: Membership[] }>('GET', '/api/v1/auth/tenants', { cookie })).body.data;
const ids = async (cookie: string) => (await list(cookie)).map(({ id }) => id).toSorted();
const go = (cookie: string, body: { tenantId: string; password?: string }) =>
  people.open<SignedIn & { code?: string; errors?: { path: string }[] }>('POST', '/api/v1/auth/switch-tenant', {
    cookie,
    body,
  });
const idsOf = (persons: readonly Person[]) => persons.map(({ tenantId }) => tenantId).toSorted();

test("a person sees the tenants of their verified accounts, and switches with the account's password", async () => {
  const [one, two, three] = (await accounts(3)) as [Person, Person, Person];
  const cookie = await people.signIn(one);
  assert.deepEqual(await ids(cookie), idsOf([one, two, three]));
  const here = (await list(cookie)).filter(({ current }) => current);
  assert.deepEqual(here, [{ id: one.tenantId, name: 'Tenant 1', isPlayground: false, role: 'editor', current: true }]);
  const moved = await go(cookie, { tenantId: two.tenantId, password: two.password });
  assert.equal(moved.status, 200, moved.text);
  assert.partialDeepStrictEqual(moved.body, { user: { id: two.id }, tenant: { id: two.tenantId } });
  assert.equal((await people.session(cookie)).authenticated, false, 'the session there has ended');
  assert.equal((await people.session(cookieOf(moved))).tenant?.id, two.tenantId);
});

test('leads nobody through an account verified only by a directory, single sign-on or an operator', async () => {
  const [one, two, three] = (await accounts(3)) as [Person, Person, Person];
  await change(two.id, `address_proven = false, source = 'scim'`);
  const cookie = await people.signIn(one);
  assert.deepEqual(await ids(cookie), idsOf([one, three]));
  assert.deepEqual(await ids(await people.signIn(two)), [two.tenantId], 'nor from there');
  for (const target of [two, one]) {
    const refused = await go(cookie, { tenantId: target.tenantId, password: target.password });
    assert.deepEqual([refused.status, refused.body.code], [400, 'reference_not_found']);
  }
  assert.equal((await people.session(cookie)).authenticated, true);
});

test("a session from a printed link, single sign-on, or a deactivated account elsewhere can't switch", async () => {
  const [one, two] = (await accounts(2)) as [Person, Person];
  const link = await makeSignInLink(server.database, server.links, one);
  const entered = await people.open('GET', link!.path);
  assert.deepEqual(await ids(cookieOf(entered)), [one.tenantId]);
  const cookie = await people.signIn(one);
  await server.testDatabase.ownerQuery(`update arbiter.user_sessions set method = 'oidc' where user_id = $1`, [one.id]);
  assert.deepEqual(await ids(cookie), [one.tenantId]);
  const fresh = await people.signIn(one);
  await change(two.id, 'deactivated_at = now()');
  assert.deepEqual(await ids(fresh), [one.tenantId]);
});

test('wrong and unknown passwords respond as at sign-in, and count there', async () => {
  const [one, two] = (await accounts(2)) as [Person, Person];
  const cookie = await people.signIn(one);
  for (const tenantId of [server.tenants[3]!.id, newId()]) {
    const answer = await go(cookie, { tenantId, password: 'Passw0rd' });
    assert.deepEqual([answer.status, answer.body.code], [400, 'reference_not_found']);
  }
  const bare = await go(cookie, { tenantId: two.tenantId });
  assert.deepEqual([bare.status, bare.body.errors?.[0]?.path], [400, '/password']);
  assert.equal((await go(cookie, { tenantId: 'nonsense' })).status, 400);
  for (let count = 1; count <= 5; count += 1) {
    const wrong = await go(cookie, { tenantId: two.tenantId, password: one.password });
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials']);
  }
  assert.equal((await go(cookie, { tenantId: two.tenantId, password: two.password })).status, 401, 'locked');
  assert.equal((await people.user(server.tenants[1]!, two.id)).status, 'locked');
  assert.equal((await people.session(cookie)).authenticated, true);
  nowMs += 15 * 60_000;
  assert.equal((await go(cookie, { tenantId: two.tenantId, password: two.password })).status, 200);
});

test('keys have no tenants to switch to', async () => {
  for (const [method, path] of [
    ['GET', 'tenants'],
    ['POST', 'switch-tenant'],
  ] as const) {
    const answer = await server.call(method, `/api/v1/auth/${path}`, method === 'POST' ? { body: {} } : {});
    assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden']);
  }
});
