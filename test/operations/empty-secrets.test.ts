import assert from 'node:assert/strict';
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isSecret, isSignature, namesTenant, type Operation, operations } from '@arbiter/contract';
import { type Config, readConfig, variables } from '../../packages/server/src/config.ts';
import { createPeople, trusting } from '../../packages/server/src/features/identity/accounts/test-people.ts';
import {
  startServerOn,
  startTestServer,
  type TestNode,
  type TestServer,
  type TestServerOptions,
} from '../../packages/server/src/main/test-server.ts';

/**
 * The matrix of empty secrets (docs/design/quality.md T5): a secret that is unset, empty or blank opens nothing and
 * signs nothing, and no call returns 200 or 500 because of it. `proven` lists each secret of the configuration; a new
 * one that is missing fails the first test.
 */
const proven: Readonly<Record<string, string>> = {
  API_KEY_PEPPER: 'keys and clients: none is made and none opens',
  JWT_SIGNING_SECRET: 'access tokens: none is made and none opens, not even one signed with an empty key',
  NEXTAUTH_SECRET: 'sessions and links: none is made and none opens, not even one signed with an empty key',
  CRON_SECRET: 'the routes for schedulers are closed',
  CRON_TOKEN: 'the tick is closed, unless CRON_SECRET opens it',
  DATA_ENCRYPTION_KEY: 'no secret is stored',
  DATA_ENCRYPTION_KEYS_OLD: 'read as no key at all',
  GOOGLE_CLIENT_SECRET: 'sign-in with Google is not there',
  LLM_API_KEY: 'narratives are not configured, where the provider needs a key',
  METRICS_TOKEN: 'the metrics are closed',
  AWS_ACCESS_KEY_ID: 'read as unset: mail goes another way',
  AWS_SECRET_ACCESS_KEY: 'read as unset: mail goes another way',
  AWS_SESSION_TOKEN: 'read as unset: it is not sent',
  DATABASE_URL: 'read as unset: the embedded database',
  DATABASE_ADMIN_URL: 'read as unset: nothing is migrated with it',
  DATABASE_DIRECT_URL: 'read as unset: DATABASE_URL stands for it',
  ARCHIVE_URL: 'read as unset: nothing is archived',
  EXPORT_S3_URL: 'read as unset: no file is copied, and destination s3 is not configured',
  SMTP_URL: 'read as unset: mail goes another way',
  WEBHOOK_SIGNING_SECRET: 'the webhook of deliveries is closed, unless the provider signs',
  WHATSAPP_APP_SECRET: 'the webhook of WhatsApp is closed',
  WHATSAPP_WEBHOOK_VERIFY_TOKEN: 'no webhook of WhatsApp is set up',
};

const names = Object.entries(variables).flatMap(([name, variable]) => (variable.secret ? [name] : []));

test('this matrix has every secret of the configuration', () => {
  assert.deepEqual(Object.keys(proven).sort(), [...names].sort());
});

const readWith = (value: string | undefined): Config =>
  readConfig(Object.fromEntries(names.map((name) => [name, value])));
/** What every spelling is read as, so the servers below stand for all of them. */
const config = readWith(undefined);

test('treats unset, empty and blank secrets alike', () => {
  for (const name of names) {
    const value: unknown = Reflect.get(config, name);
    assert.ok(value === null || (Array.isArray(value) && value.length === 0), name);
  }
  assert.deepEqual(config.blank, []);
  for (const value of ['', ' \t']) {
    const { blank, warnings, ...read } = readWith(value);
    assert.deepEqual([...blank].sort(), [...names].sort());
    assert.equal(warnings.length, names.length + config.warnings.length);
    assert.deepEqual({ ...config, ...read }, config);
  }
});

/** Credentials that a caller could make up. */
const forms: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: '' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer undefined' },
  { authorization: 'Bearer null' },
  { authorization: 'null' },
  { 'x-api-key': '' },
  { 'x-api-key': 'undefined' },
  { cookie: 'arbiter_session=' },
  { cookie: 'arbiter_session=undefined' },
];

const all: readonly Operation[] = Object.values(operations);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token with these claims, signed with the key that an empty secret would give. */
function forged(typ: string, purpose: string, claims: object, secret: string): string {
  const text = `${part({ alg: 'HS256', typ })}.${part(claims)}`;
  const root = createSecretKey(Buffer.from(secret));
  const key = Buffer.from(hkdfSync('sha256', root, '', `arbiter:${purpose}`, 32));
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

let server: TestServer;
/** Cookie of an admin, from the server with the secrets. */
let cookie: string;
before(async () => {
  server = await startTestServer({ config: trusting });
  const people = createPeople(server);
  cookie = await people.signIn(await people.person(server.tenants[0], { role: 'admin' }));
});
after(() => server?.close());

describe('without secrets', () => {
  const others: TestNode[] = [];
  after(async () => {
    for (const other of others) await other.close();
  });
  /** Starts a server on the same database with only these secrets empty. */
  function without(...empty: (keyof Config)[]): TestNode {
    const changed = Object.fromEntries(empty.map((name) => [name, config[name]]));
    const options: TestServerOptions = { config: { ...trusting, ...changed } };
    const other = startServerOn({ ...server.testDatabase, close: async () => undefined }, options);
    others.push(other);
    return other;
  }

  test('all of them: no operation with a credential opens to an empty one', async () => {
    const closed = without(
      'API_KEY_PEPPER',
      'JWT_SIGNING_SECRET',
      'NEXTAUTH_SECRET',
      'METRICS_TOKEN',
      'CRON_SECRET',
      'CRON_TOKEN',
      'WEBHOOK_SIGNING_SECRET',
      'WHATSAPP_APP_SECRET',
    );
    const keyed = all.filter(({ auth }) => namesTenant(auth) || isSecret(auth) || isSignature(auth));
    for (const { id, method, path, auth } of keyed) {
      const own = isSecret(auth) ? auth.headers : isSignature(auth) ? [auth.header] : [];
      const sent = [...forms, ...own.flatMap((name) => ['', 'undefined', 'null'].map((text) => ({ [name]: text })))];
      for (const headers of sent) {
        const answer = await closed.call(method, path.replaceAll(/\{\w+\}/g, 'x'), { key: null, headers });
        assert.equal(answer.status, 401, `${id} with ${JSON.stringify(headers)}: ${answer.text}`);
      }
    }
    const real = { authorization: `Bearer ${server.tenants[0].keys.admin}` };
    assert.equal((await closed.call('GET', '/api/v1/tenant', { key: null, headers: real })).status, 401);
    assert.equal((await closed.call('GET', '/api/v1/tenant', { key: null, headers: { cookie } })).status, 401);
  });

  test('webhooks: an empty key signs nothing, and an empty token sets up nothing', async () => {
    const closed = without('WEBHOOK_SIGNING_SECRET', 'WHATSAPP_APP_SECRET', 'WHATSAPP_WEBHOOK_VERIFY_TOKEN');
    for (const [path, header] of [
      ['delivery', 'x-webhook-signature'],
      ['whatsapp', 'x-hub-signature-256'],
    ] as const) {
      for (const key of ['', ' ', 'undefined', 'null']) {
        const signature = `sha256=${createHmac('sha256', key).update('{}').digest('hex')}`;
        const call = { key: null, headers: { [header]: signature }, body: {} };
        const answer = await closed.call('POST', `/api/v1/webhooks/${path}`, call);
        assert.equal(answer.status, 401, answer.text);
      }
    }
    for (const token of ['', ' ', 'undefined', 'null']) {
      const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': 'x' });
      assert.equal((await closed.call('GET', `/api/v1/webhooks/whatsapp?${query}`, { key: null })).status, 403);
    }
  });

  test('API_KEY_PEPPER: creates and accepts no keys or clients, and names the setting', async () => {
    const closed = without('API_KEY_PEPPER');
    const [tenant] = server.tenants;
    const get = await closed.call<{ detail: string }>('GET', '/api/v1/tenant', { key: tenant.keys.admin });
    assert.equal(get.status, 401);
    assert.match(get.body.detail, /API_KEY_PEPPER/);
    for (const path of ['/api/v1/api-keys', '/api/v1/oauth/clients']) {
      const body = { name: 'x' };
      const made = await closed.call<{ code: string; detail: string }>('POST', path, {
        key: null,
        headers: { cookie },
        body,
      });
      assert.deepEqual([made.status, made.body.code], [503, 'not_configured'], made.text);
      assert.match(made.body.detail, /API_KEY_PEPPER/);
    }
    for (const client_secret of ['', 'undefined', 'null', 'kcs_x']) {
      const body = { grant_type: 'client_credentials', client_id: `kci_${client_secret}`, client_secret };
      const token = await closed.call('POST', '/api/v1/oauth/token', { key: null, body });
      assert.ok(token.status === 401 || (token.status === 400 && client_secret === ''), token.text);
    }
  });

  test('JWT_SIGNING_SECRET and its fallback: creates and accepts no access token', async () => {
    const closed = without('JWT_SIGNING_SECRET', 'NEXTAUTH_SECRET');
    const [tenant] = server.tenants;
    const client = await server.call<{ clientId: string; clientSecret: string }>('POST', '/api/v1/oauth/clients', {
      body: {},
    });
    const { clientId: client_id, clientSecret: client_secret } = client.body;
    const body = { grant_type: 'client_credentials', client_id, client_secret };
    const token = await closed.call<{ error: string }>('POST', '/api/v1/oauth/token', { key: null, body });
    assert.deepEqual([token.status, token.body.error], [503, 'server_error'], token.text);
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { sub: client_id, tid: tenant.id, role: 'admin', scopes: ['admin'], iss: 'arbiter', jti: 'x' };
    const lived = { ...claims, iat: seconds, exp: seconds + 3600 };
    for (const secret of ['', ' ', 'undefined', 'null']) {
      const bearer = forged('at+jwt', 'access', lived, secret);
      const headers = { authorization: `Bearer ${bearer}` };
      const answer = await closed.call('GET', '/api/v1/tenant', { key: null, headers });
      assert.equal(answer.status, 401, `signed with ${JSON.stringify(secret)}: ${answer.text}`);
    }
  });

  test('NEXTAUTH_SECRET: nobody signs in, and no session is accepted', async () => {
    const closed = without('NEXTAUTH_SECRET');
    const people = createPeople(server);
    const person = await people.person(server.tenants[0]);
    const login = await createPeople(closed).login({ email: person.email, password: person.password });
    assert.deepEqual([login.status, login.body.code], [503, 'not_configured'], login.text);
    const [, payload = ''] = cookie.split('=')[1]?.split('.') ?? [];
    const claims: object = JSON.parse(Buffer.from(payload, 'base64url').toString());
    for (const secret of ['', ' ', 'undefined', 'null']) {
      const headers = { cookie: `arbiter_session=${forged('session+jwt', 'session', claims, secret)}` };
      const answer = await closed.call('GET', '/api/v1/tenant', { key: null, headers });
      assert.equal(answer.status, 401, `signed with ${JSON.stringify(secret)}: ${answer.text}`);
    }
  });

  test('GOOGLE_CLIENT_SECRET: there is no sign-in with Google, whatever its ID', async () => {
    const changed = { GOOGLE_CLIENT_ID: 'an id', GOOGLE_CLIENT_SECRET: config.GOOGLE_CLIENT_SECRET };
    const options: TestServerOptions = { config: { ...trusting, ...changed } };
    const closed = startServerOn({ ...server.testDatabase, close: async () => undefined }, options);
    others.push(closed);
    for (const path of ['/api/auth/signin/google', '/api/auth/callback/google?code=x&state=y']) {
      assert.equal((await closed.call('GET', path, { key: null })).status, 404, path);
    }
  });

  test('DATA_ENCRYPTION_KEY: stores no secret in plain text', async () => {
    const closed = without('DATA_ENCRYPTION_KEY');
    const [tenant] = server.tenants;
    const body = {
      name: 'Channel',
      channelType: 'webhook',
      providerConfig: { url: 'https://hooks.example.com/x', headers: { Authorization: 'Bearer of the provider' } },
    };
    const made = await closed.call<{ code: string }>('POST', '/api/v1/channels', { key: tenant.keys.admin, body });
    assert.deepEqual([made.status, made.body.code], [503, 'not_configured'], made.text);
  });

  test('DATA_ENCRYPTION_KEY: queues no email, and reveals no known addresses', async () => {
    const closed = without('DATA_ENCRYPTION_KEY');
    for (const path of ['forgot-password', 'resend-verification']) {
      const answer = await closed.call<{ code: string }>('POST', `/api/v1/auth/${path}`, {
        key: null,
        body: { email: 'stranger@nowhere.test' },
      });
      assert.deepEqual([answer.status, answer.body.code], [503, 'not_configured'], answer.text);
    }
  });
});

test('the same calls succeed with secrets, so the errors above come from missing ones', async () => {
  const [tenant] = server.tenants;
  assert.equal((await server.call('GET', '/api/v1/tenant', { key: null, headers: { cookie } })).status, 200);
  const made = await server.call<{ clientId: string; clientSecret: string }>('POST', '/api/v1/oauth/clients', {
    body: {},
  });
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { sub: made.body.clientId, tid: tenant.id, scopes: ['read'], iss: 'arbiter', jti: 'x' };
  const lived = { ...claims, iat: seconds, exp: seconds + 3600 };
  const bearer = forged('at+jwt', 'access', lived, 'a signing secret of the tests');
  const headers = { authorization: `Bearer ${bearer}` };
  assert.equal((await server.call('GET', '/api/v1/tenant', { key: null, headers })).status, 200);
});
