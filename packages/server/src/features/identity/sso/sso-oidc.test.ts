import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Problem } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { startOidcProvider, type TestOidcProvider, type TestPerson } from '../../../platform/test-oidc-provider.ts';
import { freshAddress } from '../accounts/test-people.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { createPerson, deactivatePerson, type NewPerson } from '../users/index.ts';
import {
  type Called,
  callbackAt,
  cookieIn,
  createSso,
  ownOrigin,
  reachingTests,
  sessionOf,
  type TestSso,
} from './test-sso.ts';

/** Single sign-on by OpenID Connect over HTTP; the peer is oidc-provider (docs/design/quality.md T12, docs/design/api-access.md 22 "SSO"). */

let nowMs = Date.now();
const clock = { now: () => nowMs };
let server: TestServer;
let provider: TestOidcProvider;
before(async () => {
  provider = await startOidcProvider({ redirectUris: [callbackAt, 'https://console.example/back'] });
  const config = { ...reachingTests, SSO_REDIRECT_ALLOWLIST: ['https://console.example'] };
  server = await startTestServer({ tenants: 26, clock, config });
});
after(async () => {
  await server?.close();
  await provider?.close();
});
const ann: TestPerson = { subject: 'subject-1', email: 'ann@good.example', emailVerified: true, name: 'Ann' };
afterEach(() => {
  provider.alter = null;
  provider.claims = null;
  provider.person = ann;
});

let used = 0;
/** A tenant with the provider, that lets strangers in. */
async function fresh(changes: object = {}): Promise<TestSso> {
  const sso = createSso(server, server.tenants[used++]!);
  await sso.configure({
    provider: 'oidc',
    enabled: true,
    oidcIssuer: provider.issuer,
    oidcClientId: provider.clientId,
    oidcClientSecret: provider.clientSecret,
    autoProvision: true,
    defaultRole: 'editor',
    ...changes,
  });
  return sso;
}

/** Begins and goes through the provider's pages. Returns what the browser brings back. */
async function walk(sso: TestSso, returnTo?: string) {
  const { url, cookie } = await sso.begin(returnTo);
  const { searchParams } = await provider.visit(url);
  return { search: searchParams, cookie };
}

async function signIn(sso: TestSso, headers: Record<string, string> = {}): Promise<Called> {
  const { search, cookie } = await walk(sso);
  return sso.back(search, cookie, headers);
}

const person = (sso: TestSso, changes: Partial<NewPerson> = {}) =>
  server.database.withTenant(sso.tenant.id, systemActor('test'), (tx) =>
    createPerson(tx, {
      email: 'ann@good.example',
      name: 'Ann of old',
      role: 'admin',
      source: 'invite',
      verified: true,
      ...changes,
    }),
  );

const usersOf = (sso: TestSso) =>
  sso.rows<{ email: string; role: string; source: string }>(
    'select email, role, source from arbiter.users where tenant_id = $1 order by id',
  );

function assertRefused(answer: Called, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], answer.text);
  assert.equal(cookieIn(answer, 'arbiter_session'), null);
}

describe('a stranger verified by the provider', () => {
  it('becomes a user with the default role, and is signed in', async () => {
    const sso = await fresh();
    const answer = await signIn(sso);
    assert.equal(answer.status, 200, answer.text);
    const { userId, ...rest } = answer.body;
    assert.deepEqual(rest, { email: 'ann@good.example', name: 'Ann', created: true, provider: 'oidc' });
    assert.deepEqual(await usersOf(sso), [{ email: 'ann@good.example', role: 'editor', source: 'sso' }]);
    const session = await sessionOf(server, answer);
    assert.deepEqual(
      [session?.principal.id, session?.principal.role, session?.tenant.id],
      [userId, 'editor', sso.tenant.id],
    );
    assert.deepEqual(await sso.audited(), [
      `update sso by ${(await sso.rows<{ id: string }>("select user_id as id from arbiter.audit_logs where tenant_id = $1 and entity_type = 'sso'"))[0]?.id}`,
      'create user by system:sso',
      'login user by system:sso',
      `login user by ${userId}`,
    ]);
    const again = await signIn(sso);
    assert.deepEqual([again.status, again.body.created, again.body.userId], [200, false, userId], again.text);
  });

  it('is redirected to the requested page in a browser', async () => {
    const sso = await fresh();
    const { search, cookie } = await walk(sso, '/offers?page=2');
    const answer = await sso.back(search, cookie, { accept: 'text/html,*/*;q=0.8' });
    assert.deepEqual([answer.status, answer.headers.location], [302, '/offers?page=2'], answer.text);
    assert.ok((await sessionOf(server, answer))?.principal.id);
    const elsewhere = await walk(sso, '//evil.example');
    const home = await sso.back(elsewhere.search, elsewhere.cookie, { accept: 'text/html' });
    assert.equal(home.headers.location, '/');
  });

  it('stays out without autoProvision, from another domain, and with an unverified or no address', async () => {
    const closed = await fresh({ autoProvision: false });
    assertRefused(await signIn(closed), 403, 'forbidden');
    const choosy = await fresh({ allowedDomains: ['good.example'] });
    for (const email of [
      'ann@evil.example',
      'x@good.example.evil.example',
      'a@evil.example@good.example',
      'ann@sub.good.example',
      'good.example',
    ]) {
      provider.person = { ...ann, email };
      assertRefused(await signIn(choosy), 403, 'forbidden');
    }
    const open = await fresh();
    provider.person = { ...ann, emailVerified: false };
    assertRefused(await signIn(open), 403, 'forbidden');
    provider.person = { subject: 'subject-1', email: 'ann@good.example' };
    assertRefused(await signIn(open), 403, 'forbidden');
    provider.person = { subject: 'subject-1' };
    assertRefused(await signIn(open), 403, 'forbidden');
    for (const sso of [closed, choosy, open]) assert.deepEqual(await usersOf(sso), []);
    provider.person = { subject: 'subject-1', email: 'Ann@GOOD.example' };
    // A provider for the tenant's own domain doesn't have to confirm its addresses.
    assert.equal((await signIn(choosy)).status, 200);
  });

  it('becomes one user, however many browsers return at once', async () => {
    const sso = await fresh();
    const walks = [];
    for (let at = 0; at < 6; at += 1) walks.push(await walk(sso));
    const answers = await Promise.all(walks.map(({ search, cookie }) => sso.back(search, cookie)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200],
      answers.map(({ text }) => text).join(),
    );
    assert.equal(answers.filter(({ body }) => body.created).length, 1);
    assert.equal((await usersOf(sso)).length, 1);
  });
});

describe('a user of the tenant', () => {
  it('is linked by a verified address, and found only by the subject afterwards', async () => {
    const sso = await fresh({ autoProvision: false });
    const { id } = await person(sso);
    const first = await signIn(sso);
    assert.deepEqual([first.status, first.body.userId, first.body.created], [200, id, false], first.text);
    provider.person = { ...ann, email: 'another@good.example' };
    const moved = await signIn(sso);
    assert.deepEqual([moved.status, moved.body.userId, moved.body.email], [200, id, 'ann@good.example'], moved.text);
    // Someone else got the address.
    provider.person = { ...ann, subject: 'subject-2' };
    assertRefused(await signIn(sso), 403, 'forbidden');
  });

  it("isn't opened by an admin's unverified address", async () => {
    const sso = await fresh();
    await person(sso);
    provider.person = { ...ann, emailVerified: false };
    assertRefused(await signIn(sso), 403, 'forbidden');
    assert.deepEqual(await sso.rows('select from arbiter.user_identities where tenant_id = $1'), []);
  });

  it("isn't linked while the address is unverified", async () => {
    const sso = await fresh();
    const { id } = await person(sso, { verified: false, source: 'registration' });
    assertRefused(await signIn(sso), 403, 'forbidden');
    assert.deepEqual(await sso.rows('select from arbiter.user_identities where tenant_id = $1'), []);
    assert.deepEqual((await sso.audited()).at(-1), 'login_failed user by system:sso');
    assert.ok(id);
  });

  it("can enter with an invitation even where others can't, and then the emailed link is void", async () => {
    const sso = await fresh({ autoProvision: false, enforceForAllUsers: true });
    const invited = await server.call<{ id: string }>('POST', '/api/v1/users', {
      key: sso.tenant.keys.admin,
      body: { email: ann.email, name: 'Ann', role: 'admin' },
    });
    assert.equal(invited.status, 201, invited.text);
    const [mail] = await takeMails(server, sso.tenant.id);
    assert.ok(mail?.kind === 'invitation');
    const accept = () =>
      server.call<Problem>('POST', '/api/v1/auth/accept-invite', {
        key: null,
        headers: { 'x-forwarded-for': freshAddress() },
        body: { token: mail.token, password: 'Passw0rd' },
      });
    assert.equal((await accept()).body.code, 'sso_required');
    provider.person = { ...ann, emailVerified: false };
    assertRefused(await signIn(sso), 403, 'forbidden');
    provider.person = ann;
    const answer = await signIn(sso);
    assert.deepEqual(
      [answer.status, answer.body.userId, answer.body.created],
      [200, invited.body.id, false],
      answer.text,
    );
    assert.equal((await sessionOf(server, answer))?.principal.role, 'admin');
    assert.equal((await accept()).body.code, 'token_invalid');
    const [row] = await sso.rows(
      'select email_verified_at is not null as verified, address_proven as proven from arbiter.users where tenant_id = $1',
    );
    assert.deepEqual(row, { verified: true, proven: false });
  });

  it('stays out when deactivated, linked or not', async () => {
    const sso = await fresh();
    const answer = await signIn(sso);
    await person(sso, { email: 'other-admin@good.example' });
    await server.database.withTenant(sso.tenant.id, systemActor('test'), (tx) =>
      deactivatePerson(tx, answer.body.userId),
    );
    assertRefused(await signIn(sso), 403, 'forbidden');
    const { id } = await person(sso, { email: 'bob@good.example' });
    await server.database.withTenant(sso.tenant.id, systemActor('test'), (tx) => deactivatePerson(tx, id));
    provider.person = { ...ann, subject: 'subject-3', email: 'bob@good.example' };
    assertRefused(await signIn(sso), 403, 'forbidden');
    assert.equal((await sso.audited()).filter((line) => line.startsWith('login_failed')).length, 2);
  });
});

describe('the state of a sign-in', () => {
  it('works once, for its tenant, in its browser, for ten minutes', async () => {
    const [sso, other] = [await fresh(), await fresh()];
    const { search, cookie } = await walk(sso);
    const changed = (state: string) => {
      const copy = new URLSearchParams(search);
      copy.set('state', state);
      return copy;
    };
    const nonce = String(search.get('state')).split(':')[1];
    assertRefused(await sso.back(changed(`${other.tenant.id}:${nonce}`), cookie), 401, 'unauthorized');
    assertRefused(await sso.back(changed(`${sso.tenant.id}:another`), cookie), 401, 'unauthorized');
    assertRefused(
      await sso.back(changed(`0199a000-0000-7000-8000-00000000dead:${nonce}`), cookie),
      401,
      'unauthorized',
    );
    assertRefused(await sso.back(changed(`nonsense:${nonce}`), cookie), 401, 'unauthorized');
    assertRefused(await sso.back(changed(`${sso.tenant.id.toUpperCase()}:${nonce}`), cookie), 401, 'unauthorized');
    assert.equal((await sso.back(search, cookie)).status, 200);
    assertRefused(await sso.back(search, cookie), 401, 'unauthorized');
    for (const wrong of [null, 'arbiter_sso=', `arbiter_sso=${'x'.repeat(43)}`]) {
      const begun = await walk(sso);
      assertRefused(await sso.back(begun.search, wrong), 401, 'unauthorized');
    }
    const late = await walk(sso);
    nowMs += 600_000;
    assertRefused(await sso.back(late.search, late.cookie), 401, 'unauthorized');
    nowMs -= 1;
    const early = await walk(sso);
    nowMs += 599_999;
    assert.equal((await sso.back(early.search, early.cookie)).status, 200);
    nowMs = Date.now();
  });

  it('works for one of many parallel uses', async () => {
    const sso = await fresh();
    const { search, cookie } = await walk(sso);
    const answers = await Promise.all(Array.from({ length: 8 }, () => sso.back(search, cookie)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 401).length, 7);
  });

  it('serves two pages of one browser', async () => {
    const sso = await fresh();
    const first = await sso.begin();
    const second = await sso.begin(undefined, first.cookie);
    assert.equal(second.cookie, first.cookie);
    for (const { url } of [second, first]) {
      const { searchParams } = await provider.visit(url);
      assert.equal((await sso.back(searchParams, first.cookie)).status, 200);
    }
  });

  it('redirects a browser to the login page after any error', async () => {
    const sso = await fresh();
    const page = { accept: 'text/html' };
    for (const search of [
      '',
      'code=x',
      `code=x&state=${sso.tenant.id}:x`,
      'error=access_denied&state=x',
      'state=1&state=2',
    ]) {
      const answer = await sso.back(search, null, page);
      assert.deepEqual([answer.status, answer.headers.location, answer.text], [302, '/login?error=sso', ''], search);
    }
    assert.equal((await sso.back('state=x', null)).status, 400);
    assert.equal((await sso.back('code=x', null)).status, 400);
    assert.equal((await sso.back(`code=&state=${sso.tenant.id}:x`, null)).status, 400);
  });
});

describe('an answer of the provider', () => {
  it('that is false is 401, and creates no user', async () => {
    const sso = await fresh();
    const lies: readonly ((claims: Record<string, unknown>) => Record<string, unknown>)[] = [
      (claims) => ({ ...claims, iss: 'https://other.example' }),
      (claims) => ({ ...claims, aud: 'another client' }),
      (claims) => ({ ...claims, aud: ['arbiter', 'other'], azp: 'other' }),
      (claims) => ({ ...claims, nonce: 'another' }),
      (claims) => ({ ...claims, exp: 1 }),
    ];
    for (const lie of lies) {
      provider.claims = lie;
      assertRefused(await signIn(sso), 401, 'unauthorized');
    }
    provider.claims = null;
    const { search, cookie } = await walk(sso);
    search.set('iss', 'https://other.example');
    assertRefused(await sso.back(search, cookie), 401, 'unauthorized');
    const denied = await walk(sso);
    denied.search.delete('code');
    denied.search.set('error', 'access_denied');
    const answer = await sso.back(denied.search, denied.cookie);
    assertRefused(answer, 401, 'unauthorized');
    assert.deepEqual(await usersOf(sso), []);
  });

  it('is accepted after its keys were rotated', async () => {
    const sso = await fresh();
    const { search, cookie } = await walk(sso);
    await provider.rotateKeys();
    assert.equal((await sso.back(search, cookie)).status, 200);
  });

  it("that doesn't arrive, or a key set that is too large, is 502 without details", async () => {
    const sso = await fresh();
    provider.alter = (path) => (path === '/jwks' ? { body: `{"keys":[]}${' '.repeat(10 * 1_048_576)}` } : undefined);
    assertRefused(await signIn(sso), 502, 'upstream_failed');
    provider.alter = (path) => (path === '/token' ? { status: 500, body: 'a banner of the provider' } : undefined);
    const answer = await signIn(sso);
    assertRefused(answer, 502, 'upstream_failed');
    assert.doesNotMatch(answer.text, /banner/);
    await sso.configure({ oidcIssuer: 'http://127.0.0.1:65535', oidcClientSecret: 'x' });
    const down = await sso.browse(`/api/v1/sso/login?tenantId=${sso.tenant.id}`);
    assert.deepEqual([down.status, down.body.code], [502, 'upstream_failed'], down.text);
  });
});

describe('get_auth_url', () => {
  const ask = (sso: TestSso, body: object = {}) =>
    sso.act({ action: 'get_auth_url', state: 'my-nonce', redirectUri: 'https://console.example/back', ...body });

  it('for a program binds no browser and opens no session', async () => {
    const sso = await fresh();
    const answer = await ask(sso, { state: `${sso.tenant.id}:my-nonce` });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(cookieIn(answer, 'arbiter_sso'), null);
    const url = new URL(answer.body.authUrl);
    assert.equal(url.searchParams.get('state'), `${sso.tenant.id}:my-nonce`);
    const back = await provider.visit(answer.body.authUrl);
    assert.equal(back.origin + back.pathname, 'https://console.example/back');
    const finished = await sso.back(back.searchParams, null);
    assert.deepEqual(
      [finished.status, finished.body.created, cookieIn(finished, 'arbiter_session')],
      [200, true, null],
    );
    const used = await ask(sso, { state: 'twice' });
    assert.equal(used.status, 200);
    assert.equal((await ask(sso, { state: 'twice' })).status, 400);
  });

  it('for a session is bound to its browser, whose session is still renewed', async () => {
    const sso = await fresh({ defaultRole: 'admin' });
    const entered = await signIn(sso);
    const session = `arbiter_session=${cookieIn(entered, 'arbiter_session')}`;
    nowMs += 301_000;
    const answer = await server.call<{ authUrl: string }>('POST', '/api/v1/sso', {
      key: null,
      headers: { cookie: session },
      body: { action: 'get_auth_url', state: 'mine', redirectUri: callbackAt },
    });
    assert.equal(answer.status, 200, answer.text);
    const browser = cookieIn(answer, 'arbiter_sso');
    assert.ok(browser);
    assert.notEqual(cookieIn(answer, 'arbiter_session') ?? session, session);
    assert.ok(cookieIn(answer, 'arbiter_session'));
    const { searchParams } = await provider.visit(answer.body.authUrl);
    assertRefused(await sso.back(searchParams, null), 401, 'unauthorized');
    const again = await server.call<{ authUrl: string }>('POST', '/api/v1/sso', {
      key: null,
      headers: { cookie: `${session}; arbiter_sso=${browser}` },
      body: { action: 'get_auth_url', state: 'again', redirectUri: callbackAt },
    });
    const second = await provider.visit(again.body.authUrl);
    assert.equal((await sso.back(second.searchParams, `arbiter_sso=${browser}`)).status, 200);
    nowMs = Date.now();
  });

  it('rejects other addresses than ours, and missing values', async () => {
    const sso = await fresh();
    assert.equal((await ask(sso, { redirectUri: callbackAt })).status, 200);
    const foreign = [
      'https://evil.example/',
      'https://console.example.evil.example/',
      'https://console.example:8443/',
      'http://console.example/',
    ];
    const odd = [
      `${ownOrigin}/x?y=1`,
      `${ownOrigin}/#x`,
      'javascript:alert(1)',
      '/relative',
      `http://u:p@localhost:3000/`,
    ];
    for (const redirectUri of [...foreign, ...odd]) {
      const answer = await ask(sso, { redirectUri, state: `nonce-of-${redirectUri.length}` });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, '/redirectUri'], redirectUri);
    }
    assert.equal((await ask(sso, { redirectUri: undefined })).status, 400);
    assert.equal((await ask(sso, { state: undefined })).status, 400);
    const off = createSso(server, server.tenants[used++]!);
    assert.equal((await ask(off)).status, 400);
  });
});

describe('a tenant without single sign-on', () => {
  it("can't start, and accepts no response", async () => {
    const sso = await fresh({ enabled: false });
    const nowhere = [sso.tenant.id, '0199a000-0000-7000-8000-00000000dead', 'nonsense', sso.tenant.id.toUpperCase()];
    for (const tenantId of nowhere) {
      const answer = await sso.browse(`/api/v1/sso/login?tenantId=${tenantId}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], tenantId);
    }
    assert.equal((await sso.back(`code=x&state=${sso.tenant.id}:x`, null)).status, 400);
    const saml = await fresh();
    assert.equal((await saml.post({ SAMLResponse: 'PGEvPg==', RelayState: saml.tenant.id })).status, 400);
  });
});

describe('the limits', () => {
  it('are 30 a minute per address, for both callbacks together', async () => {
    const sso = await fresh();
    const from = { 'x-forwarded-for': '198.51.100.7' };
    for (let calls = 0; calls < 15; calls += 1) {
      assert.equal((await sso.back('code=x&state=x', null, from)).status, 401);
      assert.equal((await sso.post({ SAMLResponse: 'x', RelayState: 'x' }, from)).status, 401);
    }
    assertRefused(await sso.back('code=x&state=x', null, from), 429, 'rate_limited');
    assertRefused(await sso.post({ SAMLResponse: 'x', RelayState: 'x' }, from), 429, 'rate_limited');
  });
});
