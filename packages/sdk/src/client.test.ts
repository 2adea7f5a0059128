import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { ApiError, createClient } from './index.ts';

/** The wire form of calls. Calls against a real server: test/journeys/sdk.test.ts. */

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

function recording(answer: () => Response = () => Response.json({})) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'https://arbiter.example/',
    apiKey: 'krn_key',
    tenantId: 'tenant-1',
    fetch: async (url, init) => {
      sent.push({
        url: String(url),
        method: init?.method ?? '',
        headers: new Headers(init?.headers),
        body: init?.body ?? null,
      });
      return answer();
    },
  });
  return { client, sent };
}

test('sends the credential, X-Requested-With and JSON where the operation requires them', async () => {
  const { client, sent } = recording();
  await client.call('offers.create', {
    body: { name: 'Ü' } as never,
    idempotencyKey: 'k1',
    requestId: 'r1',
  });
  const [request] = sent;
  assert.equal(request?.url, 'https://arbiter.example/api/v1/offers');
  assert.equal(request?.method, 'POST');
  assert.equal(request?.body, '{"name":"Ü"}');
  assert.deepEqual(Object.fromEntries(request?.headers ?? []), {
    accept: 'application/json',
    authorization: 'Bearer krn_key',
    'content-type': 'application/json',
    'idempotency-key': 'k1',
    prefer: 'handling=strict',
    'x-request-id': 'r1',
    'x-requested-with': 'arbiter-sdk',
    'x-tenant-id': 'tenant-1',
  });
  await client.system.health();
  assert.equal(sent[1]?.headers.get('authorization'), null);
  assert.equal(sent[1]?.headers.get('x-requested-with'), null);
  assert.equal(sent[1]?.headers.get('content-type'), null);
});

test('encodes path parameters and queries, and omits missing ones', async () => {
  const { client, sent } = recording();
  await client.offers.get({ params: { id: 'a/b c%2Fü' } });
  assert.equal(sent[0]?.url, 'https://arbiter.example/api/v1/offers/a%2Fb%20c%252F%C3%BC');
  await client.offers.list({ query: { limit: 5, search: 'a&b' } });
  assert.equal(sent[1]?.url, 'https://arbiter.example/api/v1/offers?limit=5&search=a%26b');
  await client.offers.list();
  assert.equal(sent[2]?.url, 'https://arbiter.example/api/v1/offers');
  await assert.rejects(client.offers.get({ params: { id: '..' } }), TypeError);
  await assert.rejects(client.offers.get({ params: { id: '' } }), TypeError);
  assert.equal(sent.length, 3);
});

test('has a method for every operation', () => {
  const { client } = recording();
  for (const id of Object.keys(operations)) {
    const [resource = '', verb = ''] = id.split('.');
    const methods: unknown = Reflect.get(client, resource);
    assert.equal(typeof Reflect.get(Object(methods), verb), 'function', id);
  }
});

test('throws an error response with its problem', async () => {
  const problem = {
    type: 'urn:arbiter:error:rate_limited',
    title: 'Rate limited',
    status: 429,
    code: 'rate_limited',
    requestId: 'r1',
    error: 'Slow down.',
    errors: [{ path: '/x', message: 'y' }],
    retryAfterSeconds: 7,
  };
  const body = JSON.stringify(problem);
  const { client } = recording(
    () => new Response(body, { status: 429, headers: { 'content-type': 'application/problem+json' } }),
  );
  await assert.rejects(client.offers.list(), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'rate_limited');
    assert.equal(error.status, 429);
    assert.equal(error.retryAfterSeconds, 7);
    assert.equal(error.requestId, 'r1');
    assert.deepEqual(error.errors, problem.errors);
    assert.equal(error.message, 'offers.list: 429 rate_limited: Slow down.');
    return true;
  });
});

test("throws an ApiError without a problem for another server's error page", async () => {
  const { client } = recording(() => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } }));
  await assert.rejects(
    client.offers.list(),
    (error) => error instanceof ApiError && error.status === 502 && error.problem === null && error.code === null,
  );
});

test('ends a call that takes too long', async () => {
  const client = createClient({
    baseUrl: 'http://localhost',
    timeoutMs: 30,
    fetch: (_url, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
  });
  await assert.rejects(client.system.health(), { name: 'TimeoutError' });
});

test("prints warnings of a response, or passes them to the caller's handler", async (t) => {
  const renamed = { path: '/columns/1', code: 'column_renamed', message: 'A becomes a_col.', suggestion: null };
  const noEffect = { path: '/config', code: 'no_effect', message: 'No limit is set.', suggestion: 'Set maxPerDay.' };
  const printed = t.mock.method(console, 'warn', () => undefined).mock;
  const lines = () => printed.calls.map((call) => call.arguments.join(' '));
  const answering = (body: object) => async () => Response.json(body);
  const quiet = createClient({ baseUrl: 'http://localhost', fetch: answering({ id: 'p1' }) });
  await quiet.contactPolicies.get({ params: { id: 'p1' } });
  const check = { valid: true, errors: [], warnings: [{ path: '', nodeId: null, code: 'unknown_key', message: 'x' }] };
  const checking = createClient({ baseUrl: 'http://localhost', fetch: answering(check) });
  await checking.decisionFlows.validate({ body: { config: {} } as never });
  assert.deepEqual(lines(), [], 'findings of a flow check are its result');

  const fetch = answering({ id: 'p1', warnings: [renamed, noEffect] });
  await createClient({ baseUrl: 'http://localhost', fetch }).contactPolicies.get({ params: { id: 'p1' } });
  assert.deepEqual(lines(), [
    'arbiter: contactPolicies.get: A becomes a_col.',
    'arbiter: contactPolicies.get: No limit is set. Set maxPerDay.',
  ]);
  const given: unknown[] = [];
  const onWarning = (...received: unknown[]) => void given.push(received);
  await createClient({ baseUrl: 'http://localhost', fetch, onWarning }).contactPolicies.get({ params: { id: 'p1' } });
  assert.deepEqual(given, [
    [renamed, 'contactPolicies.get'],
    [noEffect, 'contactPolicies.get'],
  ]);
  assert.equal(lines().length, 2);
});
