import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { CustomerId, type Operation, operation, systemOperations } from '@arbiter/contract';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import Type from 'typebox';
import { AppError } from '../platform/app-error.ts';
import { type Handlers, handlerEntries, reply } from './handler.ts';
import { createTestApp, keys, principals, tenantB } from './test-app.ts';

const base = { tag: 'T', summary: 's', errors: [], audit: [], transaction: 'none', loadClass: 'crud' } as const;
const Answer = Type.Unsafe<unknown>({ description: 'Anything.' });
const answers = { 200: { description: 'Done.', schema: Answer } } as const;

const things = {
  create: operation({
    ...base,
    id: 'things.create',
    method: 'POST',
    path: '/api/v1/things',
    aliases: ['/api/things'],
    auth: 'credential',
    role: 'editor',
    idempotent: true,
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, description: 'Name.' }),
        amount: Type.Optional(Type.Number({ description: 'Amount.' })),
        tags: Type.Optional(Type.Array(Type.String({ description: 'Tag.' }), { description: 'Tags.' })),
        more: Type.Optional(Type.Unsafe<unknown>({ description: 'Anything.' })),
      },
      { description: 'Thing.' },
    ),
    bodyLimit: 200_000,
    responses: answers,
  }),
  list: operation({
    ...base,
    id: 'things.list',
    method: 'GET',
    path: '/api/v1/things',
    auth: 'credential',
    role: 'viewer',
    query: Type.Object(
      {
        limit: Type.Optional(Type.Integer({ minimum: 1, default: 25, description: 'Limit.' })),
        flag: Type.Optional(Type.Boolean({ description: 'Flag.' })),
        ratio: Type.Optional(Type.Number({ description: 'Ratio.' })),
        search: Type.Optional(Type.String({ description: 'Search.' })),
        topic: Type.Optional(Type.Array(Type.String({ description: 'Topic.' }), { description: 'Topics.' })),
      },
      { description: 'Query.' },
    ),
    responses: answers,
  }),
  read: operation({
    ...base,
    id: 'things.read',
    method: 'GET',
    path: '/api/v1/things/{id}',
    auth: 'credential',
    role: 'viewer',
    params: Type.Object({ id: Type.String({ description: 'Id.' }) }, { description: 'Path.' }),
    responses: answers,
  }),
  remove: operation({
    ...base,
    id: 'things.remove',
    method: 'DELETE',
    path: '/api/v1/things/{id}',
    auth: 'credential',
    role: 'admin',
    params: Type.Object({ id: Type.String({ description: 'Id.' }) }, { description: 'Path.' }),
    headers: Type.Object(
      { 'X-Confirm-Delete': Type.Optional(Type.String({ description: 'Confirmation.' })) },
      { description: 'Headers.' },
    ),
    body: Type.Object({ reason: Type.Optional(Type.String({ description: 'Why.' })) }, { description: 'Body.' }),
    responses: answers,
  }),
  customer: operation({
    ...base,
    id: 'customers.read',
    method: 'GET',
    path: '/api/v1/customers/{customerId}',
    auth: 'credential',
    role: 'viewer',
    params: Type.Object({ customerId: CustomerId() }, { description: 'Path.' }),
    responses: answers,
  }),
  login: operation({
    ...base,
    id: 'auth.login',
    method: 'POST',
    path: '/api/v1/login',
    auth: 'none',
    role: null,
    body: Type.Object({ email: Type.String({ description: 'Address.' }) }, { description: 'Body.' }),
    responses: answers,
  }),
  hook: operation({
    ...base,
    id: 'hooks.receive',
    method: 'POST',
    path: '/api/v1/hook',
    auth: 'none',
    role: null,
    csrfExempt: true,
    responses: { 204: { description: 'Taken.', schema: null } },
  }),
  fail: operation({
    ...base,
    id: 'things.fail',
    method: 'GET',
    path: '/api/v1/fail/{how}',
    auth: 'credential',
    role: 'viewer',
    params: Type.Object({ how: Type.String({ description: 'How.' }) }, { description: 'Path.' }),
    responses: answers,
  }),
} satisfies Record<string, Operation>;

const secret = 'select secret from hidden_table';
const failures: Record<string, () => unknown> = {
  unknown: () => new Error(secret),
  text: () => secret,
  conflict: () => new AppError('row_version_conflict', { detail: 'version 3 is stale' }),
  busy: () => new AppError('unavailable', { retryAfterSeconds: 7 }),
  undeclared: () => null,
};

const handlers: Handlers<typeof things> = {
  create: async ({ body, role, actor, tenantId, idempotencyKey }) =>
    reply(200, { body, role, actorRole: actor.role, tenantId, idempotencyKey }),
  list: async ({ query }) => reply(200, query),
  read: async ({ params }) => reply(200, params),
  remove: async ({ params, headers, body }) => reply(200, { ...params, ...headers, ...body }),
  customer: async ({ params }) => reply(200, params),
  login: async ({ body }) => reply(200, body),
  hook: async () => reply(204, null),
  fail: async ({ params }) => {
    const thrown = failures[params.how]?.();
    if (thrown === null) return { status: 299 as 200, body: 'x' };
    if (params.how === 'header') return reply(200, {}, { 'x-bad': 'a\r\nset-cookie: b' });
    throw thrown;
  },
};

const { app, log } = createTestApp({ operations: things, handlers: new Map(handlerEntries(things, handlers)) });
after(() => app.close());

const json = { 'content-type': 'application/json' };
const as = (key: string) => ({ authorization: `Bearer ${key}`, 'x-requested-with': 'XMLHttpRequest' });

function code(response: LightMyRequestResponse): string {
  return `${response.statusCode} ${response.json<{ code?: string }>().code ?? ''}`.trim();
}

const create = (over: { headers?: Record<string, string>; payload?: string | Buffer; key?: string } = {}) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: { ...as(over.key ?? keys.editor), ...json, ...over.headers },
    payload: over.payload ?? '{"name":"a"}',
  });

describe('the order of checks', () => {
  // Each request fails its own check and as many later ones as it can. The first failure must win
  // (docs/design/api-access.md 3).
  const badBody = { payload: '{"na', headers: { 'content-type': 'text/plain' } };
  const cases: readonly [string, InjectOptions, string][] = [
    ['unknown path', { method: 'POST', url: '/api/v1/nothing', ...badBody }, '404 not_found'],
    ['unknown method', { method: 'PATCH', url: '/api/v1/things', ...badBody }, '405 method_not_allowed'],
    ['no credential', { method: 'POST', url: '/api/v1/things', ...badBody }, '401 unauthorized'],
    [
      'wrong credential',
      { method: 'POST', url: '/api/v1/things', ...badBody, headers: { authorization: `Bearer ${keys.unknown}` } },
      '401 unauthorized',
    ],
    [
      'another tenant',
      {
        method: 'POST',
        url: '/api/v1/things',
        payload: '{',
        headers: { authorization: `Bearer ${keys.viewer}`, 'x-tenant-id': tenantB, 'content-type': 'text/plain' },
      },
      '403 tenant_mismatch',
    ],
    [
      'no X-Requested-With',
      {
        method: 'POST',
        url: '/api/v1/things',
        payload: '{',
        headers: { authorization: `Bearer ${keys.viewer}`, 'content-type': 'text/plain' },
      },
      '403 csrf_header_required',
    ],
    [
      'role too low',
      {
        method: 'POST',
        url: '/api/v1/things',
        payload: '{',
        headers: { ...as(keys.viewer), 'content-type': 'text/plain' },
      },
      '403 forbidden',
    ],
    [
      'content type',
      {
        method: 'POST',
        url: '/api/v1/things',
        payload: 'x'.repeat(300_000),
        headers: { ...as(keys.editor), 'content-type': 'text/plain' },
      },
      '415 unsupported_media_type',
    ],
    [
      'size',
      {
        method: 'POST',
        url: '/api/v1/things',
        payload: 'x'.repeat(300_000),
        headers: { ...as(keys.editor), ...json },
      },
      '413 payload_too_large',
    ],
    [
      'syntax',
      { method: 'POST', url: '/api/v1/things', payload: '{', headers: { ...as(keys.editor), ...json } },
      '400 malformed_json',
    ],
    [
      'shape',
      { method: 'POST', url: '/api/v1/things', payload: '{}', headers: { ...as(keys.editor), ...json } },
      '400 validation_failed',
    ],
  ];
  for (const [name, request, expected] of cases) {
    test(`${name}: ${expected}`, async () => {
      const response = await app.inject(request);
      assert.equal(code(response), expected, response.body);
      assert.equal(response.headers['content-type'], 'application/problem+json');
    });
  }
});

test('405 names the methods of the path, and 404 needs no credential', async () => {
  const response = await app.inject({ method: 'PUT', url: '/api/v1/things' });
  assert.equal(response.headers.allow, 'GET, HEAD, POST');
  assert.equal((await app.inject({ method: 'OPTIONS', url: '/api/v1/things/x' })).headers.allow, 'DELETE, GET, HEAD');
  for (const url of [
    '/api/v1/things/',
    '/api/v1/Things',
    '/API/v1/things',
    '/api/v1/things/a/b',
    '//api/v1/things',
    '/',
  ]) {
    assert.equal(code(await app.inject({ method: 'GET', url })), '404 not_found', url);
  }
});

test('HEAD equals GET without a body', async () => {
  const get = await app.inject({ method: 'GET', url: '/api/v1/things', headers: as(keys.viewer) });
  const head = await app.inject({ method: 'HEAD', url: '/api/v1/things', headers: as(keys.viewer) });
  assert.equal(head.statusCode, 200);
  assert.equal(head.body, '');
  assert.equal(head.headers['content-length'], get.headers['content-length']);
});

test('an alias responds the same', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/api/things',
    headers: { ...as(keys.editor), ...json },
    payload: '{"name":"a"}',
  });
  assert.equal(response.statusCode, 200);
});

describe('credentials', () => {
  const get = (headers: Record<string, string | string[]>) =>
    app.inject({ method: 'GET', url: '/api/v1/things', headers });
  const cases: readonly [string, Record<string, string>, string][] = [
    ['bearer', { authorization: `Bearer ${keys.viewer}` }, '200'],
    ['bearer in lower case', { authorization: `bearer ${keys.viewer}` }, '200'],
    ['X-API-Key', { 'x-api-key': keys.viewer }, '200'],
    ['both alike', { authorization: `Bearer ${keys.viewer}`, 'x-api-key': keys.viewer }, '200'],
    ['blank bearer beside a key', { authorization: 'Bearer ', 'x-api-key': keys.viewer }, '200'],
    ['another scheme beside a key', { authorization: 'Basic YTpi', 'x-api-key': keys.viewer }, '200'],
    ['both, different', { authorization: `Bearer ${keys.viewer}`, 'x-api-key': keys.admin }, '401 unauthorized'],
    ['blank bearer', { authorization: 'Bearer ' }, '401 unauthorized'],
    ['bearer undefined', { authorization: 'Bearer undefined' }, '401 unauthorized'],
    ['bearer null', { authorization: 'Bearer null' }, '401 unauthorized'],
    ['no scheme', { authorization: keys.viewer }, '401 unauthorized'],
    ['key with a tail', { authorization: `Bearer ${keys.viewer} x` }, '401 unauthorized'],
    ['key in other letters', { authorization: `Bearer ${keys.viewer.toUpperCase()}` }, '401 unauthorized'],
    ['huge key', { authorization: `Bearer krn_${'a'.repeat(5000)}` }, '401 unauthorized'],
    ['key in the query', {}, '401 unauthorized'],
  ];
  for (const [name, headers, expected] of cases) {
    test(`${name}: ${expected}`, async () => assert.equal(code(await get(headers)), expected));
  }
  test('a 401 names the scheme', async () => assert.equal((await get({})).headers['www-authenticate'], 'Bearer'));
  test('X-Tenant-Id must name the tenant of the credential', async () => {
    const own = (value: string) => get({ authorization: `Bearer ${keys.viewer}`, 'x-tenant-id': value });
    assert.equal((await own('0199a000-0000-7000-8000-00000000000A')).statusCode, 200);
    assert.equal(code(await own(tenantB)), '403 tenant_mismatch');
    assert.equal(code(await own('x')), '403 tenant_mismatch');
    assert.equal((await get({ authorization: `Bearer ${keys.viewer}`, 'x-tenant-id': '' })).statusCode, 200);
  });
  test('a credential with only the scim scope opens nothing here', async () => {
    assert.equal(code(await get({ authorization: `Bearer ${keys.scim}` })), '403 forbidden');
  });
  test('X-User-Role lowers and never raises (T13)', async () => {
    const role = async (key: string, asked: string) => code(await create({ key, headers: { 'x-user-role': asked } }));
    assert.equal(await role(keys.admin, 'viewer'), '403 forbidden');
    assert.equal(await role(keys.viewer, 'admin'), '403 forbidden');
    assert.equal(await role(keys.admin, 'owner'), '200');
    assert.equal(await role(keys.admin, 'admin, viewer'), '403 forbidden');
    const lowered = await create({ key: keys.admin, headers: { 'x-user-role': 'editor' } });
    assert.deepEqual([lowered.json().role, lowered.json().actorRole], ['editor', 'editor']);
  });
  test('wrong credentials of one address are 429 after 600 a minute, and correct ones still pass (T19)', async () => {
    let now = 1_000_000;
    const limited = createTestApp({
      operations: things,
      handlers: new Map(handlerEntries(things, handlers)),
      clock: { now: () => now },
    });
    const wrong = (key = keys.unknown) =>
      limited.app.inject({
        method: 'GET',
        url: '/api/v1/things',
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': `10.0.0.${now % 250}` },
      });
    for (let tries = 0; tries < 600; tries += 1) {
      now += 1;
      assert.equal((await wrong()).statusCode, 401);
    }
    const refused = await wrong();
    assert.equal(code(refused), '429 rate_limited');
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await wrong(keys.viewer)).statusCode, 200);
    now += 60_000;
    assert.equal((await wrong()).statusCode, 401);
    await limited.app.close();
  });
  test('beyond that limit, looks up ten unknown keys a second, and known ones pass (T19)', async () => {
    let now = 1_000_000;
    let lookUps = 0;
    const limited = createTestApp({
      operations: things,
      handlers: new Map(handlerEntries(things, handlers)),
      clock: { now: () => now },
      // This process knows the viewer's key and looks up all others.
      authenticate: (presented, beforeLookUp) => {
        if (presented.value === keys.viewer) return principals.get(presented.value) ?? null;
        beforeLookUp?.();
        lookUps += 1;
        return Promise.resolve(principals.get(presented.value) ?? null);
      },
    });
    const call = (key: string, remoteAddress = '192.0.2.1') =>
      limited.app.inject({ url: '/api/v1/things', remoteAddress, headers: { authorization: `Bearer ${key}` } });
    for (let tries = 0; tries < 600; tries += 1) assert.equal((await call(keys.unknown)).statusCode, 401);
    assert.equal(lookUps, 600, 'before the limit every key is looked up');
    const refused = await Promise.all(Array.from({ length: 50 }, () => call(keys.unknown)));
    for (const answer of refused) assert.equal(code(answer), '429 rate_limited');
    assert.equal(lookUps, 610);
    assert.equal(refused.at(-1)?.headers['retry-after'], '1');
    assert.equal((await call(keys.viewer)).statusCode, 200);
    assert.equal(code(await call(keys.editor)), '429 rate_limited', 'right, but not known here and nobody asked');
    assert.equal((await call(keys.unknown, '192.0.2.2')).statusCode, 401, 'another address');
    now += 1_000;
    assert.equal((await call(keys.editor)).statusCode, 200);
    assert.equal(lookUps, 612);
    await limited.app.close();
  });
});

describe('X-Requested-With (T32)', () => {
  const login = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/api/v1/login', headers: { ...json, ...headers }, payload: '{"email":"a"}' });
  test('is required on open operations too, and blank counts as absent', async () => {
    assert.equal(code(await login({})), '403 csrf_header_required');
    assert.equal(code(await login({ 'x-requested-with': ' ' })), '403 csrf_header_required');
    assert.equal((await login({ 'x-requested-with': 'anything' })).statusCode, 200);
  });
  test("isn't required on exempt operations and on GET", async () => {
    assert.equal((await app.inject({ method: 'POST', url: '/api/v1/hook' })).statusCode, 204);
    const headers = { authorization: `Bearer ${keys.viewer}` };
    assert.equal((await app.inject({ method: 'GET', url: '/api/v1/things', headers })).statusCode, 200);
  });
});

describe('bodies', () => {
  const types: readonly [string, string][] = [
    ['application/json', '200'],
    ['application/json; charset=utf-8', '200'],
    ['Application/JSON;charset="UTF-8"', '200'],
    ['application/json; charset=utf-16', '415 unsupported_media_type'],
    ['application/json; charset=latin1', '415 unsupported_media_type'],
    ['application/jsonx', '415 unsupported_media_type'],
    ['text/json', '415 unsupported_media_type'],
    ['application/x-www-form-urlencoded', '415 unsupported_media_type'],
    ['nonsense', '415 unsupported_media_type'],
  ];
  for (const [type, expected] of types) {
    test(`${type}: ${expected}`, async () =>
      assert.equal(code(await create({ headers: { 'content-type': type } })), expected));
  }
  test('bytes without a content type are 415, and so is Content-Encoding', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/things',
      headers: { ...as(keys.editor), 'content-type': '' },
      payload: Buffer.from('{"name":"a"}'),
    });
    assert.equal(code(response), '415 unsupported_media_type');
    assert.equal(code(await create({ headers: { 'content-encoding': 'gzip' } })), '415 unsupported_media_type');
    assert.equal((await create({ headers: { 'content-encoding': 'identity' } })).statusCode, 200);
  });
  test('accepts an empty body if every property is optional', async () => {
    const none = await app.inject({ method: 'DELETE', url: '/api/v1/things/1', headers: as(keys.admin) });
    assert.deepEqual(none.json(), { id: '1' });
    const missing = await app.inject({ method: 'POST', url: '/api/v1/things', headers: as(keys.editor) });
    assert.equal(code(missing), '400 validation_failed');
  });
  test('drops undeclared top-level properties, without coercion', async () => {
    const kept = await create({ payload: '{"name":"a","tenantId":"b","id":1}' });
    assert.deepEqual(kept.json().body, { name: 'a' });
    for (const payload of ['{"name":1}', '{"name":"a","amount":"1"}', '{"name":"a","tags":"x"}', '[]', 'null', '"a"']) {
      assert.equal(code(await create({ payload })), '400 validation_failed', payload);
    }
  });
  test('points at problems, up to 50', async () => {
    const payload = JSON.stringify({ name: '', tags: Array.from({ length: 200 }, () => 1) });
    const { errors } = (await create({ payload })).json();
    assert.equal(errors.length, 50);
    assert.deepEqual(errors[0], { path: '/name', message: 'must not be empty' });
    assert.deepEqual(errors[1], { path: '/tags/0', message: 'must be a string' });
  });
  test('ten times as many broken items take ten times as long, not a hundred times', async () => {
    /**
     * Returns the processor time of the cheapest of several tries, in microseconds, so other load on the machine hardly
     * counts.
     */
    const cost = async (items: number) => {
      const payload = JSON.stringify({ name: 'a', tags: Array.from({ length: items }, () => 1) });
      const tries: number[] = [];
      for (let n = 0; n < 5; n++) {
        const started = process.cpuUsage();
        assert.equal(code(await create({ payload })), '400 validation_failed');
        const { user, system } = process.cpuUsage(started);
        tries.push(user + system);
      }
      return Math.min(...tries);
    };
    // Both bodies are parsed in one go. Larger ones are parsed in turns, which costs more (large-json.ts).
    await cost(6_000);
    const [small, large] = [await cost(6_000), await cost(60_000)];
    assert.ok(large < 40 * small, `${small} us, then ${large} us`);
  });
});

describe('queries and paths (T33)', () => {
  const list = (query: string) =>
    app.inject({ method: 'GET', url: `/api/v1/things?${query}`, headers: as(keys.viewer) });
  const refused: readonly [string, string][] = [
    ...['1e2', '0x10', '-0', '%D9%A1%D9%A0', '1.0', '', '+1', ' 1', '1_0', 'Infinity', 'NaN', '0', '-5'].map(
      (value): [string, string] => [`limit=${value}`, '400 validation_failed'],
    ),
    ...['1', 'TRUE', 'yes', '', 'on'].map((value): [string, string] => [`flag=${value}`, '400 validation_failed']),
    ...['1e3', '.5', '5.', 'x'].map((value): [string, string] => [`ratio=${value}`, '400 validation_failed']),
    ['limit=1&limit=2', '400 malformed_request'],
    ['limit=1&limit=1', '400 malformed_request'],
    ['search=%zz', '400 malformed_request'],
    ['search=%ff', '400 malformed_request'],
    ['search=a%00b', '400 validation_failed'],
  ];
  for (const [query, expected] of refused) {
    test(`${query}: ${expected}`, async () => assert.equal(code(await list(query)), expected));
  }
  test('reads values, fills in defaults, and ignores the rest', async () => {
    const response = await list(
      'limit=99999999999999999999&flag=true&ratio=-1.5&search=a+b%2Bc&topic=x&topic=y&z=1&z=2',
    );
    assert.deepEqual(response.json(), {
      limit: Number.MAX_SAFE_INTEGER,
      flag: true,
      ratio: -1.5,
      search: 'a b+c',
      topic: ['x', 'y'],
    });
    assert.deepEqual((await list('')).json(), { limit: 25 });
  });
  test('decodes a path exactly once', async () => {
    const read = async (segment: string) =>
      (await app.inject({ method: 'GET', url: `/api/v1/customers/${segment}`, headers: as(keys.viewer) })).json();
    assert.deepEqual(await read('a%2Fb'), { customerId: 'a/b' });
    assert.deepEqual(await read('a%252Fb'), { customerId: 'a%2Fb' });
    assert.deepEqual(await read('%25'), { customerId: '%' });
    assert.deepEqual(await read('M%C3%BCller%20%F0%9F%98%80'), { customerId: 'Müller 😀' });
    assert.deepEqual(await read('e%CC%81'), { customerId: 'e\u0301' });
    assert.deepEqual(await read('a+b.'), { customerId: 'a+b.' });
    assert.deepEqual(await read('x'.repeat(255)), { customerId: 'x'.repeat(255) });
    assert.equal((await read('%F0%9F%98%80'.repeat(255))).customerId.length, 510);
    for (const bad of ['%20a', 'a%0A', '%00', 'x'.repeat(256)]) {
      assert.equal((await read(bad)).code, 'validation_failed', bad);
    }
    for (const broken of ['%zz', '%ff', '%']) assert.equal((await read(broken)).code, 'malformed_request', broken);
  });
  test('responds to an ID with NUL like to an unknown one', async () => {
    const response = await app.inject({ method: 'GET', url: '/api/v1/things/a%00', headers: as(keys.viewer) });
    assert.equal(code(response), '404 not_found');
  });
});

describe('errors', () => {
  const fail = (how: string) =>
    app.inject({ method: 'GET', url: `/api/v1/fail/${how}?q=customer-77`, headers: as(keys.viewer) });
  test('have the RFC 9457 format', async () => {
    const response = await fail('conflict');
    assert.deepEqual(response.json(), {
      type: 'urn:arbiter:error:row_version_conflict',
      title: 'The record has changed',
      status: 409,
      detail: 'version 3 is stale',
      code: 'row_version_conflict',
      requestId: response.headers['x-request-id'],
      error: 'version 3 is stale',
      errors: [],
    });
  });
  test('503 says when to retry, in both places', async () => {
    const response = await fail('busy');
    assert.equal(response.headers['retry-after'], '7');
    assert.equal(response.json().retryAfterSeconds, 7);
    assert.equal(response.json().error, 'The service is unavailable');
  });
  for (const how of ['unknown', 'text', 'undeclared', 'header']) {
    test(`an unknown exception is a silent 500: ${how}`, async () => {
      const response = await fail(how);
      assert.equal(code(response), '500 internal');
      assert.ok(!response.body.includes('hidden_table') && !response.body.includes('at '), response.body);
      const line = log.find((each) => each.requestId === response.headers['x-request-id'] && each.level === 'error');
      assert.ok(line !== undefined, 'the log must have it');
    });
  }
});

describe('headers out', () => {
  const get = (headers: Record<string, string>) =>
    app.inject({ method: 'GET', url: '/api/v1/things', headers: { ...as(keys.viewer), ...headers } });
  test('keeps a valid request ID, and replaces others', async () => {
    assert.equal((await get({ 'x-request-id': 'abc-1._Z' })).headers['x-request-id'], 'abc-1._Z');
    for (const bad of ['a b', 'x'.repeat(65), 'a\u00e9', '']) {
      const made = String((await get({ 'x-request-id': bad })).headers['x-request-id']);
      assert.match(made, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });
  test("responses aren't cached, including errors", async () => {
    assert.equal((await get({})).headers['cache-control'], 'no-store');
    assert.equal((await app.inject('/nowhere')).headers['cache-control'], 'no-store');
  });
  test('no browser may guess the type of any response', async () => {
    const closed = createTestApp({
      operations: { ...things, ...systemOperations },
      handlers: new Map(handlerEntries(things, handlers)),
      config: { corsAllowedOrigins: ['https://console.example'] },
    });
    const preflight = { origin: 'https://console.example', 'access-control-request-method': 'GET' };
    const credential = { authorization: `Bearer ${keys.editor}`, 'x-requested-with': 'x' };
    const json = { ...credential, 'content-type': 'application/json' };
    const calls: [expected: number, call: InjectOptions][] = [
      [200, { url: '/api/v1/things', headers: credential }],
      [200, { method: 'HEAD', url: '/api/v1/things', headers: credential }],
      [200, { url: '/api/health' }],
      [503, { url: '/api/ready' }],
      [429, { url: '/api/docs' }],
      [401, { url: '/api/v1/metrics' }],
      [401, { url: '/api/v1/things' }],
      [404, { url: '/nowhere' }],
      [400, { url: '/%ff' }],
      [405, { method: 'PATCH', url: '/api/v1/things' }],
      [204, { method: 'OPTIONS', url: '/api/v1/things', headers: preflight }],
      [403, { method: 'POST', url: '/api/v1/things', headers: { authorization: `Bearer ${keys.editor}` } }],
      [400, { method: 'POST', url: '/api/v1/things', headers: json, payload: '{' }],
      [413, { method: 'POST', url: '/api/v1/things', headers: json, payload: 'x'.repeat(300_000) }],
    ];
    closed.lifecycle.beginDrain();
    for (const [expected, call] of calls) {
      const answer = await closed.app.inject(call);
      const name = `${call.method ?? 'GET'} ${String(call.url)}`;
      assert.deepEqual([answer.statusCode, answer.headers['x-content-type-options']], [expected, 'nosniff'], name);
    }
    await closed.app.close();
  });
  test('disables CORS by default', async () => {
    const response = await get({ origin: 'https://a.example' });
    assert.equal(response.headers['access-control-allow-origin'], undefined);
  });
  test('CORS allows exact origins only', async () => {
    const cors = createTestApp({
      operations: things,
      handlers: new Map(handlerEntries(things, handlers)),
      config: { corsAllowedOrigins: ['https://a.example'] },
    });
    const preflight = (origin: string) =>
      cors.app.inject({
        method: 'OPTIONS',
        url: '/api/v1/things',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await preflight('https://a.example');
    assert.equal(allowed.statusCode, 204);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://a.example');
    assert.equal(allowed.headers['access-control-allow-methods'], 'GET, HEAD, POST');
    assert.equal((await preflight('https://a.example.evil')).statusCode, 405);
    const answered = await cors.app.inject({
      method: 'GET',
      url: '/api/v1/things',
      headers: { ...as(keys.viewer), origin: 'https://a.example' },
    });
    assert.equal(answered.headers['access-control-allow-credentials'], 'true');
    assert.equal(answered.headers.vary, 'Origin');
    await cors.app.close();
  });
});

test('reads declared headers as UTF-8, and returns 400 for repeated ones (E20)', async () => {
  const remove = (value: string | string[]) =>
    app.inject({
      method: 'DELETE',
      url: '/api/v1/things/1',
      headers: { ...as(keys.admin), 'x-confirm-delete': value },
    });
  const bytes = Buffer.from('Müller').toString('latin1');
  assert.equal((await remove(bytes)).json()['X-Confirm-Delete'], 'Müller');
  assert.equal((await remove('a, a')).json()['X-Confirm-Delete'], 'a, a');
});

describe('Idempotency-Key', () => {
  test('is 1 to 255 visible ASCII characters', async () => {
    const withKey = async (key: string) => code(await create({ headers: { 'idempotency-key': key } }));
    assert.equal(await withKey('a'.repeat(255)), '200');
    for (const bad of ['', 'a'.repeat(256), 'a b', 'ä']) assert.equal(await withKey(bad), '400 validation_failed', bad);
  });
});

test('logs one line per request, without IDs, bodies or keys (T36)', async () => {
  const before = log.length;
  await app.inject({ method: 'GET', url: '/api/v1/customers/customer-77?x=secret', headers: as(keys.viewer) });
  const lines = log.slice(before);
  assert.equal(lines.length, 1);
  assert.deepEqual(
    { ...lines[0], time: '', requestId: '', ms: 0 },
    {
      level: 'info',
      time: '',
      requestId: '',
      method: 'GET',
      route: '/api/v1/customers/{customerId}',
      status: 200,
      ms: 0,
      tenantId: '0199a000-0000-7000-8000-00000000000a',
      credentialId: 'apikey:viewer',
      msg: 'request',
    },
  );
  assert.ok(!JSON.stringify(log).includes('customer-77'));
});

describe('over a socket', () => {
  let port = 0;
  before(async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const address = app.server.address();
    assert.ok(typeof address === 'object' && address !== null);
    port = address.port;
  });

  function send(...parts: (string | Buffer)[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.setTimeout(30_000, () => socket.destroy(new Error(`no end after: ${answer}`)));
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
      socket.on('close', () => resolve(answer));
      for (const part of parts) socket.write(part);
    });
  }
  const head = (lines: readonly string[]) => `${lines.join('\r\n')}\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const credential = `Authorization: Bearer ${keys.editor}`;
  const post = ['POST /api/v1/things HTTP/1.1', credential, 'X-Requested-With: x', 'Content-Type: application/json'];

  test('ambiguous framing is 400 and closes', async () => {
    const both = `${head([...post, 'Content-Length: 4', 'Transfer-Encoding: chunked'])}0\r\n\r\n`;
    const answer = await send(both);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"code":"malformed_request"/);
    const twice = await send(`${head([...post, 'Content-Length: 4', 'Content-Length: 5'])}{}  `);
    assert.match(twice, /^HTTP\/1\.1 400 /);
  });
  test('responds to invalid requests like to all others (nosniff)', async () => {
    const answers = [
      await send('\0\0\r\n\r\n'),
      await send(head(['GET / HTTP/1.1', `X-Big: ${'a'.repeat(20_000)}`])),
      await send('GET /api/v1/things HTTP/1.1\r\nConnection: close\r\n\r\n'),
      await send('GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n'),
    ];
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i);
      assert.match(answer, /"code":"malformed_request"/);
    }
    const expecting = await send(head(['GET /api/v1/things HTTP/1.1', credential, 'Expect: a wonder']));
    assert.match(expecting, /^HTTP\/1\.1 200 /);
    assert.match(expecting, /\r\nx-content-type-options: nosniff\r\n/i);
  });
  test('too many or too large headers are 400', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `X-H${index}: 1`);
    assert.match(await send(head(['GET /api/v1/things HTTP/1.1', credential, ...many])), /^HTTP\/1\.1 400 /);
    assert.match(await send(head(['GET / HTTP/1.1', `X-Big: ${'a'.repeat(20_000)}`])), /^HTTP\/1\.1 400 /);
  });
  test('two different bearers are 401, and the same one twice is accepted', async () => {
    const get = ['GET /api/v1/things HTTP/1.1', credential];
    assert.match(await send(head([...get, `Authorization: Bearer ${keys.admin}`])), /^HTTP\/1\.1 401 /);
    assert.match(await send(head([...get, credential])), /^HTTP\/1\.1 200 /);
    const keyed = ['GET /api/v1/things HTTP/1.1', `X-API-Key: ${keys.admin}`];
    assert.match(await send(head([...keyed, `X-API-Key: ${keys.viewer}`])), /^HTTP\/1\.1 401 /);
  });
  test('X-Tenant-Id with two values is 400', async () => {
    const get = ['GET /api/v1/things HTTP/1.1', credential, `X-Tenant-Id: ${tenantB}`];
    assert.match(await send(head([...get, 'X-Tenant-Id: 1'])), /^HTTP\/1\.1 400 /);
  });
  test('a deciding header sent twice is 400, also for the value "a, a"', async () => {
    const remove = ['DELETE /api/v1/things/1 HTTP/1.1', `Authorization: Bearer ${keys.admin}`, 'X-Requested-With: x'];
    const answer = await send(head([...remove, 'X-Confirm-Delete: a', 'X-Confirm-Delete: a']));
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"code":"malformed_request"/);
  });
  test('a body over the limit is 413 and arrives, whether or not its length is announced', async () => {
    const body = Buffer.alloc(1_000_000, 0x20);
    const announced = await send(head([...post, `Content-Length: ${body.length}`]), body);
    assert.match(announced, /^HTTP\/1\.1 413 /);
    const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    assert.match(await send(head([...post, 'Transfer-Encoding: chunked']), chunk), /^HTTP\/1\.1 413 /);
  });
  test('an unknown method is 400, 404 or 405', async () => {
    assert.match(await send(head(['PROPFIND /api/v1/things HTTP/1.1'])), /^HTTP\/1\.1 405 /);
    assert.match(await send(head(['NONSENSE /api/v1/things HTTP/1.1'])), /^HTTP\/1\.1 400 /);
    assert.match(await send(head(['TRACE /api/v1/things HTTP/1.1'])), /^HTTP\/1\.1 405 /);
  });
  test("dots in a path don't navigate", async () => {
    const answer = await send(head(['GET /api/v1/customers/%2E%2E HTTP/1.1', credential]));
    assert.match(answer, /"customerId":"\.\."/);
  });
  test('survives a client that disconnects mid-body', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head([...post, 'Content-Length: 100'])}{"na`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    const answer = await send(head(['GET /api/v1/things HTTP/1.1', credential]));
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });
});
