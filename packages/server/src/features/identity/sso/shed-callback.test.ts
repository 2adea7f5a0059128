import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { startOidcProvider, type TestOidcProvider } from '../../../platform/test-oidc-provider.ts';
import { providerKeys } from './test-keys.ts';
import { createSamlIdp, encoded } from './test-saml-idp.ts';
import { callbackAt, cookieIn, createSso, ownOrigin, reachingTests } from './test-sso.ts';

/** What a returning sign-in leaves behind when the database is too busy for it. */

const answerWithinMs = 2_000;
let server: TestServer;
let provider: TestOidcProvider;
before(async () => {
  provider = await startOidcProvider({ redirectUris: [callbackAt] });
  server = await startTestServer({
    tenants: 2,
    config: reachingTests,
    patience: { acquireTimeoutMs: 20_000, statementTimeoutMs: answerWithinMs, answerWithinMs },
  });
});
after(async () => {
  await server?.close();
  await provider?.close();
});

const holdUsers = () => server.testDatabase.ownerHold('lock table arbiter.users in access exclusive mode');

test('SAML: a response that was shed can be sent again, once', async () => {
  const sso = createSso(server, server.tenants[0]);
  const idp = createSamlIdp();
  await sso.configure({
    provider: 'saml',
    enabled: true,
    samlEntityId: idp.entityId,
    samlSsoUrl: 'https://idp.example/sso',
    samlCertificate: providerKeys.certificate,
    autoProvision: true,
  });
  const xml = await idp.respond({
    acsUrl: callbackAt,
    audience: `${ownOrigin}/api/v1/sso/metadata?tenantId=${sso.tenant.id}`,
    nameId: 'subject-1',
    attributes: { email: 'ann@good.example', displayName: 'Ann' },
  });
  const send = () => sso.post({ SAMLResponse: encoded(xml), RelayState: sso.tenant.id });
  const release = await holdUsers();
  try {
    const shed = await send();
    assert.deepEqual([shed.status, shed.body?.code], [503, 'unavailable'], shed.text);
  } finally {
    await release();
  }
  const answer = await send();
  assert.equal(answer.status, 200, answer.text);
  assert.notEqual(cookieIn(answer, 'arbiter_session'), null);
  assert.equal((await send()).status, 401);
});

test('OpenID Connect: a used code ends with a session, however slow the database is', async () => {
  const sso = createSso(server, server.tenants[1]!);
  await sso.configure({
    provider: 'oidc',
    enabled: true,
    oidcIssuer: provider.issuer,
    oidcClientId: provider.clientId,
    oidcClientSecret: provider.clientSecret,
    autoProvision: true,
  });
  provider.person = { subject: 'subject-1', email: 'ann@good.example', emailVerified: true, name: 'Ann' };
  const { url, cookie } = await sso.begin();
  const { searchParams } = await provider.visit(url);
  const release = await holdUsers();
  const answering = sso.back(searchParams, cookie);
  const waitsInVain = async () => {
    const rows = await server.testDatabase.ownerQuery<{ ms: number }>(
      `select (extract(epoch from clock_timestamp() - query_start) * 1000)::float8 as ms
       from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  };
  try {
    const startedAt = performance.now();
    let waited = false;
    // Longer than a call and a statement have.
    while (!waited || performance.now() - startedAt < 2 * answerWithinMs) waited = (await waitsInVain()) || waited;
  } finally {
    await release();
  }
  const answer = await answering;
  assert.equal(answer.status, 200, answer.text);
  assert.notEqual(cookieIn(answer, 'arbiter_session'), null);
});
