import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Membership } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { type CallResult, startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { startOidcProvider, type TestOidcProvider } from '../../../platform/test-oidc-provider.ts';
import { cookieOf, createPeople, freshAddress } from '../accounts/test-people.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { providerKeys } from '../sso/test-keys.ts';
import { createSamlIdp, encoded } from '../sso/test-saml-idp.ts';
import { callbackAt, cookieIn, createSso, ownOrigin, reachingTests, sessionOf } from '../sso/test-sso.ts';
import { createPerson, type NewPerson } from '../users/index.ts';

/**
 * A tenant whose directory and identity provider lie about the address of someone with an account in another tenant:
 * nothing that the hostile tenant claims may lead there (docs/design/api-settled.md "Access and console").
 */

let provider: TestOidcProvider;
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  provider = await startOidcProvider({
    redirectUris: [`${ownOrigin}/api/auth/callback/google`],
    claimsInIdToken: true,
  });
  const config = {
    ...reachingTests,
    GOOGLE_CLIENT_ID: provider.clientId,
    GOOGLE_CLIENT_SECRET: provider.clientSecret,
    GOOGLE_ISSUER_URL: provider.issuer,
  };
  server = await startTestServer({ tenants: 14, config });
  people = createPeople(server);
});
after(async () => {
  await server?.close();
  await provider?.close();
});

let counter = 0;
let used = 0;
let victim = '';
let attacker = '';
let hostile: TestTenant;
let home: TestTenant;
beforeEach(() => {
  counter += 1;
  victim = `victim-${counter}@corp.example`;
  attacker = `mallory-${counter}@evil.example`;
  hostile = server.tenants[used++]!;
  home = server.tenants[used++]!;
  provider.person = { subject: `google-${counter}`, email: victim, emailVerified: true, name: 'Victim' };
});

const person = (tenant: TestTenant, changes: Partial<NewPerson> = {}) =>
  server.database.withTenant(tenant.id, systemActor('test'), (tx) =>
    createPerson(tx, {
      email: victim,
      name: 'Victim',
      role: 'admin',
      source: 'invite',
      verified: true,
      addressProven: true,
      ...changes,
    }),
  );

const get = (path: string, cookie: string | null = null): Promise<CallResult<{ code: string }>> =>
  server.call('GET', path, {
    key: null,
    headers: { 'x-forwarded-for': freshAddress(), ...(cookie === null ? {} : { cookie }) },
  });

async function signInByGoogle() {
  const begun = await get('/api/auth/signin/google');
  const cookie = `arbiter_google=${cookieIn(begun, 'arbiter_google')}`;
  const back = await provider.visit(String(begun.headers.location));
  return get(`/api/auth/callback/google?${back.searchParams}`, cookie);
}

const scim = (method: string, path: string, body: object) =>
  server.call<{ id: string }>(method, `/api/v1/scim/v2/Users${path}`, {
    key: hostile.keys.admin,
    body,
    headers: { 'content-type': 'application/scim+json' },
  });

/** Tokens of the links that were mailed to the attacker for the hostile tenant. */
async function mailedToAttacker(): Promise<string[]> {
  const asked = await people.open('POST', '/api/v1/auth/forgot-password', { body: { email: victim } });
  assert.equal(asked.status, 202, asked.text);
  const mails = await takeMails(server, hostile.id);
  return mails.flatMap((mail) => (mail.kind === 'reset' && mail.to === attacker ? [mail.token] : []));
}

const setPassword = (token: string) =>
  people.open('POST', '/api/v1/auth/reset-password', { body: { token, password: 'Attack3r' } });
const signInHere = () => people.login({ email: victim, password: 'Attack3r', tenantId: hostile.id });
const tenantsOf = async (cookie: string) =>
  (await people.open<{ data: Membership[] }>('GET', '/api/v1/auth/tenants', { cookie })).body.data.map(({ id }) => id);
const switchTo = (cookie: string, tenantId: string) =>
  people.open('POST', '/api/v1/auth/switch-tenant', { cookie, body: { tenantId } });

test('a link sent to one mailbox proves nothing once the directory names another', async () => {
  await person(home);
  const made = await scim('POST', '', { userName: victim, emails: [{ value: attacker, primary: true }] });
  assert.equal(made.status, 201, made.text);
  const [token] = await mailedToAttacker();
  assert.ok(token);
  assert.equal((await scim('PUT', `/${made.body.id}`, { emails: null })).status, 200);
  const set = await setPassword(token);
  assert.deepEqual([set.status, set.body.code], [400, 'token_invalid'], set.text);
});

test('an address is no longer verified when its mail goes elsewhere', async () => {
  const { id } = await person(hostile, { role: 'viewer' });
  await person(home);
  // The victim enters both by Google, which links both.
  assert.equal((await signInByGoogle()).headers.location, '/');
  assert.equal((await scim('PUT', `/${id}`, { emails: [{ value: attacker, primary: true }] })).status, 200);
  const [token] = await mailedToAttacker();
  assert.ok(token);
  assert.equal((await setPassword(token)).status, 200);
  const cookie = cookieOf(await signInHere());
  assert.deepEqual(await tenantsOf(cookie), [hostile.id]);
  assert.equal((await switchTo(cookie, home.id)).status, 400);
});

test('a password set through another mailbox ends when Google verifies the address', async () => {
  const made = await scim('POST', '', { userName: victim, emails: [{ value: attacker, primary: true }] });
  const [token] = await mailedToAttacker();
  assert.ok(token);
  assert.equal((await setPassword(token)).status, 200);
  const before = cookieOf(await signInHere());
  assert.equal((await scim('PUT', `/${made.body.id}`, { emails: null })).status, 200);
  assert.equal((await sessionOf(server, await signInByGoogle()))?.tenant.id, hostile.id);
  await person(home);
  assert.equal((await people.session(before)).authenticated, false);
  assert.equal((await signInHere()).status, 401);
});

test('an account that its tenant renamed to an address opens nothing of its owner', async () => {
  const renamed = await people.person(hostile, { email: attacker, password: 'Attack3r' });
  const proven = `update arbiter.users set address_proven = true, source = 'registration' where id = $1`;
  await server.testDatabase.ownerQuery(proven, [renamed.id]);
  const cookie = await people.signIn(renamed);
  assert.equal((await scim('PUT', `/${renamed.id}`, { userName: victim })).status, 200);
  // The owner can still sign up, and isn't told that there is an account.
  const body = { name: 'Victim', email: victim, password: 'Passw0rd' };
  assert.equal((await people.open('POST', '/api/v1/auth/register', { body })).status, 201);
  const mails = await takeMails(server);
  assert.deepEqual(
    mails.filter(({ to }) => to === victim).map(({ kind }) => kind),
    ['verification'],
  );
  // Nor does the password that the tenant knows open what Google makes the owner's.
  assert.equal((await signInByGoogle()).headers.location, '/');
  assert.equal((await people.session(cookie)).authenticated, false);
  assert.equal((await signInHere()).status, 401);
});

test("a tenant's assertion can't identify someone as Google does", async () => {
  const { id } = await person(home);
  const idp = createSamlIdp({ entityId: provider.issuer });
  const sso = createSso(server, hostile);
  await sso.configure({
    provider: 'saml',
    enabled: true,
    samlEntityId: provider.issuer,
    samlSsoUrl: 'https://idp.example/sso',
    samlCertificate: providerKeys.certificate,
    autoProvision: true,
  });
  const xml = await idp.respond({
    acsUrl: callbackAt,
    audience: `${ownOrigin}/api/v1/sso/metadata?tenantId=${hostile.id}`,
    nameId: `google-${counter}`,
    attributes: { email: victim },
  });
  const forged = await sso.post({ SAMLResponse: encoded(xml), RelayState: hostile.id });
  assert.equal(forged.status, 200, forged.text);
  assert.equal((await sessionOf(server, await signInByGoogle()))?.principal.id, id);
});

test('two first sign-ins of a stranger at once create one tenant', async () => {
  const answers = await Promise.all([signInByGoogle(), signInByGoogle(), signInByGoogle()]);
  const tenants = new Set<string | undefined>();
  for (const answer of answers) {
    assert.equal(answer.headers.location, '/', answer.text);
    tenants.add((await sessionOf(server, answer))?.tenant.id);
  }
  assert.equal(tenants.size, 1);
  const rows = await server.testDatabase.ownerQuery('select from arbiter.users where email = $1', [victim]);
  assert.equal(rows.length, 1);
});
