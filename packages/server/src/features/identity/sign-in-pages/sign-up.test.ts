import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { freshAddress, trusting } from '../accounts/test-people.ts';
import { takeMails } from '../mail/test-mailbox.ts';

/** The page that makes an account. */

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: trusting });
});
after(() => server?.close());

const own = 'http://localhost:3000';
const send = (form: object, { from = freshAddress(), origin = own, at = server } = {}) =>
  at.app.inject({
    method: 'POST',
    url: '/register',
    headers: { 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded', origin },
    payload: new URLSearchParams({ ...form }).toString(),
  });
const fresh = () => ({
  name: 'Ada Lovelace',
  email: `ada-${newId()}@example.test`,
  tenantName: 'Engines',
  password: 'Another0000',
  repeated: 'Another0000',
});

test('creates an account, verifies its address by the emailed link, and signs in its owner', async () => {
  const login = await server.app.inject({ url: '/login' });
  assert.match(login.body, /<a href="\/register">Create an account<\/a>/);
  assert.match((await server.app.inject({ url: '/register' })).body, /<form method="post" action="\/register">/);
  await takeMails(server);
  const ada = fresh();
  const done = await send(ada);
  assert.deepEqual([done.statusCode, done.headers.location], [303, '/register?sent=true']);
  assert.match((await server.app.inject({ url: '/register?sent=true' })).body, /Check your email/);
  const [mail] = await takeMails(server);
  assert.deepEqual([mail?.kind, mail?.to], ['verification', ada.email]);
  const token = mail?.kind === 'verification' ? mail.token : '';
  const proven = await server.app.inject({ url: `/api/v1/auth/verify?token=${token}` });
  assert.equal(proven.headers.location, '/login?verified=true');
  const signedIn = await server.app.inject({
    method: 'POST',
    url: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: own, 'x-forwarded-for': freshAddress() },
    payload: new URLSearchParams({ step: 'password', email: ada.email, password: ada.password }).toString(),
  });
  assert.equal(signedIn.headers.location, '/');
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
  const session = (await server.app.inject({ url: '/api/v1/auth/session', headers: { cookie } })).json();
  assert.deepEqual(
    [session.principal.name, session.principal.role, session.tenant.name],
    [ada.name, 'admin', 'Engines'],
  );
});

test('names each error at its field, and keeps the input', async () => {
  for (const [change, field, said] of [
    [{ name: '  ' }, 'name', 'Enter your name'],
    [{ name: 'x'.repeat(101) }, 'name', 'Enter your name'],
    [{ email: 'nonsense' }, 'email', 'Enter an email address'],
    [{ email: 'a@b c' }, 'email', 'Enter an email address'],
    [{ tenantName: 'x'.repeat(101) }, 'tenantName', 'at most 100 characters'],
    [{ password: 'weak', repeated: 'weak' }, 'password', '8 to 128 characters'],
    [{ repeated: 'Another0001' }, 'repeated', 't match'],
  ] as const) {
    const given = { ...fresh(), ...change };
    const { statusCode, body } = await send(given);
    assert.equal(statusCode, 200, JSON.stringify(change));
    const error = new RegExp(`<p class="error" id="${field}-error">([^<]*)`).exec(body)?.[1];
    assert.ok(error?.includes(said), `${JSON.stringify(change)}: ${error}`);
    if (field !== 'name') assert.ok(body.includes('value="Ada Lovelace"'));
    assert.ok(!body.includes('Another0000'), 'a password is never sent back');
  }
  assert.deepEqual(await takeMails(server), []);
  const { body } = await send({ ...fresh(), name: '"><script>alert(1)</script>', password: 'weak' });
  assert.ok(!body.includes('<script'));
});

test('responds to a known address like to a new one', async () => {
  const ada = fresh();
  const first = await send(ada);
  const again = await send(ada);
  assert.deepEqual([again.statusCode, again.headers.location], [first.statusCode, first.headers.location]);
});

test('allows five accounts an hour per address, by page and API together, without counting mistakes', async () => {
  const from = freshAddress();
  for (let slip = 0; slip < 7; slip += 1)
    assert.equal((await send({ ...fresh(), password: 'x' }, { from })).statusCode, 200);
  for (let made = 0; made < 4; made += 1) assert.equal((await send(fresh(), { from })).statusCode, 303);
  const { repeated: _, ...body } = fresh();
  const api = () =>
    server.call('POST', '/api/v1/auth/register', { key: null, body, headers: { 'x-forwarded-for': from } });
  assert.equal((await api()).status, 201);
  assert.equal((await api()).status, 429);
  const sixth = await send(fresh(), { from });
  assert.equal(sixth.statusCode, 200);
  assert.match(sixth.body, /class="note bad" role="alert"/);
  assert.equal((await send(fresh())).statusCode, 303, 'others are not held up');
});

test("another site's form creates no account", async () => {
  assert.equal((await send(fresh(), { origin: 'https://evil.example' })).statusCode, 403);
});

test('REGISTRATION=off: no link, no form, no account', async () => {
  const closed = await startTestServer({ config: { ...trusting, REGISTRATION: false } });
  try {
    assert.doesNotMatch((await closed.app.inject({ url: '/login' })).body, /register/);
    const shown = await closed.app.inject({ url: '/register' });
    assert.match(shown.body, /by invitation only/);
    assert.doesNotMatch(shown.body, /<form/);
    assert.match((await send(fresh(), { at: closed })).body, /by invitation only/);
    assert.deepEqual(await takeMails(closed), []);
  } finally {
    await closed.close();
  }
});
