import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OAuthClientCreated } from '@arbiter/contract';
import { SignJWT } from 'jose';
import { systemActor } from '../../../db/index.ts';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../main/test-server.ts';
import { deriveKey, keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import type { LinkPurpose } from '../sessions/index.ts';
import { cookieOf, createPeople, freshAddress, type Person, trusting } from './test-people.ts';

/** Sessions as credentials (docs/design/api-access.md 4.2 and 22; docs/design/quality.md T5, T7, T11, T32). */

const start = Date.parse('2026-11-20T09:00:00Z');
const secret = 'a session secret of the tests';
let nowMs = start;
const clock = { now: () => nowMs };
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({
    tenants: 2,
    clock,
    // One secret for both, as when JWT_SIGNING_SECRET isn't set.
    config: {
      ...trusting,
      JWT_SIGNING_SECRET: null,
      NEXTAUTH_SECRET: secret,
      CORS_ALLOWED_ORIGINS: ['https://own.test'],
    },
  });
  people = createPeople(server);
});
after(() => server?.close());

/** Another server over the same database, which stays when this one closes. */
const startNode = (options: Parameters<typeof startServerOn>[1]) =>
  startServerOn({ ...server.testDatabase, close: async () => undefined }, options);

const tenant = () => server.tenants[0];
const minutes = (count: number) => {
  nowMs += count * 60_000;
};
const tokenOf = (cookie: string): string => cookie.slice('arbiter_session='.length);
const get = (cookie: string, headers = {}) => people.open('GET', '/api/v1/categories', { cookie, headers });

test("every response renews the cookie once it's five minutes old; it ends after twelve hours", async () => {
  const ada = await people.person(tenant());
  let cookie = await people.signIn(ada);
  minutes(4.9);
  assert.equal((await get(cookie)).headers['set-cookie'], undefined);
  minutes(0.2);
  const answer = await get(cookie);
  assert.equal(answer.status, 200);
  const first = cookie;
  cookie = cookieOf(answer);
  assert.notEqual(cookie, first);
  assert.match(
    String((await people.open('GET', '/api/v1/auth/session', { cookie: first })).headers['set-cookie']),
    /Max-Age=1800/,
  );
  assert.match(String((await people.open('POST', '/api/v1/categories', { cookie, body: {} })).text), /name/);
  minutes(25);
  assert.equal((await get(first)).status, 401, 'thirty minutes after it was signed');
  cookie = cookieOf(await get(cookie));
  const end = start + 12 * 3_600_000;
  while (nowMs + 20 * 60_000 < end) {
    minutes(20);
    const renewed = await get(cookie);
    assert.equal(renewed.status, 200, new Date(nowMs).toISOString());
    cookie = cookieOf(renewed);
  }
  nowMs = end - 1_000;
  const last = await get(cookie);
  assert.match(String(last.headers['set-cookie']), /Max-Age=1;/);
  nowMs = end;
  for (const each of [cookie, cookieOf(last)]) assert.equal((await get(each)).status, 401);
  nowMs = start;
});

describe('T7: a token for one purpose is invalid for another', () => {
  let ada: Person;
  let session: string;
  let access: string;
  const links: Partial<Record<LinkPurpose, string>> = {};
  before(async () => {
    ada = await people.person(tenant(), { role: 'admin' });
    session = tokenOf(await people.signIn(ada));
    const { admin: key } = tenant().keys;
    const client = await server.call<OAuthClientCreated>('POST', '/api/v1/oauth/clients', {
      key,
      body: { scopes: ['read', 'write', 'admin'] },
    });
    const issued = await server.call<{ access_token: string }>('POST', '/api/v1/oauth/token', {
      key: null,
      body: {
        grant_type: 'client_credentials',
        client_id: client.body.clientId,
        client_secret: client.body.clientSecret,
      },
    });
    access = issued.body.access_token;
    await server.database.withTenant(tenant().id, systemActor('test'), async (tx) => {
      const given = { name: 'Ada', tenantName: null, passwordHash: await server.passwords.hash('Passw0rd') };
      for (const purpose of ['verification', 'reset', 'invitation', 'sign_in'] as const) {
        const link = { userId: ada.id, purpose, ...(purpose === 'verification' ? { given } : {}) };
        links[purpose] = (await server.links.issue(tx, link)).token;
      }
    });
  });

  test('only an access token works as a bearer', async () => {
    const bearer = (token: string) =>
      server.call('GET', '/api/v1/categories', { key: null, headers: { authorization: `Bearer ${token}` } });
    assert.equal((await bearer(access)).status, 200);
    for (const token of [session, ...Object.values(links)]) assert.equal((await bearer(token)).status, 401);
    for (const token of [session, access, ...Object.values(links)]) {
      const answer = await server.call('GET', '/api/v1/categories', { key: null, headers: { 'x-api-key': token } });
      assert.equal(answer.status, 401);
    }
  });

  test('only a session works as a cookie', async () => {
    assert.equal((await get(`arbiter_session=${session}`)).status, 200);
    for (const token of [access, tenant().keys.admin, ...Object.values(links)]) {
      assert.equal((await get(`arbiter_session=${token}`)).status, 401);
    }
  });

  test('a link works for its own purpose only', async () => {
    const others = (purpose: LinkPurpose) => [
      session,
      access,
      ...Object.entries(links).flatMap(([name, token]) => (name === purpose ? [] : [token])),
    ];
    for (const token of others('verification')) {
      const { headers } = await people.open('GET', `/api/v1/auth/verify?token=${token}`);
      assert.equal(headers.location, '/login?error=invalid-token');
    }
    for (const token of others('sign_in')) {
      const { headers } = await people.open('GET', `/first-run?token=${token}`);
      assert.deepEqual([headers.location, headers['set-cookie']], ['/login?error=expired-link', undefined]);
    }
    for (const [path, purpose] of [
      ['reset-password', 'reset'],
      ['accept-invite', 'invitation'],
    ] as const) {
      for (const token of others(purpose)) {
        const answer = await people.open('POST', `/api/v1/auth/${path}`, { body: { token, password: 'Another 1' } });
        assert.ok([400].includes(answer.status), `${path}: ${answer.text}`);
      }
    }
    assert.equal((await people.login(ada)).status, 200, 'the password is as it was');
  });

  test("rejects a token that wasn't issued here, whoever signed it", async () => {
    const key = deriveKey(keyOf(secret)!, 'session');
    const now = Math.floor(nowMs / 1000);
    const [, middle = ''] = session.split('.');
    const claims: Record<string, unknown> = JSON.parse(Buffer.from(middle, 'base64url').toString());
    const sign = (changes: Record<string, unknown>, header = {}, by = key) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', ...header })
        .sign(by);
    assert.equal((await get(`arbiter_session=${await sign({})}`)).status, 200, 'the test signs as the server does');
    const [head = '', body = '', signature = ''] = session.split('.');
    const none = Buffer.from('{"alg":"none","typ":"session+jwt"}').toString('base64url');
    for (const [what, token] of [
      ['the secret itself as key', await sign({}, {}, keyOf(secret)!)],
      ['key of access tokens', await sign({}, {}, deriveKey(keyOf(secret)!, 'access'))],
      ['another type', await sign({}, { typ: 'at+jwt' })],
      ['another issuer', await sign({ iss: 'other' })],
      ['no end', await sign({ exp: undefined })],
      ['an end that is no integer', await sign({ exp: now + 0.5 })],
      ['an end far away', await sign({ iat: now - 3_600, exp: now + 86_400 })],
      ['made in the future', await sign({ iat: now + 600 })],
      ['no session', await sign({ sid: undefined })],
      ['another session', await sign({ sid: newId() })],
      ['another person', await sign({ sub: newId() })],
      ['another tenant', await sign({ tid: server.tenants[1]!.id })],
      ['a session that is no id', await sign({ sid: "' or 1=1" })],
      ['no algorithm', `${none}.${body}.`],
      ['no algorithm, with a signature', `${none}.${body}.${signature}`],
      ['no signature', `${head}.${body}.`],
      ['a changed signature', `${head}.${body}.${signature.slice(0, -2)}AA`],
    ]) {
      assert.equal((await get(`arbiter_session=${token}`)).status, 401, what);
    }
  });
});

test('T5: without NEXTAUTH_SECRET, rejects sign-ins and sessions, and creates no links', async () => {
  const ada = await people.person(tenant());
  const cookie = await people.signIn(ada);
  for (const NEXTAUTH_SECRET of [null, '', ' ']) {
    const node = startNode({ clock, config: { ...trusting, NEXTAUTH_SECRET, JWT_SIGNING_SECRET: secret } });
    try {
      const other = createPeople({ ...server, ...node });
      const refused = await other.open('GET', '/api/v1/categories', { cookie });
      assert.deepEqual([refused.status, refused.body.code], [401, 'unauthorized']);
      assert.match(refused.body.detail ?? '', /NEXTAUTH_SECRET/);
      assert.deepEqual(await other.session(cookie), { authenticated: false });
      for (const forged of [
        'arbiter_session=',
        'arbiter_session= ',
        'arbiter_session=null',
        'arbiter_session=undefined',
      ]) {
        assert.equal((await other.open('GET', '/api/v1/categories', { cookie: forged })).status, 401);
      }
      for (const [path, body] of [
        ['login', ada],
        ['register', { name: 'N', email: 'new@example.test', password: 'Passw0rd' }],
        ['forgot-password', { email: ada.email }],
        ['resend-verification', { email: ada.email }],
        ['accept-invite', { token: 'x'.repeat(43), password: 'Passw0rd' }],
      ] as const) {
        const answer = await other.open('POST', `/api/v1/auth/${path}`, {
          body: 'id' in body ? { email: body.email, password: body.password } : body,
        });
        assert.deepEqual([answer.status, answer.body.code], [503, 'not_configured'], path);
        assert.match(answer.body.detail ?? '', /NEXTAUTH_SECRET/);
      }
      const reset = { token: 'x'.repeat(43), password: 'Passw0rd' };
      assert.equal((await other.open('POST', '/api/v1/auth/reset-password', { body: reset })).status, 400);
      const { headers } = await other.open('GET', `/first-run?token=${'x'.repeat(43)}`);
      assert.equal(headers.location, '/login?error=expired-link');
      assert.equal((await other.open('POST', '/api/v1/auth/logout', { cookie })).status, 204);
    } finally {
      await node.close();
    }
  }
  assert.equal((await get(cookie)).status, 200, 'nobody was signed out by that');
});

test('T32: a session acts from its own pages, with X-Requested-With; a cookie next to a key is ignored', async () => {
  const ada = await people.person(tenant(), { role: 'admin' });
  const cookie = await people.signIn(ada);
  const post = (headers: Record<string, string>) =>
    people.open('POST', '/api/v1/categories', { cookie, body: { name: `C ${newId()}` }, headers });
  for (const headers of [
    {},
    { origin: 'http://localhost:3000' },
    { origin: 'https://own.test' },
    { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' },
  ]) {
    assert.equal((await post(headers)).status, 201, JSON.stringify(headers));
  }
  const before = await server.testDatabase.ownerQuery('select count(*) from arbiter.categories');
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: 'http://localhost:3001' },
    { origin: 'http://localhost:3000.evil.test' },
    { 'x-requested-with': '' },
    { 'x-requested-with': ' ', origin: 'http://localhost:3000' },
  ]) {
    const answer = await post(headers);
    assert.deepEqual([answer.status, answer.body.code], [403, 'csrf_header_required'], JSON.stringify(headers));
  }
  assert.deepEqual(await server.testDatabase.ownerQuery('select count(*) from arbiter.categories'), before);
  const out = await people.open('POST', '/api/v1/auth/logout', { cookie, headers: { origin: 'https://evil.test' } });
  assert.deepEqual([out.status, out.body.code], [403, 'csrf_header_required']);
  const viewer = await server.call('POST', '/api/v1/categories', {
    key: tenant().keys.viewer,
    body: { name: 'x' },
    headers: { cookie },
  });
  assert.equal(viewer.status, 403, 'the key counts');
});

test("audits a user's actions by name; X-User-Role lowers; a member only reads", async () => {
  const ada = await people.person(tenant(), { role: 'admin' });
  const cookie = await people.signIn(ada);
  const made = await people.open<{ id: string }>('POST', '/api/v1/categories', {
    cookie,
    body: { name: `C ${newId()}` },
  });
  const [row] = await server.testDatabase.ownerQuery<{ user_id: string; user_name: string }>(
    'select user_id, user_name from arbiter.audit_logs where entity_id = $1',
    [made.body.id],
  );
  assert.deepEqual(row, { user_id: ada.id, user_name: `Name of ${ada.email}` });
  const lowered = { cookie, body: { name: 'x' }, headers: { 'x-user-role': 'viewer' } };
  assert.equal((await people.open('POST', '/api/v1/categories', lowered)).status, 403);
  const mallory = await people.person(tenant(), { role: 'member' });
  const member = await people.signIn(mallory);
  assert.equal((await get(member)).status, 200);
  const raised = { cookie: member, body: { name: 'x' }, headers: { 'x-user-role': 'admin' } };
  assert.equal((await people.open('POST', '/api/v1/categories', raised)).status, 403);
});

test('X-Tenant-Id must match the session, which belongs to one tenant', async () => {
  const cookie = await people.signIn(await people.person(tenant()));
  assert.equal((await get(cookie, { 'x-tenant-id': tenant().id })).status, 200);
  assert.equal((await get(cookie, { 'x-tenant-id': server.tenants[1]!.id })).body.code, 'tenant_mismatch');
});

test('with https in NEXTAUTH_URL the cookie requires TLS, and its path prefixes every redirect', async () => {
  const node = startNode({
    clock,
    publicUrl: 'https://example.test/arbiter/',
    config: { ...trusting, NEXTAUTH_SECRET: secret },
  });
  try {
    const other = createPeople({ ...server, ...node });
    const signedIn = await other.login(await people.person(tenant()));
    assert.match(String(signedIn.headers['set-cookie']), /; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    const { headers } = await other.open('GET', '/api/v1/auth/verify?token=x');
    assert.equal(headers.location, '/arbiter/login?error=invalid-token');
  } finally {
    await node.close();
  }
});

describe('on another node', () => {
  let node: TestNode;
  let there: ReturnType<typeof createPeople>;
  before(() => {
    node = startNode({ clock, config: { ...trusting, JWT_SIGNING_SECRET: null, NEXTAUTH_SECRET: secret } });
    there = createPeople({ ...server, ...node });
  });
  after(() => node?.close());

  /** test/faults/two-nodes.test.ts measures that it arrives within a second. */
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const change = (method: string, path: string, body?: object) =>
    server.call(method, `/api/v1/users${path}`, { key: tenant().keys.admin, ...(body === undefined ? {} : { body }) });
  const known = async (cookie: string) => {
    // Both nodes have it in memory.
    for (const each of [people, there]) assert.equal((await each.session(cookie)).authenticated, true);
  };

  test('signing out, deactivation and a new password end it', async () => {
    const ada = await people.person(tenant());
    for (const end of [
      (cookie: string) => people.open('POST', '/api/v1/auth/logout', { cookie }),
      async () => {
        await people.open('POST', '/api/v1/auth/forgot-password', { body: { email: ada.email } });
        const [mail] = await takeMails(server);
        assert.ok(mail?.kind === 'reset');
        return people.open('POST', '/api/v1/auth/reset-password', {
          body: { token: mail.token, password: ada.password },
        });
      },
      () => change('DELETE', `/${ada.id}`),
    ]) {
      const cookie = await people.signIn(ada);
      await known(cookie);
      const { status } = await end(cookie);
      assert.ok(status < 300);
      await until(async () => !(await there.session(cookie)).authenticated);
      assert.equal((await there.open('GET', '/api/v1/categories', { cookie })).status, 401);
    }
    assert.equal((await people.login(ada)).status, 401);
    assert.equal((await change('POST', `/${ada.id}/reactivate`)).status, 200);
    assert.equal((await people.login(ada)).status, 200, 'back with the same password');
  });

  test('an ended session stays ended when the person comes back', async () => {
    const ben = await people.person(tenant());
    const cookie = await people.signIn(ben);
    await change('DELETE', `/${ben.id}`);
    await change('POST', `/${ben.id}/reactivate`);
    assert.equal((await there.open('GET', '/api/v1/categories', { cookie })).status, 401);
  });

  test('another role lowers or raises the session, and keeps it', async () => {
    const cleo = await people.person(tenant(), { role: 'admin' });
    const cookie = await people.signIn(cleo);
    await known(cookie);
    const roleThere = async () => (await there.session(cookie)).principal?.role;
    assert.equal((await change('PUT', `/${cleo.id}`, { role: 'viewer' })).status, 200);
    await until(async () => (await roleThere()) === 'viewer');
    const post = () => there.open('POST', '/api/v1/categories', { cookie, body: { name: `C ${newId()}` } });
    assert.equal((await post()).status, 403);
    assert.equal((await change('PUT', `/${cleo.id}`, { role: 'editor' })).status, 200);
    await until(async () => (await roleThere()) === 'editor');
    assert.equal((await post()).status, 201);
  });

  test("wrong passwords don't clear the session caches of the nodes", async () => {
    const dora = await people.person(tenant());
    const cookie = await people.signIn(dora);
    await until(
      async () =>
        !(server.sessions.authenticate({ kind: 'session', value: tokenOf(cookie) }) instanceof Promise) ||
        (await get(cookie)).status !== 200,
    );
    for (let count = 1; count <= 5; count += 1) await people.login({ ...dora, password: 'Wrong0000' });
    // Notifications arrive in order, so an earlier one would have arrived before this one.
    let told = 0;
    const stop = server.database.listen('arbiter_stream', () => {
      told += 1;
    });
    await server.database.listening();
    await server.testDatabase.ownerQuery(`select pg_notify('arbiter_stream', 'x')`);
    await until(async () => told > 0);
    stop();
    assert.ok(!(server.sessions.authenticate({ kind: 'session', value: tokenOf(cookie) }) instanceof Promise));
  });
});

test('allows twenty sign-ins a minute per address', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const tryOnce = () =>
    people.open('POST', '/api/v1/auth/login', { body: { email: 'x@example.test', password: 'Passw0rd' }, headers });
  for (let count = 1; count <= 20; count += 1) assert.equal((await tryOnce()).status, 401);
  assert.equal((await tryOnce()).status, 429);
});

test('allows twenty sign-ins a minute per IPv6 network, whichever address calls', async () => {
  const tryFrom = (address: string) =>
    people.open('POST', '/api/v1/auth/login', {
      body: { email: 'x@example.test', password: 'Passw0rd' },
      headers: { 'x-forwarded-for': address },
    });
  for (let count = 1; count <= 20; count += 1) assert.equal((await tryFrom(`2001:db8:0:7::${count}`)).status, 401);
  assert.equal((await tryFrom('2001:db8:0:7:ffff::1')).status, 429);
  assert.equal((await tryFrom('2001:db8:0:8::1')).status, 401);
});
