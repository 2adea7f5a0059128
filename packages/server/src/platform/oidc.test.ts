import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createOidcClient, type OidcAttempt, type OidcClient, OidcError } from './oidc.ts';
import { createOutbound, type Outbound } from './outbound/outbound.ts';
import { resigned, startOidcProvider, type TestOidcProvider } from './test-oidc-provider.ts';

/** Sign-in by OpenID Connect against oidc-provider, and what liars come to (docs/design/quality.md T12). */

const redirectUri = 'https://arbiter.example/api/v1/sso/callback';
const scope = 'openid email profile';

let provider: TestOidcProvider;
let outbound: Outbound;
let client: OidcClient;
before(async () => {
  provider = await startOidcProvider({ redirectUris: [redirectUri] });
  outbound = createOutbound({ allowHttp: true, allowNetworks: ['127.0.0.0/8'] });
  client = createOidcClient(outbound, { allowHttp: true });
});
after(async () => {
  await outbound?.close();
  await provider?.close();
});
afterEach(() => {
  provider.alter = null;
  provider.claims = null;
  provider.person = { subject: 'subject-1', email: 'ann@good.example', emailVerified: true, name: 'Ann' };
});

let counter = 0;
const newAttempt = (): OidcAttempt => {
  counter += 1;
  const word = `${counter}`.padEnd(43, 'x');
  return { redirectUri, state: `tenant:${word}`, nonce: `nonce-${word}`, codeVerifier: `verifier-${word}` };
};

const registration = () => ({
  issuer: provider.issuer,
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
});

/** Begins a sign-in, goes through the provider's pages, and returns what the browser brings back. */
async function walk(attempt: OidcAttempt): Promise<Record<string, string>> {
  const back = await provider.visit(await client.begin(registration(), attempt, scope));
  assert.equal(back.origin + back.pathname, redirectUri);
  return Object.fromEntries(back.searchParams);
}

async function signIn() {
  const attempt = newAttempt();
  return client.finish(registration(), attempt, await walk(attempt));
}

const because = (reason: OidcError['reason']) => (error: unknown) => {
  assert.ok(error instanceof OidcError, String(error));
  assert.equal(error.reason, reason, String(error.cause));
  return true;
};

describe('a sign-in', () => {
  it('identifies the user by signed claims and the userinfo endpoint', async () => {
    assert.deepEqual(await signIn(), {
      issuer: provider.issuer,
      subject: 'subject-1',
      email: 'ann@good.example',
      emailVerified: true,
      name: 'Ann',
    });
    assert.ok(provider.asked.includes('GET /me'));
  });

  it('starts with PKCE by S256, a nonce and the state', async () => {
    const attempt = newAttempt();
    const url = new URL(await client.begin(registration(), attempt, scope));
    const { searchParams } = url;
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    assert.match(String(searchParams.get('code_challenge')), /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(
      ['state', 'nonce', 'scope', 'redirect_uri', 'response_type'].map((name) => searchParams.get(name)),
      [attempt.state, attempt.nonce, scope, redirectUri, 'code'],
    );
    assert.equal(url.href.includes(attempt.codeVerifier), false);
  });

  it('works with a provider that takes the secret in the body, and has the claims in the ID token', async () => {
    const other = await startOidcProvider({
      redirectUris: [redirectUri],
      claimsInIdToken: true,
      authMethod: 'client_secret_post',
    });
    try {
      other.alter = (path, body) =>
        path === '/.well-known/openid-configuration'
          ? {
              body: JSON.stringify({
                ...JSON.parse(body),
                token_endpoint_auth_methods_supported: ['client_secret_post'],
              }),
            }
          : undefined;
      const attempt = newAttempt();
      const { issuer, clientId, clientSecret } = other;
      const own = { issuer, clientId, clientSecret };
      const back = await other.visit(await client.begin(own, attempt, scope));
      const person = await client.finish(own, attempt, Object.fromEntries(back.searchParams));
      assert.equal(person.email, 'ann@good.example');
      assert.equal(other.asked.includes('GET /me'), false);
    } finally {
      await other.close();
    }
  });

  it('continues when the keys are rotated while the browser is away', async () => {
    const attempt = newAttempt();
    const answer = await walk(attempt);
    await provider.rotateKeys();
    assert.equal((await client.finish(registration(), attempt, answer)).subject, 'subject-1');
    assert.equal((await signIn()).subject, 'subject-1');
  });

  it("says what the provider says about the address, and what it doesn't", async () => {
    provider.person = { subject: 'subject-2', email: 'ann@good.example', emailVerified: false };
    const { emailVerified, name } = await signIn();
    assert.deepEqual([emailVerified, name], [false, null]);
    provider.person = { subject: 'subject-3', email: 'ann@good.example' };
    assert.equal((await signIn()).emailVerified, null);
    provider.person = { subject: 'subject-4' };
    assert.equal((await signIn()).email, null);
  });
});

describe('an untrustworthy response', () => {
  const lies: readonly [string, (claims: Record<string, unknown>) => Record<string, unknown>][] = [
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://other.example' })],
    ['of another tenant of the issuer', (claims) => ({ ...claims, iss: `${claims.iss}/other` })],
    ['for another audience', (claims) => ({ ...claims, aud: 'another client' })],
    ['for several audiences, issued to another', (claims) => ({ ...claims, aud: ['arbiter', 'other'], azp: 'other' })],
    ['for several audiences, issued to nobody', (claims) => ({ ...claims, aud: ['arbiter', 'other'] })],
    ['for us, issued to another', (claims) => ({ ...claims, azp: 'other' })],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['without nonce', ({ nonce: _nonce, ...claims }) => claims],
    ['that expired', (claims) => ({ ...claims, exp: Number(claims.iat) - 3_600 })],
    ['without end', ({ exp: _exp, ...claims }) => claims],
    ['without subject', ({ sub: _sub, ...claims }) => claims],
    // With an email address, so userinfo isn't called and can't differ.
    ['with an empty subject', (claims) => ({ ...claims, sub: '', email: 'ann@good.example' })],
    ['with a blank subject', (claims) => ({ ...claims, sub: ' ', email: 'ann@good.example' })],
    [
      'with a subject over 1,024 characters',
      (claims) => ({ ...claims, sub: 's'.repeat(1_025), email: 'a@good.example' }),
    ],
    ['with a subject that no column holds', (claims) => ({ ...claims, sub: 'a\u0000b', email: 'ann@good.example' })],
    ['of another subject than userinfo', (claims) => ({ ...claims, sub: 'subject-9' })],
  ];
  for (const [what, change] of lies) {
    it(`is rejected: an ID token ${what}`, async () => {
      provider.claims = change;
      await assert.rejects(signIn(), because('refused'));
    });
  }

  it('is accepted if nothing is changed', async () => {
    provider.claims = (claims) => claims;
    assert.equal((await signIn()).subject, 'subject-1');
  });

  it('is rejected: an ID token signed by another key, with a known, unknown or missing ID', async () => {
    const { kid: known } = JSON.parse(await (await fetch(`${provider.issuer}/jwks`)).text()).keys[0];
    for (const kid of [known, 'unknown']) {
      provider.alter = async (path, body) =>
        path === '/token'
          ? { body: await resigned(body, (claims) => claims, { ...provider.foreignKey, kid }) }
          : undefined;
      await assert.rejects(signIn(), because('refused'), kid);
    }
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    provider.alter = (path, body) => {
      if (path !== '/token') return undefined;
      const tokens = JSON.parse(body);
      return { body: JSON.stringify({ ...tokens, id_token: `${none}.${tokens.id_token.split('.')[1]}.` }) };
    };
    await assert.rejects(signIn(), because('refused'));
  });

  it('is rejected: another state, another issuer in the address, an error, a used code', async () => {
    const attempt = newAttempt();
    const answer = await walk(attempt);
    const finish = (changes: Record<string, string>) =>
      client.finish(registration(), attempt, { ...answer, ...changes });
    await assert.rejects(finish({ state: 'tenant:another' }), because('refused'));
    await assert.rejects(finish({ iss: 'https://other.example' }), because('refused'));
    await assert.rejects(finish({ error: 'access_denied' }), because('refused'));
    await assert.rejects(
      client.finish(registration(), { ...attempt, codeVerifier: 'another'.padEnd(43, 'x') }, answer),
      because('refused'),
    );
    const other = newAttempt();
    const once = await walk(other);
    assert.ok(await client.finish(registration(), other, once));
    await assert.rejects(client.finish(registration(), other, once), because('refused'));
  });
});

describe('a misbehaving provider', () => {
  const metadata = '/.well-known/openid-configuration';
  const broken: readonly [
    string,
    string,
    (body: string) => { status?: number; body?: string; headers?: Record<string, string> },
  ][] = [
    [
      'whose metadata name another issuer',
      metadata,
      (body) => ({ body: body.replace(/"issuer":"[^"]+"/, '"issuer":"https://other.example"') }),
    ],
    ['whose metadata are no JSON', metadata, () => ({ body: '<html>', headers: { 'content-type': 'text/html' } })],
    ['whose metadata are not there', metadata, () => ({ status: 404, body: '{}' })],
    [
      'whose metadata are elsewhere',
      metadata,
      () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
    ],
    ['whose metadata are over 1 MiB', metadata, (body) => ({ body: body + ' '.repeat(1_048_577) })],
    ['whose key set is over 1 MiB', '/jwks', (body) => ({ body: body + ' '.repeat(1_048_577) })],
    ['whose key set is not there', '/jwks', () => ({ status: 404 })],
    ['whose token endpoint fails', '/token', () => ({ status: 503, body: '{}' })],
    [
      'whose token endpoint speaks HTML',
      '/token',
      () => ({ body: '<html>', headers: { 'content-type': 'text/html' } }),
    ],
    ['whose userinfo fails', '/me', () => ({ status: 500 })],
  ];
  for (const [what, path, answer] of broken) {
    it(`is reported as one ${what}`, async () => {
      provider.alter = (asked, body) => (asked === path ? answer(body) : undefined);
      await assert.rejects(signIn(), because('provider'));
    });
  }

  it("isn't waited for", async () => {
    const hasty = createOidcClient(outbound, { allowHttp: true, withinMs: 500 });
    for (const path of [metadata, '/token', '/jwks']) {
      const attempt = newAttempt();
      const answer = await walk(attempt);
      let release: () => void = () => undefined;
      const held = new Promise<undefined>((resolve) => {
        release = () => resolve(undefined);
      });
      provider.alter = (asked) => (asked === path ? held : undefined);
      // The provider never answers; whatever ends it is our own limit.
      await assert.rejects(hasty.finish(registration(), attempt, answer), because('provider'), path);
      provider.alter = null;
      release();
    }
  });

  it("isn't called at a blocked address", async () => {
    const closed = createOutbound({ allowHttp: true });
    try {
      const before = provider.asked.length;
      const strict = createOidcClient(closed, { allowHttp: true });
      await assert.rejects(strict.begin(registration(), newAttempt(), scope), because('provider'));
      assert.equal(provider.asked.length, before);
      // Metadata may be open and still name an address that is not.
      provider.alter = (path, body) =>
        path === metadata
          ? { body: body.replace(/"token_endpoint":"[^"]+"/, '"token_endpoint":"http://169.254.169.254/token"') }
          : undefined;
      await assert.rejects(signIn(), because('provider'));
    } finally {
      await closed.close();
    }
  });

  it('is called over https only, unless the operator allows http', async () => {
    const strict = createOidcClient(outbound, { allowHttp: false });
    await assert.rejects(strict.begin(registration(), newAttempt(), scope), because('provider'));
  });
});
