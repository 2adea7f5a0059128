import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { startOidcProvider, type TestOidcProvider } from '../../../platform/test-oidc-provider.ts';
import { createPeople, freshAddress, trusting } from '../accounts/test-people.ts';
import { cookieIn, createSso, ownOrigin, sessionOf } from '../sso/test-sso.ts';
import { createPerson, deactivatePerson, type NewPerson } from '../users/index.ts';

/** Sign-in with Google, played by oidc-provider on this machine (docs/design/api-access.md 4.2 and 22). */

let provider: TestOidcProvider;
let server: TestServer;
let closed: TestServer;
let without: TestServer;
before(async () => {
  provider = await startOidcProvider({
    redirectUris: [`${ownOrigin}/api/auth/callback/google`],
    claimsInIdToken: true,
  });
  // No rule for tenants' addresses allows it: Google's address belongs to the operator.
  const config = {
    ...trusting,
    GOOGLE_CLIENT_ID: provider.clientId,
    GOOGLE_CLIENT_SECRET: provider.clientSecret,
    GOOGLE_ISSUER_URL: provider.issuer,
  };
  server = await startTestServer({ tenants: 12, config });
  closed = await startTestServer({ config: { ...config, REGISTRATION: false } });
  without = await startTestServer({ config: trusting });
});
after(async () => {
  await server?.close();
  await closed?.close();
  await without?.close();
  await provider?.close();
});

let counter = 0;
let email = '';
beforeEach(() => {
  counter += 1;
  email = `ann-${counter}@gmail.example`;
  provider.person = { subject: `google-${counter}`, email, emailVerified: true, name: 'Ann' };
});
afterEach(() => {
  provider.claims = null;
  provider.alter = null;
});

type Answer = CallResult<{ code: string }>;

const get = (path: string, cookie: string | null = null, on: TestServer = server): Promise<Answer> =>
  on.call('GET', path, {
    key: null,
    headers: { 'x-forwarded-for': freshAddress(), ...(cookie === null ? {} : { cookie }) },
  });

/** Starts, and goes through Google's pages. Returns what the browser brings back. */
async function walk(returnTo = '/', on: TestServer = server) {
  const begun = await get(`/api/auth/signin/google?${new URLSearchParams({ returnTo })}`, null, on);
  assert.equal(begun.status, 302, begun.text);
  const cookie = `arbiter_google=${cookieIn(begun, 'arbiter_google')}`;
  const back = await provider.visit(String(begun.headers.location));
  assert.equal(back.origin + back.pathname, `${ownOrigin}/api/auth/callback/google`);
  return { search: back.searchParams, cookie };
}

async function signIn(returnTo?: string, on: TestServer = server): Promise<Answer> {
  const { search, cookie } = await walk(returnTo, on);
  return get(`/api/auth/callback/google?${search}`, cookie, on);
}

function assertSentTo(answer: Answer, location: string): void {
  assert.deepEqual([answer.status, answer.headers.location], [302, location], answer.text);
  if (location.startsWith('/login')) assert.equal(cookieIn(answer, 'arbiter_session'), null);
}

let used = 0;
const freshTenant = () => server.tenants[used++]!;
const person = (tenantId: string, changes: Partial<NewPerson> = {}) =>
  server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    createPerson(tx, { email, name: 'Ann of old', role: 'editor', source: 'invite', verified: true, ...changes }),
  );

describe('a stranger', () => {
  it('gets a new tenant as its verified admin, and a welcome', async () => {
    const answer = await signIn('/start?x=1');
    assertSentTo(answer, '/start?x=1');
    const session = await sessionOf(server, answer);
    assert.deepEqual([session?.principal.email, session?.principal.role], [email, 'admin']);
    const tenantId = String(session?.tenant.id);
    assert.equal(
      server.tenants.some(({ id }) => id === tenantId),
      false,
    );
    const [user] = await server.testDatabase.ownerQuery<object>(
      `select source, email_verified_at is not null as verified, address_proven as proven from arbiter.users where tenant_id = $1`,
      [tenantId],
    );
    assert.deepEqual(user, { source: 'google', verified: true, proven: true });
    const mails = await server.testDatabase.ownerQuery<{ kind: string }>(
      'select kind from arbiter.mails where tenant_id = $1',
      [tenantId],
    );
    assert.deepEqual(mails, [{ kind: 'welcome' }]);
    const again = await sessionOf(server, await signIn());
    assert.deepEqual([again?.tenant.id, again?.principal.id], [tenantId, session?.principal.id]);
  });

  it('is sent away when registration is closed', async () => {
    assertSentTo(await signIn('/', closed), '/login?error=registration-disabled');
  });

  it("is sent away when Google doesn't verify the address", async () => {
    for (const changes of [{ emailVerified: false }, { emailVerified: undefined }, { email: undefined }]) {
      const { emailVerified, email: address } = { emailVerified: true, email, ...changes };
      provider.person = {
        subject: `google-${counter}`,
        ...(address === undefined ? {} : { email: address }),
        ...(emailVerified === undefined ? {} : { emailVerified }),
      };
      assertSentTo(await signIn(), '/login?error=google');
    }
  });
});

describe('a member', () => {
  it('is linked by the verified address, and found by the subject afterwards', async () => {
    const tenant = freshTenant();
    const { id } = await person(tenant.id);
    const session = await sessionOf(server, await signIn());
    assert.deepEqual([session?.tenant.id, session?.principal.id], [tenant.id, id]);
    provider.person = { ...provider.person, email: 'moved@gmail.example' };
    assert.equal((await sessionOf(server, await signIn()))?.principal.id, id);
    provider.person = { subject: 'somebody else', email, emailVerified: true };
    assertSentTo(await signIn(), '/login?error=google');
  });

  it('is never linked while the address is unverified: the owner gets a new tenant', async () => {
    const tenant = freshTenant();
    await person(tenant.id, { verified: false, source: 'registration', role: 'admin' });
    const session = await sessionOf(server, await signIn());
    assert.notEqual(session?.tenant.id, tenant.id);
    assert.equal(session?.principal.role, 'admin');
    const linked = await server.testDatabase.ownerQuery('select from arbiter.user_identities where tenant_id = $1', [
      tenant.id,
    ]);
    assert.deepEqual(linked, []);
  });

  it('of several tenants enters the last one used, and can switch to other verified ones', async () => {
    const people = createPeople(server);
    const [first, second, hostile] = [freshTenant(), freshTenant(), freshTenant()];
    const proven = { addressProven: true };
    const [one, two] = [await person(first.id, proven), await person(second.id, proven)];
    // A tenant's directory calls the address verified and claims that its user was there last.
    const third = await person(hostile.id, { source: 'scim' });
    const noteLogin = (tenantId: string, id: string, at: string) =>
      server.testDatabase.ownerQuery('update arbiter.users set last_login_at = $3 where tenant_id = $1 and id = $2', [
        tenantId,
        id,
        at,
      ]);
    await noteLogin(first.id, one.id, '2026-01-01T00:00:00Z');
    await noteLogin(second.id, two.id, '2026-01-02T00:00:00Z');
    await noteLogin(hostile.id, third.id, '2026-01-03T00:00:00Z');
    const answer = await signIn();
    assert.equal((await sessionOf(server, answer))?.tenant.id, second.id);
    const cookie = `arbiter_session=${cookieIn(answer, 'arbiter_session')}`;
    const to = (tenantId: string) =>
      people.open<{ tenant: { id: string } }>('POST', '/api/v1/auth/switch-tenant', {
        cookie,
        body: { tenantId },
        headers: { 'x-requested-with': 'test' },
      });
    const switched = await to(first.id);
    assert.deepEqual([switched.status, switched.body.tenant?.id], [200, first.id], switched.text);
    assert.notEqual((await to(hostile.id)).status, 200);
  });

  it('stays out when deactivated, or when the tenant requires single sign-on', async () => {
    const tenant = freshTenant();
    const { id } = await person(tenant.id);
    const answer = await signIn();
    assert.equal((await sessionOf(server, answer))?.principal.id, id);
    await server.database.withTenant(tenant.id, systemActor('test'), (tx) => deactivatePerson(tx, id));
    assertSentTo(await signIn(), '/login?error=google');

    const strict = freshTenant();
    const sso = createSso(server, strict);
    await sso.configure({
      provider: 'oidc',
      enabled: true,
      oidcIssuer: 'https://idp.example',
      oidcClientId: 'x',
      oidcClientSecret: 'y',
      enforceForAllUsers: true,
    });
    email = `bob-${counter}@gmail.example`;
    provider.person = { subject: `bob-${counter}`, email, emailVerified: true };
    await person(strict.id);
    assertSentTo(await signIn(), '/login?error=sso-required');
    const linked = await server.testDatabase.ownerQuery('select from arbiter.user_identities where tenant_id = $1', [
      strict.id,
    ]);
    assert.deepEqual(linked, []);
  });
});

describe('the callback', () => {
  it('belongs to the browser that started, once', async () => {
    const { search, cookie } = await walk();
    const other = await walk();
    for (const wrong of [
      null,
      'arbiter_google=',
      'arbiter_google=x.y.z',
      other.cookie,
      `${cookie.slice(0, -12)}${cookie.at(-12) === 'A' ? 'B' : 'A'}${cookie.slice(-11)}`,
    ]) {
      const answer = await get(`/api/auth/callback/google?${search}`, wrong);
      assertSentTo(answer, '/login?error=google');
    }
    assertSentTo(await get(`/api/auth/callback/google?${search}`, cookie), '/');
    assertSentTo(await get(`/api/auth/callback/google?${search}`, cookie), '/login?error=google');
  });

  it("is rejected if it's false, missing or reports an error", async () => {
    provider.claims = (claims) => ({ ...claims, aud: 'another client' });
    assertSentTo(await signIn(), '/login?error=google');
    provider.claims = (claims) => ({ ...claims, nonce: 'another' });
    assertSentTo(await signIn(), '/login?error=google');
    provider.claims = null;
    const { cookie } = await walk();
    for (const search of ['', 'error=access_denied', 'code=x', 'state=x']) {
      assertSentTo(await get(`/api/auth/callback/google?${search}`, cookie), '/login?error=google');
    }
    provider.alter = (path) => (path === '/token' ? { status: 500 } : undefined);
    assertSentTo(await signIn(), '/login?error=google');
  });

  it('sends nobody to another site', async () => {
    for (const returnTo of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      assertSentTo(await signIn(returnTo), '/');
    }
  });
});

describe("a server that isn't registered with Google", () => {
  it('answers 404', async () => {
    for (const path of ['/api/auth/signin/google', '/api/auth/callback/google?code=x&state=y']) {
      const answer = await get(path, null, without);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], path);
    }
  });
});

it('a sign-in whose code is used up ends with a session, however slow the database is', async () => {
  const answerWithinMs = 2_000;
  const hurried = await startTestServer({
    config: {
      ...trusting,
      GOOGLE_CLIENT_ID: provider.clientId,
      GOOGLE_CLIENT_SECRET: provider.clientSecret,
      GOOGLE_ISSUER_URL: provider.issuer,
    },
    patience: { acquireTimeoutMs: 20_000, statementTimeoutMs: answerWithinMs, answerWithinMs },
  });
  try {
    const { search, cookie } = await walk('/', hurried);
    const release = await hurried.testDatabase.ownerHold('lock table arbiter.users in access exclusive mode');
    const answering = get(`/api/auth/callback/google?${search}`, cookie, hurried);
    try {
      // Longer than a call and a statement have, and until the sign-in waits for the lock.
      const startedAt = performance.now();
      for (let waits = false; !waits || performance.now() - startedAt < 2 * answerWithinMs; ) {
        const waiting = await hurried.testDatabase.ownerQuery(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        waits ||= waiting.length > 0;
      }
    } finally {
      await release();
    }
    const answer = await answering;
    assertSentTo(answer, '/');
    assert.equal((await sessionOf(hurried, answer))?.principal.email, email);
  } finally {
    await hurried.close();
  }
});
