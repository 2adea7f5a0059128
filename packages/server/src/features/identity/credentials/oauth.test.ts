import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestDatabase } from '../../../db/test-database.ts';
import { startServerOn, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { deriveKey, keyOf } from '../../../platform/crypto/crypto.ts';

const secret = 'a signing secret of this test';
let now = Date.parse('2026-11-22T12:00:00Z');
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now }, config: { JWT_SIGNING_SECRET: secret } });
});
after(() => server.close());

interface Client {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

const makeClient = async (body: object = {}, tenant = 0): Promise<Client> => {
  const key = server.tenants[tenant]!.keys.admin;
  const made = await server.call<Client>('POST', '/api/v1/oauth/clients', { body, key });
  assert.equal(made.status, 201, made.text);
  return made.body;
};

interface TokenAnswer {
  readonly access_token: string;
  readonly error?: string;
  readonly error_description?: string;
  readonly scope?: string;
}

let addresses = 0;
/** From a new address each time, unless the test counts them. */
const ask = (payload: string | object, headers: Record<string, string> = {}, address?: string) => {
  addresses += 1;
  const type = typeof payload === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
  return server.app
    .inject({
      method: 'POST',
      url: '/api/v1/oauth/token',
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      headers: { 'content-type': type, ...headers },
      remoteAddress: address ?? `10.1.${addresses >> 8}.${addresses & 255}`,
    })
    .then((answer) => ({
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      body: JSON.parse(answer.payload) as TokenAnswer,
    }));
};

const grant = ({ clientId, clientSecret }: Client, more: object = {}) => ({
  grant_type: 'client_credentials',
  client_id: clientId,
  client_secret: clientSecret,
  ...more,
});
const basic = (id: string, secretOf: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secretOf}`).toString('base64')}`,
});
const tokenOf = async (client: Client, more: object = {}): Promise<string> => {
  const answer = await ask(grant(client, more));
  assert.equal(answer.status, 200, answer.text);
  return answer.body.access_token;
};
const get = (token: string, path = '/api/v1/offers') =>
  server.call('GET', path, { key: null, headers: { authorization: `Bearer ${token}` } });

const part = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** A token signed with the server's key for this purpose. */
function signed(header: object | string, payload: object | string, purpose = 'access'): string {
  const key = deriveKey(keyOf(secret)!, purpose);
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
const headerOf = { alg: 'HS256', typ: 'at+jwt' };
const claimsOf = (client: Client, more: object = {}) => ({
  tid: server.tenants[0].id,
  role: 'viewer',
  scopes: ['read'],
  sub: client.clientId,
  iss: 'arbiter',
  iat: Math.floor(now / 1000),
  exp: Math.floor(now / 1000) + 3600,
  jti: 'one',
  ...more,
});

test("shows a client's secret once; lists show the prefix, the audit row neither", async () => {
  const made = await server.call('POST', '/api/v1/oauth/clients', { body: { scopes: ['write', 'root', 'read'] } });
  assert.equal(made.status, 201);
  assert.match(String(made.body.clientId), /^kci_[0-9a-f]{32}$/);
  assert.match(String(made.body.clientSecret), /^kcs_[0-9a-f]{64}$/);
  assert.match(String(made.body.name), /^oauth-client-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(made.body.scopes, ['read', 'write']);
  const list = await server.call<{ data: Client[]; total: number }>('GET', '/api/v1/oauth/clients');
  const { clientSecret: _secret, warning: _warning, ...described } = made.body;
  assert.deepEqual(list.body.data[0], { ...described, clientIdPrefix: String(made.body.clientId).slice(0, 12) });
  assert.equal(list.body.total, list.body.data.length);
  const audit = await server.call('GET', `/api/v1/audit-logs?entityType=oauthClient&entityId=${String(made.body.id)}`);
  assert.match(audit.text, /"action":"create"/);
  assert.ok(!audit.text.includes(String(made.body.clientSecret)));
  const { rows } = await server.testDatabase
    .ownerQuery<{ found: boolean }>(
      `select exists (select from arbiter.oauth_clients where secret_hash = $1) as found`,
      [Buffer.from(String(made.body.clientSecret))],
    )
    .then((found) => ({ rows: found }));
  assert.deepEqual(rows, [{ found: false }]);
});

test('no known scope, or none, becomes read', async () => {
  const nothings = [['root', 'scim'], ['Admin'], [null], [1], [{}], [['admin']]].map((scopes) => ({ scopes }));
  for (const body of [{}, { scopes: [] }, ...nothings]) {
    assert.deepEqual((await makeClient(body)).scopes, ['read'], JSON.stringify(body));
  }
});

test('bad bodies create no client, nor do editors', async () => {
  const count = async () => (await server.call<{ total: number }>('GET', '/api/v1/oauth/clients')).body.total;
  const before = await count();
  for (const body of [{ name: ' ' }, { name: 'x'.repeat(121) }, { scopes: 'read' }, { scopes: {} }]) {
    const { status, body: problem } = await server.call('POST', '/api/v1/oauth/clients', { body });
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], JSON.stringify(body));
  }
  const editor = server.tenants[0].keys.editor;
  assert.equal((await server.call('POST', '/api/v1/oauth/clients', { body: {}, key: editor })).status, 403);
  assert.equal(await count(), before);
});

test('gives a token for JSON, a form and HTTP Basic, with the claims of the contract', async () => {
  const client = await makeClient({ scopes: ['write', 'read'] });
  const form = new URLSearchParams(grant(client) as Record<string, string>).toString();
  const half = { grant_type: 'client_credentials' };
  for (const answer of [
    await ask(grant(client)),
    await ask(form),
    await ask(half, basic(client.clientId, client.clientSecret)),
  ]) {
    assert.equal(answer.status, 200, answer.text);
    const { access_token, ...rest } = answer.body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'read write' });
    assert.equal(answer.headers['cache-control'], 'no-store');
    const [header, payload] = access_token
      .split('.')
      .slice(0, 2)
      .map((text) => JSON.parse(String(Buffer.from(text, 'base64url'))));
    assert.deepEqual(header, headerOf);
    const { jti, ...claims } = payload;
    assert.match(jti, /^[0-9a-f-]{36}$/);
    const { jti: _jti, ...expected } = claimsOf(client, { role: 'editor', scopes: ['read', 'write'] });
    assert.deepEqual(claims, expected);
    assert.equal((await get(access_token)).status, 200);
  }
});

test('a token opens what its scopes open, is audited as its client, and names its owner', async () => {
  const client = await makeClient({ name: 'Loader', scopes: ['read', 'write'] });
  const token = await tokenOf(client);
  const headers = { authorization: `Bearer ${token}` };
  const made = await server.call('POST', '/api/v1/categories', { key: null, headers, body: { name: 'By token' } });
  assert.equal(made.status, 201, made.text);
  const { body } = await server.call<{ data: Record<string, unknown>[] }>(
    'GET',
    '/api/v1/audit-logs?entityType=category',
  );
  assert.deepEqual([body.data[0]?.userId, body.data[0]?.userName], [`oauth:${client.id}`, 'Loader']);
  assert.equal((await get(token, '/api/v1/api-keys')).status, 403);
  const session = await get(token, '/api/v1/auth/session');
  assert.deepEqual(session.body, {
    authenticated: true,
    principal: {
      kind: 'oauth_client',
      id: client.id,
      name: 'Loader',
      userId: null,
      role: 'editor',
      scopes: ['read', 'write'],
    },
    tenant: { id: server.tenants[0].id, name: server.tenants[0].name, isPlayground: false },
    expiresAt: new Date((Math.floor(now / 1000) + 3600) * 1000).toISOString(),
  });
  const narrowed = await tokenOf(client, { scope: 'read' });
  assert.equal(
    (
      await server.call('POST', '/api/v1/categories', {
        key: null,
        headers: { authorization: `Bearer ${narrowed}` },
        body: { name: 'No' },
      })
    ).status,
    403,
  );
});

test('scope narrows and never widens', async () => {
  const client = await makeClient({ scopes: ['read', 'write'] });
  for (const [scope, granted] of [
    ['write  read', 'read write'],
    ['read', 'read'],
    ['', 'read write'],
    [' ', 'read write'],
  ]) {
    assert.equal((await ask(grant(client, { scope }))).body.scope, granted);
  }
  for (const scope of ['admin', 'read admin', 'READ', 'read,write']) {
    const answer = await ask(grant(client, { scope }));
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_scope'], scope);
  }
});

test('errors use the codes of RFC 6749, in the order of the checks', async () => {
  const client = await makeClient();
  const good = grant(client);
  const cases: [string, string | object, Record<string, string>, number, string][] = [
    ['other grant', { ...good, grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['no grant, nothing else', {}, {}, 400, 'unsupported_grant_type'],
    ['no secret', { ...good, client_secret: undefined }, {}, 400, 'invalid_request'],
    ['empty id', { ...good, client_id: '' }, {}, 400, 'invalid_request'],
    ['a number', { ...good, client_id: 7 }, {}, 400, 'invalid_request'],
    [
      'repeated in a form',
      'grant_type=client_credentials&client_id=a&client_id=b&client_secret=c',
      {},
      400,
      'invalid_request',
    ],
    ['both places', good, basic(client.clientId, client.clientSecret), 400, 'invalid_request'],
    ['unreadable header', { grant_type: 'client_credentials' }, { authorization: 'Basic !!' }, 400, 'invalid_request'],
    ['unknown client', { ...good, client_id: `kci_${'0'.repeat(32)}` }, {}, 401, 'invalid_client'],
    ['wrong secret', { ...good, client_secret: `kcs_${'0'.repeat(64)}` }, {}, 401, 'invalid_client'],
    ['not JSON', '{', { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['a list', '[]', { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['another type', 'x', { 'content-type': 'text/plain' }, 415, 'invalid_request'],
  ];
  for (const [what, payload, headers, status, error] of cases) {
    const answer = await ask(payload, headers);
    assert.deepEqual([answer.status, answer.body.error], [status, error], `${what}: ${answer.text}`);
    assert.equal(typeof answer.body.error_description, 'string', what);
    assert.deepEqual(Object.keys(answer.body).sort(), ['error', 'error_description'], what);
    if (status === 401) assert.match(String(answer.headers['www-authenticate']), /^Basic/);
  }
  const unknown = await ask({ ...good, client_id: `kci_${'0'.repeat(32)}` });
  const wrong = await ask({ ...good, client_secret: `kcs_${'0'.repeat(64)}` });
  assert.equal(unknown.text, wrong.text);
});

test("a revoked client gets no new token but keeps its old ones; other tenants can't revoke it", async () => {
  const client = await makeClient();
  const token = await tokenOf(client);
  const other = server.tenants[1]!.keys.admin;
  const path = `/api/v1/oauth/clients?id=${client.id}`;
  assert.equal((await server.call('DELETE', path, { key: other })).status, 404);
  assert.equal((await server.call('DELETE', '/api/v1/oauth/clients')).status, 400);
  assert.equal((await server.call('DELETE', '/api/v1/oauth/clients?id=x')).status, 404);
  assert.equal((await server.call('DELETE', path)).status, 204);
  assert.equal((await server.call('DELETE', path)).status, 404);
  assert.deepEqual((await ask(grant(client))).body.error, 'invalid_client');
  assert.equal((await get(token)).status, 200);
  const audit = await server.call('GET', `/api/v1/audit-logs?entityType=oauthClient&entityId=${client.id}`);
  assert.match(audit.text, /"action":"revoke"/);
});

test('a token sees only its own tenant, and expires after an hour', async () => {
  const there = await makeClient({ scopes: ['read'] }, 1);
  const token = await tokenOf(there);
  const { body } = await get(token, '/api/v1/tenant');
  assert.equal(body.id, server.tenants[1]!.id);
  const mismatch = { authorization: `Bearer ${token}`, 'x-tenant-id': server.tenants[0].id };
  assert.equal((await server.call('GET', '/api/v1/tenant', { key: null, headers: mismatch })).status, 403);
  now += 3_599_000;
  assert.equal((await get(token)).status, 200);
  now += 1_000;
  const ended = await get(token);
  assert.deepEqual([ended.status, ended.headers['www-authenticate']], [401, 'Bearer error="invalid_token"']);
});

test("rejects a token that isn't ours, whatever it says (T7)", async () => {
  const client = await makeClient({ scopes: ['read'] });
  const claims = claimsOf(client);
  assert.equal((await get(signed(headerOf, claims))).status, 200, 'the form that the test makes is a good one');
  const seconds = Math.floor(now / 1000);
  const text = JSON.stringify(claims);
  const bad: Record<string, string> = {
    'alg none': `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`,
    'alg None': signed({ alg: 'None', typ: 'at+jwt' }, claims),
    'alg RS256': signed({ alg: 'RS256', typ: 'at+jwt' }, claims),
    'alg HS512': signed({ alg: 'HS512', typ: 'at+jwt' }, claims),
    'no typ': signed({ alg: 'HS256' }, claims),
    'typ JWT': signed({ alg: 'HS256', typ: 'JWT' }, claims),
    'key of sessions': signed(headerOf, claims, 'session'),
    'key of mails': signed(headerOf, claims, 'mail'),
    'twin claims': signed(headerOf, text.replace('"scopes":["read"]', '"scopes":["read"],"scopes":["admin"]')),
    'no exp': signed(headerOf, { ...claims, exp: undefined }),
    'exp a fraction': signed(headerOf, { ...claims, exp: seconds + 10.5 }),
    'exp a text': signed(headerOf, { ...claims, exp: String(seconds + 10) }),
    'exp endless': signed(headerOf, text.replace(/"exp":\d+/, '"exp":1e999')),
    'made in the future': signed(headerOf, { ...claims, iat: seconds + 600, exp: seconds + 4200 }),
    'made long ago': signed(headerOf, { ...claims, iat: seconds - 4000 }),
    'another issuer': signed(headerOf, { ...claims, iss: 'elsewhere' }),
    'unknown client': signed(headerOf, { ...claims, sub: `kci_${'0'.repeat(32)}` }),
    'another tenant': signed(headerOf, { ...claims, tid: server.tenants[1]!.id }),
    'tenant no id': signed(headerOf, { ...claims, tid: "' or 1=1" }),
    'no scopes': signed(headerOf, { ...claims, scopes: [] }),
    'scope scim': signed(headerOf, { ...claims, scopes: ['scim'] }),
    crit: signed({ ...headerOf, crit: ['x'], x: 1 }, claims),
    'bare text': 'abc',
    'three dots': 'a.b.c.d',
  };
  for (const [what, token] of Object.entries(bad)) assert.equal((await get(token)).status, 401, what);
  const raised = await get(
    signed({ ...headerOf, kid: '../../etc/passwd' }, { ...claims, role: 'admin' }),
    '/api/v1/api-keys',
  );
  assert.equal(raised.status, 403, 'the role is worked out from the scopes');
});

test('allows 20 calls a minute per client, counting all results, and per address without one', async () => {
  const client = await makeClient();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => ask(grant(client, i % 2 === 0 ? {} : { scope: 'admin' }))),
  );
  const statuses = Map.groupBy(answers, ({ status }) => status);
  assert.equal(statuses.get(429)?.length, 40);
  const refusedOne = statuses.get(429)![0]!;
  assert.equal(refusedOne.body.error, 'rate_limit_exceeded');
  const window = ({ headers }: typeof refusedOne) => [headers['ratelimit-limit'], headers['ratelimit-remaining']];
  assert.deepEqual(window(refusedOne), ['20', '0']);
  // The window of the client, which is the tighter one, also where the call is refused for another reason.
  const left = answers.filter(({ status }) => status !== 429).map((answer) => window(answer).map(Number));
  assert.ok(left.every(([limit]) => limit === 20));
  assert.deepEqual(
    left.map(([, remaining]) => remaining).sort((a, b) => a! - b!),
    Array.from({ length: 20 }, (_, i) => i),
  );
  assert.match(String(refusedOne.headers['retry-after']), /^\d+$/);
  const nameless: number[] = [];
  for (let i = 0; i < 21; i += 1)
    nameless.push(
      (await ask(i % 2 ? '{' : 'grant_type=x', i % 2 ? { 'content-type': 'application/json' } : {}, '10.9.9.9')).status,
    );
  assert.deepEqual(nameless, [...Array.from({ length: 20 }, () => 400), 429]);
});

test('without a signing secret, creates and accepts no token', async () => {
  const closed = await startTestServer({ config: { JWT_SIGNING_SECRET: ' ', NEXTAUTH_SECRET: null } });
  try {
    const { body } = await closed.call<Client>('POST', '/api/v1/oauth/clients', { body: {} });
    const answer = await closed.call('POST', '/api/v1/oauth/token', { key: null, body: grant(body) });
    assert.deepEqual([answer.status, answer.body.error], [503, 'server_error']);
    const client = await makeClient();
    const taken = await closed.call('GET', '/api/v1/offers', {
      key: null,
      headers: { authorization: `Bearer ${await tokenOf(client)}` },
    });
    assert.equal(taken.status, 401);
    assert.match(taken.text, /NEXTAUTH_SECRET is set/);
  } finally {
    await closed.close();
  }
});

test('without a pepper, rejects token requests and says why', async () => {
  const blind = startServerOn(await createTestDatabase(), { config: { API_KEY_PEPPER: null } });
  try {
    const body = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' };
    const answer = await blind.call('POST', '/api/v1/oauth/token', { key: null, body });
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client']);
    assert.match(answer.text, /API_KEY_PEPPER is not set/);
  } finally {
    await blind.close();
  }
});
