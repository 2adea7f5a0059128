import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SsoConfig, SsoConfigInput } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { applyBootstrap } from '../../operations/admin/index.ts';
import { createPeople } from '../accounts/test-people.ts';
import { otherKeys, providerKeys } from './test-keys.ts';
import { createSso, ownOrigin, reachingTests, type TestSso } from './test-sso.ts';

/** Configuration of single sign-on over the API (docs/design/api-access.md 4.3 and 22). */

const bullets = '••••••••';
let server: TestServer;
let keyless: TestServer;
before(async () => {
  server = await startTestServer({
    tenants: 10,
    config: { ...reachingTests, SSO_REDIRECT_ALLOWLIST: ['https://console.example'] },
  });
  keyless = await startTestServer({ config: { ...reachingTests, DATA_ENCRYPTION_KEY: null } });
});
after(async () => {
  await server?.close();
  await keyless?.close();
});

let used = 0;
/** Single sign-on of a tenant that no other test has touched. */
const fresh = (): TestSso => createSso(server, server.tenants[used++]!);
const read = async ({ tenant }: TestSso) =>
  (await server.call<SsoConfig>('GET', '/api/v1/sso', { key: tenant.keys.admin })).body;

const oidc: SsoConfigInput = {
  provider: 'oidc',
  enabled: true,
  oidcIssuer: 'http://127.0.0.1:8080/realm',
  oidcClientId: 'arbiter',
  oidcClientSecret: 'canary-of-the-client-secret',
};
const saml: SsoConfigInput = {
  provider: 'saml',
  enabled: true,
  samlEntityId: 'https://idp.example/metadata',
  samlSsoUrl: 'https://idp.example/sso',
  samlCertificate: providerKeys.certificate,
};

describe('the configuration', () => {
  it('reads as the contract says, without its secrets', async () => {
    const sso = fresh();
    assert.deepEqual(await read(sso), { configured: false, provider: 'none' });
    const answer = await sso.act({
      action: 'configure',
      config: { ...oidc, samlCertificate: providerKeys.certificate },
    });
    assert.deepEqual(
      [answer.status, answer.body.success, typeof answer.body.message],
      [200, true, 'string'],
      answer.text,
    );
    assert.deepEqual(await read(sso), {
      configured: true,
      provider: 'oidc',
      enabled: true,
      samlEntityId: null,
      samlSsoUrl: null,
      samlAcsUrl: `${ownOrigin}/api/v1/sso/callback`,
      samlAllowUnsolicited: true,
      oidcIssuer: 'http://127.0.0.1:8080/realm',
      oidcClientId: 'arbiter',
      oidcScopes: 'openid email profile',
      defaultRole: 'viewer',
      allowedDomains: [],
      autoProvision: false,
      enforceForAllUsers: false,
      hasOidcClientSecret: true,
      hasSamlCertificate: true,
    });
    const stored = await sso.rows<{ text: string }>(
      `select to_jsonb(s)::text || encode(s.sealed, 'escape') as text from arbiter.sso_secrets s where tenant_id = $1
       union all select to_jsonb(a)::text from arbiter.audit_logs a where tenant_id = $1
       union all select to_jsonb(c)::text from arbiter.sso_configs c where tenant_id = $1`,
    );
    assert.ok(stored.length >= 4);
    for (const { text } of stored) assert.doesNotMatch(text, /canary|BEGIN CERTIFICATE/);
    assert.doesNotMatch(JSON.stringify(server.log), /canary/);
  });

  it('merges: absent and bullet secrets stay, null removes them, and the audit log reports new ones', async () => {
    const sso = fresh();
    await sso.configure(oidc);
    const sealed = () => sso.rows<{ sealed: Buffer }>('select sealed from arbiter.sso_secrets where tenant_id = $1');
    const [first] = await sealed();
    await sso.configure({ defaultRole: 'editor', allowedDomains: ['Good.Example', 'good.example', 'münchen.example'] });
    await sso.configure({ oidcClientSecret: bullets, autoProvision: true });
    assert.deepEqual((await sealed())[0]?.sealed, first?.sealed);
    const shown = await read(sso);
    assert.deepEqual(
      [shown.defaultRole, shown.allowedDomains, shown.autoProvision, shown.oidcClientId],
      ['editor', ['good.example', 'xn--mnchen-3ya.example'], true, 'arbiter'],
    );
    await sso.configure({ oidcClientSecret: 'another secret' });
    assert.notDeepEqual((await sealed())[0]?.sealed, first?.sealed);
    const log = await server.call<{ data: { action: string; entityType: string; changes: object }[] }>(
      'GET',
      '/api/v1/audit-logs?entityType=sso',
      { key: sso.tenant.keys.admin },
    );
    const told = log.body.data.slice(0, 3).map(({ action, changes }) => [action, Object.keys(changes)[0]]);
    assert.deepEqual(told.slice(0, 2), [
      ['update', 'oidcClientSecret'],
      ['update', 'autoProvision'],
    ]);
    assert.ok('defaultRole' in (log.body.data[2]?.changes ?? {}));
    assert.equal(log.body.data.length, 4);
    await sso.configure({ enabled: false, oidcClientSecret: null });
    assert.equal((await read(sso)).hasOidcClientSecret, false);
    assert.equal((await sealed()).length, 0);
  });

  it('can be sent back unchanged', async () => {
    const sso = fresh();
    await sso.configure(oidc);
    const before = await read(sso);
    await sso.configure(before);
    assert.deepEqual(await read(sso), before);
    const [row] = await sso.rows<{ url: string | null }>(
      'select saml_acs_url as url from arbiter.sso_configs where tenant_id = $1',
    );
    assert.equal(row?.url, null);
    const log = await server.call<{ data: { changes: object | null }[] }>('GET', '/api/v1/audit-logs?entityType=sso', {
      key: sso.tenant.keys.admin,
    });
    assert.deepEqual(Object.keys(log.body.data[0]?.changes ?? {}), []);
  });

  it("is turned off by the operator's file, once, and only for an existing tenant", async () => {
    const sso = fresh();
    await sso.configure({ ...oidc, enforceForAllUsers: true });
    const deps = {
      pepper: null,
      passwords: server.passwords,
      onTenantCreated: [],
      packs: { keys: [], loadWhenNone: async () => false },
    };
    const apply = (name: string) =>
      applyBootstrap(server.database, { tenants: [{ name, sso: { enabled: false } }] }, deps);
    const applied = await apply(sso.tenant.name);
    assert.ok('tenants' in applied);
    assert.deepEqual(
      applied.tenants.map(({ id, changed }) => [id, changed]),
      [[sso.tenant.id, true]],
    );
    const { enabled, enforceForAllUsers, oidcClientId } = await read(sso);
    assert.deepEqual([enabled, enforceForAllUsers, oidcClientId], [false, false, 'arbiter']);
    assert.equal((await sso.audited()).at(-1), 'update sso by system:bootstrap');
    const again = await apply(sso.tenant.name);
    assert.ok('tenants' in again && again.tenants[0]?.changed === false);
    const unknown = await apply('No such tenant');
    assert.ok('problems' in unknown && unknown.problems[0]?.path === '/tenants/0/name');
  });

  it('sends a secret only to the issuer it was entered for', async () => {
    const sso = fresh();
    await sso.configure(oidc);
    await sso.configure({ oidcIssuer: 'http://127.0.0.1:8080/another-realm' });
    const elsewhere = await sso.act({ action: 'configure', config: { oidcIssuer: 'http://127.0.0.1:8081/realm' } });
    assert.deepEqual(
      [elsewhere.status, elsewhere.body.errors?.[0]?.path],
      [400, '/config/oidcClientSecret'],
      elsewhere.text,
    );
    assert.equal((await read(sso)).oidcIssuer, 'http://127.0.0.1:8080/another-realm');
    await sso.configure({ oidcIssuer: 'http://127.0.0.1:8081/realm', oidcClientSecret: 'a new one' });
  });

  it("rejects what can't work, with the path, and changes nothing", async () => {
    const sso = fresh();
    const without = (config: SsoConfigInput, name: keyof SsoConfigInput): SsoConfigInput => ({
      ...config,
      [name]: undefined,
    });
    const cases: readonly [SsoConfigInput, string][] = [
      ...(['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const).map((name): [SsoConfigInput, string] => [
        without(oidc, name),
        `/config/${name}`,
      ]),
      ...(['samlEntityId', 'samlSsoUrl', 'samlCertificate'] as const).map((name): [SsoConfigInput, string] => [
        without(saml, name),
        `/config/${name}`,
      ]),
      [{ enabled: true }, '/config/enabled'],
      [{ provider: 'none', enabled: true }, '/config/enabled'],
      [{ enforceForAllUsers: true }, '/config/enforceForAllUsers'],
      [{ ...oidc, oidcIssuer: 'ftp://idp.example' }, '/config/oidcIssuer'],
      [{ ...oidc, oidcIssuer: 'https://10.0.0.1' }, '/config/oidcIssuer'],
      [{ ...oidc, oidcIssuer: 'https://169.254.169.254/' }, '/config/oidcIssuer'],
      [{ ...oidc, oidcIssuer: 'https://idp.example?x=1' }, '/config/oidcIssuer'],
      [{ ...oidc, oidcIssuer: 'https://u:p@idp.example' }, '/config/oidcIssuer'],
      [{ ...oidc, oidcScopes: 'email profile' }, '/config/oidcScopes'],
      [{ ...oidc, allowedDomains: ['good.example', 'a@b.example'] }, '/config/allowedDomains/1'],
      [{ ...oidc, allowedDomains: ['10.0.0.1'] }, '/config/allowedDomains/0'],
      [{ ...saml, samlSsoUrl: 'javascript:alert(1)' }, '/config/samlSsoUrl'],
      [{ ...saml, samlAcsUrl: 'data:text/html,x' }, '/config/samlAcsUrl'],
      [{ ...saml, samlCertificate: 'no certificate' }, '/config/samlCertificate'],
      [{ ...saml, samlCertificate: providerKeys.privateKey }, '/config/samlCertificate'],
    ];
    for (const [config, path] of cases) {
      const answer = await sso.act({ action: 'configure', config });
      assert.equal(answer.status, 400, `${path}: ${answer.text}`);
      assert.ok(
        answer.body.errors?.some((error) => error.path === path),
        `${path}: ${answer.text}`,
      );
    }
    const shapes = [
      { defaultRole: 'member' },
      { provider: 'ldap' },
      { enabled: 'yes' },
      { oidcScopes: 'openid  email' },
    ];
    for (const config of shapes) assert.equal((await sso.act({ action: 'configure', config })).status, 400);
    assert.equal((await sso.act({ action: 'configure' })).status, 400);
    assert.equal((await sso.act({ action: 'reset' })).status, 400);
    assert.deepEqual(await read(sso), { configured: false, provider: 'none' });
    assert.deepEqual(await sso.audited(), []);
    await sso.configure({ ...saml, samlCertificate: `${providerKeys.certificate}\n${otherKeys.certificate}` });
  });

  it('belongs to the admin and the tenant', async () => {
    const [sso, other] = [fresh(), fresh()];
    await sso.configure(oidc);
    for (const role of ['viewer', 'editor'] as const) {
      const key = sso.tenant.keys[role];
      assert.equal((await server.call('GET', '/api/v1/sso', { key })).status, 403);
      assert.equal(
        (await server.call('POST', '/api/v1/sso', { key, body: { action: 'configure', config: oidc } })).status,
        403,
      );
    }
    assert.deepEqual(await read(other), { configured: false, provider: 'none' });
  });

  it("can't hold a secret without an encryption key: 503", async () => {
    const answer = await createSso(keyless, keyless.tenants[0]).act({ action: 'configure', config: oidc });
    assert.deepEqual([answer.status, answer.body.code], [503, 'not_configured']);
    assert.match(answer.text, /DATA_ENCRYPTION_KEY/);
  });
});

describe('single sign-on as the only way in', () => {
  it("ends all password sessions but the caller's, and accepts no new ones", async () => {
    const sso = fresh();
    const people = createPeople(server);
    await sso.configure(oidc);
    const admin = await people.person(sso.tenant, { role: 'admin' });
    const editor = await people.person(sso.tenant);
    const [own, other] = [await people.signIn(admin), await people.signIn(editor)];
    const isOpen = async (cookie: string) => (await people.session(cookie)).authenticated;
    assert.deepEqual([await isOpen(own), await isOpen(other)], [true, true]);
    const enforce = await people.open('POST', '/api/v1/sso', {
      cookie: own,
      headers: { 'x-requested-with': 'test' },
      body: { action: 'configure', config: { enforceForAllUsers: true } },
    });
    assert.equal(enforce.status, 200, enforce.text);
    // Every node hears of it by a notification.
    for (let tries = 0; (await isOpen(other)) && tries < 500; tries += 1) await new Promise(setImmediate);
    assert.deepEqual([await isOpen(own), await isOpen(other)], [true, false]);
    const right = await people.login(editor);
    assert.deepEqual([right.status, right.body.code], [403, 'sso_required'], right.text);
    const wrong = await people.login({ ...editor, password: 'Wrong-0ne' });
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials']);
    await sso.configure({ enabled: false, enforceForAllUsers: false });
    assert.equal((await people.login(editor)).status, 200);
  });
});
