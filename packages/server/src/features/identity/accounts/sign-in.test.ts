import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { cookieOf, createPeople, trusting } from './test-people.ts';

/** Signing in and out by password (docs/design/api-access.md 4.2 and 22; docs/design/quality.md T11, T29). */

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => nowMs }, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const minutes = (count: number) => {
  nowMs += count * 60_000;
};
const tenant = () => server.tenants[0];
const audit = (userId: string) =>
  server.testDatabase
    .ownerQuery<{ action: string }>(
      "select action from arbiter.audit_logs where entity_id = $1 and action like 'log%' order by sequence",
      [userId],
    )
    .then((rows) => rows.map(({ action }) => action));

test("a correct password opens a session, in a cookie that scripts can't read", async () => {
  const ada = await people.person(tenant(), { role: 'admin' });
  const answer = await people.login(ada);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, {
    user: { id: ada.id, name: `Name of ${ada.email}`, email: ada.email, role: 'admin' },
    tenant: { id: tenant().id, name: tenant().name, isPlayground: false },
    expiresAt: new Date(nowMs + 30 * 60_000).toISOString(),
  });
  assert.match(
    String(answer.headers['set-cookie']),
    /^arbiter_session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const session = await people.session(cookieOf(answer));
  assert.deepEqual(session, {
    authenticated: true,
    principal: {
      kind: 'user',
      id: ada.id,
      name: `Name of ${ada.email}`,
      userId: ada.id,
      email: ada.email,
      role: 'admin',
    },
    tenant: { id: tenant().id, name: tenant().name, isPlayground: false },
    expiresAt: answer.body.expiresAt,
  });
  assert.deepEqual(await audit(ada.id), ['login']);
  const shown = await people.user(tenant(), ada.id);
  assert.equal(shown.lastLoginAt, new Date(nowMs).toISOString());
});

test('finds the address in any letter case, and compares the password exactly', async () => {
  const { email, password } = await people.person(tenant(), { password: 'Caf\u00e9 Passw0rd' });
  assert.equal((await people.login({ email: email.toUpperCase(), password })).status, 200);
  assert.equal(
    (await people.login({ email, password: password.normalize('NFD') })).status,
    200,
    'one password, other keyboard',
  );
  assert.equal((await people.login({ email, password: password.toLowerCase() })).status, 401);
});

test('responds the same after the same work, whatever is wrong', async () => {
  const known = await people.person(tenant());
  const locked = await people.person(tenant());
  const gone = await people.person(tenant());
  await server.testDatabase.ownerQuery(`update arbiter.users set locked_until = $2 where id = $1`, [
    locked.id,
    new Date(nowMs + 60_000),
  ]);
  await server.testDatabase.ownerQuery(`update arbiter.users set deactivated_at = $2 where id = $1`, [
    gone.id,
    new Date(nowMs),
  ]);
  const none = await people.person(tenant());
  await server.testDatabase.ownerQuery('delete from arbiter.user_passwords where user_id = $1', [none.id]);
  const tries = [
    { email: known.email, password: 'Wrong0000' },
    { email: 'nobody@example.test', password: 'Passw0rd' },
    { email: 'no address at all', password: 'Passw0rd' },
    { email: known.email, password: 'Passw0rd', tenantId: newId() },
    { email: known.email, password: 'Passw0rd', tenantId: 'nonsense' },
    { email: known.email, password: 'Passw0rd', tenantId: server.tenants[1]!.id },
    { email: locked.email, password: 'Passw0rd' },
    { email: gone.email, password: 'Passw0rd' },
    { email: none.email, password: 'Passw0rd' },
  ];
  const answers = [];
  for (const body of tries) {
    const before = server.passwords.computed();
    const { status, text, headers } = await people.login(body);
    assert.equal(server.passwords.computed() - before, 1, JSON.stringify(body));
    assert.equal(headers['set-cookie'], undefined);
    answers.push({ status, text: text.replace(/"requestId":"[^"]+"/, '') });
  }
  assert.equal(answers[0]!.status, 401);
  assert.match(answers[0]!.text, /invalid_credentials/);
  for (const [index, answer] of answers.entries()) assert.deepEqual(answer, answers[0], JSON.stringify(tries[index]));
  assert.deepEqual(await audit(locked.id), ['login_failed']);
  assert.deepEqual(await audit(gone.id), ['login_failed']);
});

test("five wrong passwords in a row lock for fifteen minutes; more attempts don't extend it", async () => {
  const ben = await people.person(tenant());
  const wrong = () => people.login({ ...ben, password: 'Wrong0000' });
  for (let count = 1; count <= 4; count += 1) assert.equal((await wrong()).status, 401);
  assert.equal((await people.user(tenant(), ben.id)).status, 'active');
  assert.equal((await people.login(ben)).status, 200, 'four are not enough, and a success begins anew');
  for (let count = 1; count <= 5; count += 1) assert.equal((await wrong()).status, 401);
  const lockedUntil = new Date(nowMs + 15 * 60_000).toISOString();
  assert.partialDeepStrictEqual(await people.user(tenant(), ben.id), { status: 'locked', lockedUntil });
  minutes(14);
  assert.equal((await wrong()).status, 401);
  assert.equal((await people.login(ben)).status, 401, 'right, and still locked');
  assert.equal((await people.user(tenant(), ben.id)).lockedUntil, lockedUntil);
  minutes(1);
  assert.equal((await people.login(ben)).status, 200);
  assert.equal((await people.user(tenant(), ben.id)).lockedUntil, null);
});

test('counts all parallel wrong passwords: the fifth locks, and no later one opens', async () => {
  const cleo = await people.person(tenant());
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => people.login({ ...cleo, password: 'Wrong0000' })),
  ]);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
  assert.equal((await people.user(tenant(), cleo.id)).status, 'locked');
  assert.equal((await people.login(cleo)).status, 401);
  const [row] = await server.testDatabase.ownerQuery<{ count: number }>(
    `select count(*)::int as count from arbiter.audit_logs where entity_id = $1 and action = 'login_failed'`,
    [cleo.id],
  );
  assert.equal(row!.count, 6);
});

test('without a tenant, the password chooses it; among several, the one last used', async () => {
  const [first, second] = [server.tenants[0], server.tenants[1]!];
  const email = 'both@example.test';
  const one = await people.person(first, { email, password: 'Passw0rd one' });
  const two = await people.person(second, { email, password: 'Passw0rd two' });
  const tenantOf = async (password: string, tenantId?: string) =>
    (await people.login({ email, password, ...(tenantId === undefined ? {} : { tenantId }) })).body.tenant?.id;
  assert.equal(await tenantOf('Passw0rd one'), first.id);
  assert.equal(await tenantOf('Passw0rd two'), second.id);
  const same = await server.passwords.hash('Passw0rd same');
  await server.testDatabase.ownerQuery(
    'update arbiter.user_passwords set password_hash = $2 where user_id = any ($1)',
    [[one.id, two.id], same],
  );
  minutes(1);
  assert.equal(await tenantOf('Passw0rd same', first.id), first.id);
  minutes(1);
  assert.equal(await tenantOf('Passw0rd same'), first.id);
  assert.equal(await tenantOf('Passw0rd same', second.id), second.id);
  minutes(1);
  assert.equal(await tenantOf('Passw0rd same'), second.id);
  await people.login({ email, password: 'Wrong0000' });
  for (const id of [one.id, two.id]) assert.equal((await audit(id)).at(-1), 'login_failed');
});

test("signing out ends the session and removes the cookie; without one it's 204 too", async () => {
  const dora = await people.person(tenant());
  const cookie = await people.signIn(dora);
  const { id } = dora;
  const out = await people.open('POST', '/api/v1/auth/logout', { cookie });
  assert.equal(out.status, 204);
  assert.match(String(out.headers['set-cookie']), /^arbiter_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.deepEqual(await people.session(cookie), { authenticated: false });
  for (const again of [cookie, 'arbiter_session=nonsense', 'other=1']) {
    assert.equal((await people.open('POST', '/api/v1/auth/logout', { cookie: again })).status, 204);
  }
  assert.equal((await people.open('POST', '/api/v1/auth/logout')).status, 204);
  assert.deepEqual(await audit(id), ['login', 'logout']);
});
