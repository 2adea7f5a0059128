import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import type { Mail } from '../mail/index.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { cookieOf, createPeople, type Person, trusting } from './test-people.ts';

/** Passwords that are set by a link or by their owner, and invitations (docs/design/api-access.md 4.2, 5.2 and 22). */

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => nowMs }, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const tenant = () => server.tenants[0];
const forgot = (email: string) => people.open('POST', '/api/v1/auth/forgot-password', { body: { email } });
const reset = (token: string, password = 'Another 1') =>
  people.open('POST', '/api/v1/auth/reset-password', { body: { token, password } });
const accept = (token: string, body = {}) =>
  people.open('POST', '/api/v1/auth/accept-invite', { body: { token, password: 'Passw0rd', ...body } });
const tokenOf = (mail: Mail | undefined): string => {
  assert.ok(mail !== undefined && 'token' in mail, JSON.stringify(mail));
  return mail.token;
};
async function resetLinkOf({ email }: Pick<Person, 'email'>): Promise<string> {
  assert.equal((await forgot(email)).status, 202);
  return tokenOf((await takeMails(server)).find(({ kind }) => kind === 'reset'));
}
const admin = <Body>(method: string, path: string, body?: unknown) =>
  server.call<Body>(method, `/api/v1/users${path}`, {
    key: tenant().keys.admin,
    ...(body === undefined ? {} : { body }),
  });
const actions = async (id: string) =>
  (
    await server.testDatabase.ownerQuery<{ action: string; user_id: string }>(
      'select action, user_id from arbiter.audit_logs where entity_id = $1 order by sequence',
      [id],
    )
  ).map(({ action }) => action);

test('a forgotten password: one link per tenant, and the same response for everyone', async () => {
  const email = 'two@example.test';
  const [one] = [await people.person(tenant(), { email }), await people.person(server.tenants[1]!, { email })];
  const answer = await forgot(email.toUpperCase());
  const mails = await takeMails(server);
  assert.deepEqual(
    mails.map(({ kind, to, ...rest }) => [kind, to, 'tenantName' in rest ? rest.tenantName : null]).toSorted(),
    [
      ['reset', email, 'Tenant 1'],
      ['reset', email, 'Tenant 2'],
    ],
  );
  const nobody = await forgot('nobody@example.test');
  assert.deepEqual([nobody.status, nobody.text], [answer.status, answer.text]);
  await server.testDatabase.ownerQuery('update arbiter.users set deactivated_at = now() where email = $1', [email]);
  assert.equal((await forgot(email)).status, 202);
  assert.deepEqual(await takeMails(server), [], 'who is deactivated gets none');
  assert.equal((await reset(tokenOf(mails[0]))).body.code, 'token_invalid', 'and earlier ones open nothing');
  assert.ok(one);
});

test("sends mail to the directory's address, which then proves nothing about the account's name", async () => {
  const ada = await people.person(tenant());
  const set = (mail: string, email = ada.email) =>
    server.testDatabase.ownerQuery(
      'update arbiter.users set mail_address = $2, email = $3, email_key = $3 where id = $1',
      [ada.id, mail, email],
    );
  await set('elsewhere@example.test');
  assert.equal((await forgot(ada.email)).status, 202);
  const [mail] = await takeMails(server);
  assert.equal(mail?.to, 'elsewhere@example.test');
  assert.equal((await reset(tokenOf(mail))).status, 200);
  const proven = async () =>
    (await server.testDatabase.ownerQuery('select address_proven from arbiter.users where id = $1', [ada.id]))[0];
  assert.deepEqual(await proven(), { address_proven: false });
  await set('no address', 'jdoe');
  assert.equal((await forgot('jdoe')).status, 202);
  assert.deepEqual(await takeMails(server), [], 'and nowhere when it can go nowhere');
  await set(ada.email.toUpperCase(), ada.email);
  await reset(await resetLinkOf(ada));
  assert.deepEqual(await proven(), { address_proven: true });
});

test('a new password ends every session and the lock, once', async () => {
  const ada = await people.person(tenant());
  const cookie = await people.signIn(ada);
  await server.testDatabase.ownerQuery(`update arbiter.users set locked_until = $2 where id = $1`, [
    ada.id,
    new Date(nowMs + 60_000),
  ]);
  const token = await resetLinkOf(ada);
  for (const weak of ['short1A', 'nouppercase1', 'NoDigitAtAll']) {
    assert.equal((await reset(token, weak)).body.errors?.[0]?.path, '/password', 'a weak one uses nothing up');
  }
  const done = await reset(token);
  assert.equal(done.status, 200, done.text);
  assert.deepEqual(await people.session(cookie), { authenticated: false });
  assert.equal((await people.login(ada)).status, 401);
  assert.equal((await people.login({ ...ada, password: 'Another 1' })).status, 200);
  assert.equal((await reset(token)).body.code, 'token_invalid');
  assert.deepEqual(await actions(ada.id), ['create', 'login', 'password_reset', 'login_failed', 'login']);
});

test('the newest link is valid, for an hour', async () => {
  const ben = await people.person(tenant());
  const first = await resetLinkOf(ben);
  const second = await resetLinkOf(ben);
  assert.equal((await reset(first)).body.code, 'token_invalid');
  nowMs += 3_600_000 - 1;
  assert.equal((await reset(second)).status, 200);
  const late = await resetLinkOf(ben);
  nowMs += 3_600_000;
  assert.equal((await reset(late)).body.code, 'token_invalid');
});

test('one link used twice at once sets one password', async () => {
  const cleo = await people.person(tenant());
  const token = await resetLinkOf(cleo);
  const answers = await Promise.all(['Racing 1', 'Racing 2', 'Racing 3'].map((password) => reset(token, password)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
  const winner = ['Racing 1', 'Racing 2', 'Racing 3'][answers.findIndex(({ status }) => status === 200)]!;
  assert.equal((await people.login({ ...cleo, password: winner })).status, 200);
});

test('allows five calls an hour per address, known or not, whoever calls', async () => {
  for (const email of ['limited@example.test', (await people.person(tenant())).email]) {
    for (let count = 1; count <= 5; count += 1) assert.equal((await forgot(email)).status, 202);
    const sixth = await forgot(email.toUpperCase());
    assert.deepEqual([sixth.status, sixth.body.code], [429, 'rate_limited']);
    assert.ok(Number(sixth.headers['retry-after']) > 3_500);
    assert.equal(
      (await people.open('POST', '/api/v1/auth/resend-verification', { body: { email } })).status,
      202,
      'of each kind',
    );
  }
  await takeMails(server);
});

test('an invitation: the person joins by the emailed link, and is signed in', async () => {
  const invited = await admin<{ id: string; message: string; status: string; role: string }>('POST', '', {
    email: 'Dora@example.test',
    role: 'editor',
  });
  assert.equal(invited.status, 201, invited.text);
  assert.partialDeepStrictEqual(invited.body, {
    email: 'Dora@example.test',
    name: 'Dora@example.test',
    role: 'editor',
    status: 'invited',
    source: 'invite',
  });
  const [mail] = await takeMails(server);
  assert.partialDeepStrictEqual(mail, {
    kind: 'invitation',
    to: 'Dora@example.test',
    tenantName: 'Tenant 1',
    invitedBy: null,
  });
  const token = tokenOf(mail);
  assert.equal((await accept(token, { password: 'weak' })).status, 400, 'a weak password uses nothing up');
  const accepted = await accept(token, { name: 'Dora' });
  assert.equal(accepted.status, 200, accepted.text);
  assert.partialDeepStrictEqual(accepted.body, { user: { id: invited.body.id, name: 'Dora', role: 'editor' } });
  assert.equal((await people.session(cookieOf(accepted))).authenticated, true);
  assert.equal((await accept(token)).body.code, 'token_invalid');
  assert.partialDeepStrictEqual(await people.user(tenant(), invited.body.id), { status: 'active', name: 'Dora' });
  assert.deepEqual(await actions(invited.body.id), ['create', 'update', 'login']);
  assert.equal((await admin('POST', `/${invited.body.id}/resend-invite`)).status, 409);
});

test('limits invitations to five more an hour per address, over all tenants', async () => {
  const email = 'flooded@example.test';
  const { body } = await admin<{ id: string }>('POST', '', { email });
  const key = server.tenants[1]!.keys.admin;
  const other = await server.call<{ id: string }>('POST', '/api/v1/users', { key, body: { email } });
  await takeMails(server);
  for (let count = 1; count <= 5; count += 1) {
    assert.equal((await admin('POST', `/${body.id}/resend-invite`)).status, 200);
  }
  const before = await takeMails(server);
  assert.equal(before.length, 5);
  const sixth = await server.call<{ code: string }>('POST', `/api/v1/users/${other.body.id}/resend-invite`, { key });
  assert.deepEqual([sixth.status, sixth.body.code], [429, 'rate_limited']);
  assert.deepEqual(await takeMails(server), []);
  assert.equal((await accept(tokenOf(before[4]))).status, 200, 'the last link is still good');
});

test('invites an address once; a new email replaces the earlier invitation; seven days', async () => {
  const { body } = await admin<{ id: string }>('POST', '', { email: 'eve@example.test', name: 'Eve' });
  const first = tokenOf((await takeMails(server))[0]);
  const twice = await admin<{ code: string }>('POST', '', { email: 'EVE@example.test' });
  assert.deepEqual([twice.status, twice.body.code], [409, 'duplicate_email']);
  const races = await Promise.all([1, 2, 3].map(() => admin('POST', '', { email: 'race@example.test' })));
  assert.deepEqual(races.map(({ status }) => status).toSorted(), [201, 409, 409]);
  const other = await server.call('POST', '/api/v1/users', {
    key: server.tenants[1]!.keys.admin,
    body: { email: 'eve@example.test' },
  });
  assert.equal(other.status, 201, 'another tenant has its own');
  await takeMails(server);
  assert.equal((await admin('POST', `/${body.id}/resend-invite`)).status, 200);
  const second = tokenOf((await takeMails(server))[0]);
  assert.equal((await accept(first)).body.code, 'token_invalid');
  nowMs += 7 * 24 * 3_600_000;
  assert.equal((await accept(second)).body.code, 'token_invalid');
  await admin('POST', `/${body.id}/resend-invite`);
  const third = tokenOf((await takeMails(server))[0]);
  assert.equal((await admin('DELETE', `/${body.id}`)).status, 204);
  assert.equal((await accept(third)).body.code, 'token_invalid', 'who is deactivated does not join');
  assert.equal((await admin('POST', `/${body.id}/resend-invite`)).status, 409);
});

test('a signed-in user changes name and password, and other sessions end', async () => {
  const finn = await people.person(tenant());
  const [here, there] = [await people.signIn(finn), await people.signIn(finn)];
  const put = (body: object, cookie = here) => people.open('PUT', '/api/v1/users/me', { cookie, body });
  const renamed = await put({ name: 'Finn the second' });
  assert.partialDeepStrictEqual(renamed.body, { id: finn.id, name: 'Finn the second' });
  for (const [body, path] of [
    [{ newPassword: 'Another 1' }, '/currentPassword'],
    [{ currentPassword: finn.password }, '/newPassword'],
    [{ currentPassword: finn.password, newPassword: 'weak' }, '/newPassword'],
    [{ currentPassword: 'Wrong0000', newPassword: 'Another 1' }, '/currentPassword'],
    [{ name: '' }, '/name'],
  ] as const) {
    const refused = await put(body);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, path], refused.text);
  }
  const changed = await put({ currentPassword: finn.password, newPassword: 'Another 1' });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await people.session(here)).authenticated, true);
  assert.equal((await people.session(there)).authenticated, false);
  assert.equal((await people.login({ ...finn, password: 'Another 1' })).status, 200);
});

test('wrong current passwords count as failed sign-ins, and lock at the fifth', async () => {
  const gwen = await people.person(tenant());
  const cookie = await people.signIn(gwen);
  const guess = (currentPassword: string) =>
    people.open('PUT', '/api/v1/users/me', { cookie, body: { currentPassword, newPassword: 'Another 1' } });
  for (let count = 1; count <= 5; count += 1) assert.equal((await guess(`Wrong000${count}`)).status, 400);
  assert.equal((await guess(gwen.password)).status, 400, 'right, and locked');
  assert.equal((await people.user(tenant(), gwen.id)).status, 'locked');
  const [mail] = await takeMails(server);
  assert.deepEqual(mail, {
    kind: 'locked',
    to: gwen.email,
    tenantName: 'Tenant 1',
    until: new Date(nowMs + 15 * 60_000).toISOString(),
  });
  assert.equal((await people.session(cookie)).authenticated, true, 'a lock ends no session');
});

test('never shows the signed-in person to the holder of a key', async () => {
  for (const method of ['GET', 'PUT']) {
    const answer = await server.call(method, '/api/v1/users/me', method === 'PUT' ? { body: {} } : {});
    assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden']);
  }
});
