import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { cookieOf, createPeople, freshAddress, trusting } from './test-people.ts';

/** Signing up and proving an address (docs/design/api-access.md 4.2 and 22; docs/design/quality.md T29). */

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ clock: { now: () => nowMs }, config: { ...trusting, PLAYGROUND_MODE: true } });
  people = createPeople(server);
});
after(() => server?.close());

let counter = 0;
const newcomer = () => ({ name: 'Ada', email: `ada-${++counter}@example.test`, password: 'Passw0rd' });
const register = (body: object, headers = {}) => people.open('POST', '/api/v1/auth/register', { body, headers });
const verify = async (token: string) =>
  (await people.open('GET', `/api/v1/auth/verify?token=${token}`)).headers.location;
const mails = () => takeMails(server);
async function onlyToken(kind: 'verification'): Promise<string> {
  const waiting = await mails();
  assert.equal(waiting.length, 1);
  const [mail] = waiting;
  assert.ok(mail?.kind === kind, mail?.kind);
  return mail.token;
}
const usersOf = (email: string) =>
  server.testDatabase.ownerQuery<{ id: string; tenant_id: string; name: string; role: string; verified: boolean }>(
    'select id, tenant_id, name, role, email_verified_at is not null as verified from arbiter.users where email_key = $1',
    [email.toLowerCase()],
  );

test('a new address gets its own tenant, whose admin is signed in after following the link', async () => {
  const ada = newcomer();
  const answer = await register({ ...ada, tenantName: 'Engines' });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.equal((await people.login(ada)).body.code, 'email_not_verified');
  assert.equal((await people.login({ ...ada, password: 'Wrong0000' })).body.code, 'invalid_credentials');
  const token = await onlyToken('verification');
  assert.equal(await verify(token), '/login?verified=true');
  assert.equal(await verify(token), '/login?verified=true', 'once more is no mistake');
  const signedIn = await people.login(ada);
  assert.partialDeepStrictEqual(signedIn.body, {
    user: { name: 'Ada', email: ada.email, role: 'admin' },
    tenant: { name: 'Engines', isPlayground: true },
  });
  const cookie = cookieOf(signedIn);
  const made = await people.open('POST', '/api/v1/categories', {
    cookie,
    body: { name: 'mine' },
    headers: { origin: 'http://localhost:3000' },
  });
  assert.equal(made.status, 201, made.text);
  const other = await server.call<{ data: unknown[] }>('GET', '/api/v1/categories');
  assert.ok(!other.text.includes('mine'), 'an isolated tenant');
});

test('names the tenant after the person by default', async () => {
  const named = { ...newcomer(), name: 'A'.repeat(100) };
  assert.equal((await register(named)).status, 201);
  await verify(await onlyToken('verification'));
  assert.equal((await people.login(named)).body.tenant?.name, `${'A'.repeat(88)}'s workspace`);
});

test('responds the same for a known address, which gets an email that says so', async () => {
  const ada = newcomer();
  const first = await register(ada);
  await verify(await onlyToken('verification'));
  const before = server.passwords.computed();
  const second = await register({ ...ada, email: ada.email.toUpperCase(), name: 'Eve', password: 'Stolen000' });
  assert.equal(server.passwords.computed() - before, 1, 'as much work as for a new one');
  assert.deepEqual([second.status, second.text], [first.status, first.text]);
  assert.deepEqual(await mails(), [{ kind: 'registration_known', to: ada.email }]);
  assert.equal((await usersOf(ada.email)).length, 1);
  assert.equal((await people.login({ ...ada, password: 'Stolen000' })).status, 401);
  assert.equal((await people.login(ada)).status, 200);
});

test('squatting: the followed link decides which registration is valid, and voids the others', async () => {
  const { email } = newcomer();
  await register({ name: 'Mallory', email, password: 'Mallory00', tenantName: 'Trap' });
  const trap = await onlyToken('verification');
  await register({ name: 'Ada', email, password: 'Passw0rd', tenantName: 'Engines' });
  const [mail] = await mails();
  // The owner can tell it from the other one by its name.
  assert.ok(mail?.kind === 'verification' && mail.name === 'Ada');
  const right = mail.token;
  assert.equal(await verify(right), '/login?verified=true');
  assert.equal(await verify(trap), '/login?error=invalid-token');
  assert.equal((await people.login({ email, password: 'Mallory00' })).status, 401);
  const { body } = await people.login({ email, password: 'Passw0rd' });
  assert.partialDeepStrictEqual(body, { user: { name: 'Ada' }, tenant: { name: 'Engines' } });
  assert.equal((await usersOf(email)).length, 1);
});

test("an account verified only by some tenant's directory doesn't lock out the address's owner", async () => {
  const { email } = await people.person(server.tenants[0]);
  await server.testDatabase.ownerQuery(`update arbiter.users set source = 'scim' where email = $1`, [email]);
  await register({ name: 'Ada', email, password: 'Owner0000' });
  assert.equal(await verify(await onlyToken('verification')), '/login?verified=true');
  assert.equal((await people.login({ email, password: 'Owner0000' })).status, 200);
});

test('two registrations of one address at once create one tenant, and a link each', async () => {
  const { email } = newcomer();
  const passwords = ['Passw0rd 1', 'Passw0rd 2', 'Passw0rd 3'];
  const answers = await Promise.all(passwords.map((password) => register({ name: 'Ada', email, password })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  const waiting = await mails();
  assert.deepEqual(
    waiting.map(({ kind }) => kind),
    ['verification', 'verification', 'verification'],
  );
  assert.equal((await usersOf(email)).length, 1);
  const [mail] = waiting;
  assert.ok(mail?.kind === 'verification');
  assert.equal(await verify(mail.token), '/login?verified=true');
  const opened = [];
  for (const password of passwords) opened.push((await people.login({ email, password })).status);
  assert.deepEqual(opened.toSorted(), [200, 401, 401]);
});

test('a link is valid for 24 hours, and a newer one replaces it', async () => {
  const ada = newcomer();
  await register(ada);
  const late = await onlyToken('verification');
  nowMs += 24 * 3_600_000;
  assert.equal(await verify(late), '/login?error=expired-token');
  const again = await people.open('POST', '/api/v1/auth/resend-verification', { body: { email: ada.email } });
  assert.equal(again.status, 202);
  const second = await onlyToken('verification');
  await people.open('POST', '/api/v1/auth/resend-verification', { body: { email: ada.email } });
  const third = await onlyToken('verification');
  assert.equal(await verify(second), '/login?error=invalid-token');
  assert.equal(await verify(third), '/login?verified=true');
  assert.equal((await people.login(ada)).status, 200);
  const nobody = await people.open('POST', '/api/v1/auth/resend-verification', { body: { email: 'x@example.test' } });
  assert.deepEqual([nobody.status, nobody.text], [again.status, again.text]);
  await people.open('POST', '/api/v1/auth/resend-verification', { body: { email: ada.email } });
  assert.deepEqual(await mails(), [], 'who is verified needs none');
});

test('an account verified in another way keeps its password despite a pending registration', async () => {
  const { email } = newcomer();
  await register({ name: 'Mallory', email, password: 'Mallory00' });
  const trap = await onlyToken('verification');
  const [user] = await usersOf(email);
  await server.testDatabase.ownerQuery('update arbiter.users set email_verified_at = now() where id = $1', [user!.id]);
  assert.equal(await verify(trap), '/login?verified=true');
  assert.equal((await people.login({ email, password: 'Mallory00' })).status, 401);
  assert.equal((await usersOf(email))[0]!.name, 'Mallory');
});

test("an invalid link leads to sign-in, and prefetching doesn't use a link", async () => {
  for (const token of ['', 'nonsense', 'x'.repeat(43), '%F0%9F%98%80']) {
    assert.equal(await verify(token), '/login?error=invalid-token', token);
  }
  assert.equal((await people.open('GET', '/api/v1/auth/verify')).headers.location, '/login?error=invalid-token');
  assert.equal((await people.open('HEAD', '/api/v1/auth/verify?token=x')).status, 405);
  const { email } = newcomer();
  await register({ name: 'Ada', email, password: 'Passw0rd' });
  const token = await onlyToken('verification');
  const headers = { 'sec-purpose': 'prefetch;prerender' };
  assert.equal((await people.open('GET', `/api/v1/auth/verify?token=${token}`, { headers })).status, 404);
  assert.equal((await usersOf(email))[0]?.verified, false);
  assert.equal(await verify(token), '/login?verified=true');
});

test("rejects an invalid registration with its path, and doesn't count it", async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const good = newcomer();
  for (const [change, path] of [
    [{ password: 'Passw0r' }, '/password'],
    [{ password: 'passw0rd' }, '/password'],
    [{ password: 'Password' }, '/password'],
    [{ password: `P0${'x'.repeat(127)}` }, '/password'],
    [{ email: 'ada' }, '/email'],
    [{ email: 'a@b@c' }, '/email'],
    [{ email: 'Ada <ada@example.test>' }, '/email'],
    [{ email: `${'a'.repeat(250)}@example.test` }, '/email'],
    [{ name: ' ' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ tenantName: '' }, '/tenantName'],
  ] as const) {
    const answer = await register({ ...good, ...change }, headers);
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, path], answer.text);
  }
  for (const password of ['Passw0rd', `P0${'x'.repeat(126)}`, 'Ünïcödé ٣Ж']) {
    const ok = await register({ ...newcomer(), password }, headers);
    assert.equal(ok.status, 201, ok.text);
  }
  await mails();
});

test('allows five registrations an hour per address', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  for (let count = 1; count <= 5; count += 1) {
    const answer = await register(newcomer(), headers);
    assert.deepEqual([answer.status, answer.headers['ratelimit-remaining']], [201, String(5 - count)]);
  }
  const sixth = await register(newcomer(), headers);
  assert.deepEqual([sixth.status, sixth.body.code], [429, 'rate_limited']);
  assert.equal((await register({}, headers)).status, 400, 'what is not well formed is told so');
  assert.equal((await register(newcomer(), { 'x-forwarded-for': freshAddress() })).status, 201);
  await mails();
});

test('REGISTRATION=off', async () => {
  const closed = await startTestServer({ config: { ...trusting, REGISTRATION: false } });
  try {
    const answer = await closed.call('POST', '/api/v1/auth/register', { key: null, body: newcomer() });
    assert.deepEqual([answer.status, answer.body.code], [403, 'registration_disabled']);
  } finally {
    await closed.close();
  }
});

test('T29: writes the same rows for every address before responding, and looks up none of them', async () => {
  const [known, pending] = [newcomer(), newcomer()];
  await register(known);
  await verify(await onlyToken('verification'));
  await register(pending);
  await mails();
  const tables = await server.testDatabase.ownerQuery<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('arbiter', 'graphile_worker') and c.relkind = 'r' and c.relname <> 'rate_limit_windows' order by 1`,
  );
  const counted = async () => {
    const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as n from ${name}`);
    const rows = await server.testDatabase.ownerQuery<{ name: string; n: number }>(counts.join(' union all '));
    return new Map(rows.map(({ name, n }) => [name, n]));
  };
  /** What one call writes and hashes, without the helper that runs the job right after it. */
  const costOf = async (path: string, payload: object) => {
    const [rows, hashes] = [await counted(), server.passwords.computed()];
    const answer = await server.app.inject({
      method: 'POST',
      url: `/api/v1/auth/${path}`,
      headers: { 'x-requested-with': 'XMLHttpRequest', 'x-forwarded-for': freshAddress() },
      payload,
    });
    const written = [...(await counted())].flatMap(([name, n]) =>
      n === rows.get(name) ? [] : [[name, n - (rows.get(name) ?? 0)]],
    );
    return { status: answer.statusCode, body: answer.body, written, hashes: server.passwords.computed() - hashes };
  };
  for (const path of ['register', 'forgot-password', 'resend-verification']) {
    const cost = (email: string) =>
      costOf(path, path === 'register' ? { name: 'Ada', email, password: 'Passw0rd' } : { email });
    const unknown = await cost(newcomer().email);
    assert.ok(unknown.status < 300, unknown.body);
    assert.deepEqual(unknown.written, [
      ['arbiter.account_requests', 1],
      ['graphile_worker._private_jobs', 1],
    ]);
    assert.equal(unknown.hashes, path === 'register' ? 1 : 0);
    for (const { email } of [known, pending]) assert.deepEqual(await cost(email), unknown, `${path} ${email}`);
  }
});
