import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { otherKeys, providerKeys } from './test-keys.ts';
import { createSamlIdp, encoded, type Said, wrappings } from './test-saml-idp.ts';
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

/** Single sign-on by SAML over HTTP; the peer is samlify (docs/design/quality.md T6, docs/design/api-access.md 22 "SSO"). */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 16, config: reachingTests });
});
after(() => server?.close());

const idp = createSamlIdp();
let used = 0;
/** A tenant with the provider, that lets strangers in. */
async function fresh(changes: object = {}): Promise<TestSso> {
  const sso = createSso(server, server.tenants[used++]!);
  await sso.configure({
    provider: 'saml',
    enabled: true,
    samlEntityId: idp.entityId,
    samlSsoUrl: 'https://idp.example/sso',
    samlCertificate: providerKeys.certificate,
    autoProvision: true,
    ...changes,
  });
  return sso;
}

const entityIdOf = ({ tenant }: TestSso) => `${ownOrigin}/api/v1/sso/metadata?tenantId=${tenant.id}`;
const said = (sso: TestSso, changes: Partial<Said> = {}): Said => ({
  acsUrl: callbackAt,
  audience: entityIdOf(sso),
  nameId: 'subject-1',
  attributes: { email: 'ann@good.example', displayName: 'Ann' },
  ...changes,
});
const send = (sso: TestSso, xml: string, headers: Record<string, string> = {}): Promise<Called> =>
  sso.post({ SAMLResponse: encoded(xml), RelayState: sso.tenant.id }, headers);
const tell = async (sso: TestSso, changes: Partial<Said> = {}, headers: Record<string, string> = {}) =>
  send(sso, await idp.respond(said(sso, changes)), headers);

/** ID of the request that an address of the provider carries. */
function requestIn(url: string): string {
  const { searchParams, origin, pathname } = new URL(url);
  assert.equal(origin + pathname, 'https://idp.example/sso');
  const xml = inflateRawSync(Buffer.from(String(searchParams.get('SAMLRequest')), 'base64')).toString('utf8');
  return String(/ ID="([^"]+)"/.exec(xml)?.[1]);
}

function assertRefused(answer: Called, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], answer.text);
  assert.equal(cookieIn(answer, 'arbiter_session'), null);
}

const userCount = async (sso: TestSso) => (await sso.rows('select from arbiter.users where tenant_id = $1')).length;

describe('an assertion of the configured provider', () => {
  for (const sign of ['assertion', 'response'] as const) {
    it(`signs in (signed ${sign}) without a cookie, and answers our request`, async () => {
      const sso = await fresh({ samlAllowUnsolicited: false, defaultRole: 'editor' });
      const { url } = await sso.begin('/offers');
      assert.equal(new URL(url).searchParams.get('RelayState'), sso.tenant.id);
      const inResponseTo = requestIn(url);
      const answer = await tell(sso, { inResponseTo, sign }, { accept: 'text/html' });
      assert.deepEqual([answer.status, answer.headers.location], [302, '/offers'], answer.text);
      const session = await sessionOf(server, answer);
      assert.deepEqual([session?.principal.email, session?.principal.role], ['ann@good.example', 'editor']);
      // The request was answered; another assertion for it comes too late.
      assertRefused(await tell(sso, { inResponseTo, sign }), 401, 'unauthorized');
      assertRefused(await tell(sso, { sign }), 401, 'unauthorized');
    });
  }

  it('is accepted without a request where the tenant allows it, as form or JSON', async () => {
    const sso = await fresh();
    const form = await tell(sso);
    assert.equal(form.status, 200, form.text);
    const { userId, ...rest } = form.body;
    assert.deepEqual(rest, { email: 'ann@good.example', name: 'Ann', created: true, provider: 'saml' });
    const json = await server.call<{ userId: string; created: boolean }>('POST', '/api/v1/sso/callback', {
      key: null,
      body: { SAMLResponse: encoded(await idp.respond(said(sso))), RelayState: sso.tenant.id },
      headers: { 'x-requested-with': '', 'x-forwarded-for': '198.51.100.9' },
    });
    assert.deepEqual([json.status, json.body.userId, json.body.created], [200, userId, false], json.text);
    assert.equal((await sso.audited()).at(-1), `login user by ${userId}`);
    assertRefused(await tell(sso, { inResponseTo: '_never-sent' }), 401, 'unauthorized');
  });

  it('is accepted once, even if it arrives many times at once', async () => {
    const sso = await fresh();
    const xml = await idp.respond(said(sso));
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(sso, xml)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join());
    assert.equal(answers.filter(({ status }) => status === 401).length, 7);
    assertRefused(await send(sso, xml), 401, 'unauthorized');
  });

  it('can be large if its user has many groups, up to 1 MiB', async () => {
    const sso = await fresh();
    const groups = Array.from({ length: 8_000 }, (_, at) => `group ${at}`).join(' ');
    assert.equal((await tell(sso, { attributes: { email: 'ann@good.example', groups } })).status, 200);
    const tooLarge = await sso.post({ SAMLResponse: 'A'.repeat(1_048_576), RelayState: sso.tenant.id });
    assertRefused(tooLarge, 413, 'payload_too_large');
  });
});

describe("an assertion that isn't for this tenant, or isn't genuine", () => {
  it('is rejected with the RelayState of another tenant', async () => {
    const [sso, other] = [await fresh(), await fresh()];
    const xml = await idp.respond(said(sso));
    assertRefused(await send(other, xml), 401, 'unauthorized');
    for (const RelayState of ['0199a000-0000-7000-8000-00000000dead', 'nonsense', sso.tenant.id.toUpperCase()]) {
      assertRefused(await sso.post({ SAMLResponse: encoded(xml), RelayState }), 401, 'unauthorized');
    }
    assert.equal((await send(sso, xml)).status, 200, 'none of this has used it up');
    assert.deepEqual([await userCount(sso), await userCount(other)], [1, 0]);
  });

  it('is rejected with the request of another tenant', async () => {
    const [sso, other] = [await fresh(), await fresh()];
    const inResponseTo = requestIn((await other.begin()).url);
    assertRefused(await tell(sso, { inResponseTo }), 401, 'unauthorized');
    assert.equal((await tell(other, { inResponseTo })).status, 200);
  });

  it('is rejected unsigned, tampered, signed by another, wrapped, encrypted, old or broken, and creates no user', async () => {
    const sso = await fresh();
    const good = await idp.respond(said(sso));
    const forged: [string, string][] = [
      ['unsigned', good.replace(/<ds:Signature.*<\/ds:Signature>/s, '')],
      ['tampered', good.replace('ann@good.example', 'eve@evil.example')],
      ['another key', await createSamlIdp({ keys: otherKeys }).respond(said(sso))],
      ['another provider', await createSamlIdp({ entityId: 'https://other.example' }).respond(said(sso))],
      ['SHA-1', await createSamlIdp({ algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }).respond(said(sso))],
      ['encrypted', await idp.respond(said(sso, { encrypted: true }))],
      ['expired', await idp.respond(said(sso, { places: { ConditionsNotOnOrAfter: '2020-01-01T00:00:00Z' } }))],
      ['another audience', await idp.respond(said(sso, { audience: 'https://other.example' }))],
      ['another recipient', await idp.respond(said(sso, { places: { SubjectRecipient: 'https://other.example' } }))],
      ['comment', good.replace('subject-1', 'subject-1<!---->.evil')],
      ['entities', `<!DOCTYPE a [<!ENTITY b "b">]>${good}`],
      ['not well-formed', good.slice(0, -1)],
    ];
    for (const { name, sign, forge } of wrappings) {
      forged.push([name, forge(await idp.respond(said(sso, { sign })), 'eve@evil.example')]);
    }
    for (const [what, xml] of forged) {
      const answer = await send(sso, xml);
      assert.deepEqual([answer.status, answer.body?.code], [401, 'unauthorized'], `${what}: ${answer.text}`);
    }
    for (const SAMLResponse of ['%%%', 'PGE', Buffer.from([0xff, 0xfe]).toString('base64')]) {
      assertRefused(await sso.post({ SAMLResponse, RelayState: sso.tenant.id }), 401, 'unauthorized');
    }
    assert.equal(await userCount(sso), 0);
    assert.equal((await sso.post({ RelayState: sso.tenant.id })).status, 400);
    assert.equal((await sso.post({ SAMLResponse: encoded(good) })).status, 400);
    const page = await sso.post({ RelayState: sso.tenant.id }, { accept: 'text/html' });
    assert.deepEqual([page.status, page.headers.location], [302, '/login?error=sso']);
  });

  it('is rejected after the tenant pinned another certificate, but accepted during a rollover', async () => {
    const sso = await fresh({ samlCertificate: otherKeys.certificate });
    assertRefused(await tell(sso), 401, 'unauthorized');
    await sso.configure({ samlCertificate: `${otherKeys.certificate}\n${providerKeys.certificate}` });
    assert.equal((await tell(sso)).status, 200);
  });
});

describe('our metadata', () => {
  it('are public, per tenant, and name the addresses for responses', async () => {
    const sso = await fresh({ samlAcsUrl: 'https://console.example/acs' });
    const answer = await sso.browse(`/api/v1/sso/metadata?tenantId=${sso.tenant.id}`);
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/samlmetadata+xml']);
    assert.ok(answer.text.includes(`entityID="${entityIdOf(sso)}"`));
    assert.ok(answer.text.includes('Location="https://console.example/acs"'));
    // An assertion must name what's configured there.
    assertRefused(await tell(sso), 401, 'unauthorized');
    assert.equal((await tell(sso, { acsUrl: 'https://console.example/acs' })).status, 200);
    for (const tenantId of ['nonsense', '0199a000-0000-7000-8000-00000000dead', sso.tenant.id.toUpperCase()]) {
      const none = await sso.browse(`/api/v1/sso/metadata?tenantId=${tenantId}`);
      assert.deepEqual([none.status, none.body.code], [404, 'not_found'], tenantId);
    }
  });
});
