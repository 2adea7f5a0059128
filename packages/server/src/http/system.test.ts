import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Script } from 'node:vm';
import { type Operation, operation, systemOperations } from '@arbiter/contract';
import Type from 'typebox';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { type Handlers, handlerEntries, reply } from './handler.ts';
import { createTestApp, keys } from './test-app.ts';

const Answer = Type.Unsafe<unknown>({ description: 'Anything.' });
const things = {
  read: operation({
    id: 'things.read',
    method: 'GET',
    path: '/api/v1/things/{id}',
    tag: '<script>alert(1)</script>',
    summary: 'Read a "thing" & more',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    params: Type.Object({ id: Type.String({ description: 'Id.' }) }, { description: 'Path.' }),
    responses: { 200: { description: 'It.', schema: Answer } },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
} satisfies Record<string, Operation>;
const handlers: Handlers<typeof things> = { read: async ({ params }) => reply(200, params) };
const operations = { ...systemOperations, ...things };
const start = (over: Partial<Parameters<typeof createTestApp>[0]> = {}) =>
  createTestApp({ operations, handlers: new Map(handlerEntries(things, handlers)), ...over });
const checks = { database: 'ok', migrations: 'ok', role: 'ok', queueConsumer: 'off', scheduler: 'off' } as const;

describe('health and readiness', () => {
  test('respond without a credential, with and without /v1', async () => {
    const { app } = start();
    for (const url of ['/api/v1/health', '/api/health']) {
      const response = await app.inject(url);
      assert.equal(response.statusCode, 200);
      const { uptimeSeconds, ...rest } = response.json();
      assert.deepEqual(rest, { status: 'ok', version: 'test' });
      assert.ok(Number.isInteger(uptimeSeconds));
    }
    assert.deepEqual((await app.inject('/api/ready')).json(), { status: 'ready', checks });
    await app.close();
  });
  test("a check that fails or can't run is 503", async () => {
    const failed = start({ readyChecks: async () => ({ ...checks, database: 'failed' }) });
    const response = await failed.app.inject('/api/v1/ready');
    assert.equal(response.statusCode, 503);
    assert.equal(response.json().status, 'not_ready');
    const broken = start({ readyChecks: () => Promise.reject(new Error('connection lost')) });
    const second = await broken.app.inject('/api/v1/ready');
    assert.equal(second.statusCode, 503);
    assert.equal(second.json().checks.database, 'failed');
    await Promise.all([failed.app.close(), broken.app.close()]);
  });
  test('draining: readiness first, requests are handled, connections close (R10)', async () => {
    const { app, lifecycle } = start();
    lifecycle.beginDrain();
    assert.equal((await app.inject('/api/ready')).statusCode, 503);
    assert.equal((await app.inject('/api/health')).statusCode, 200);
    const response = await app.inject({ url: '/api/v1/things/1', headers: { authorization: `Bearer ${keys.viewer}` } });
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers.connection, 'close');
    await app.close();
  });
});

describe('metrics', () => {
  const token = 'a-metrics-token-of-32-characters';
  const get = (app: ReturnType<typeof start>['app'], authorization?: string) =>
    app.inject({ url: '/api/v1/metrics', headers: authorization === undefined ? {} : { authorization } });
  for (const metricsToken of [null, '', ' ']) {
    test(`token ${JSON.stringify(metricsToken)}: every call is 401 (T5)`, async () => {
      const { app } = start({ config: { secrets: { METRICS_TOKEN: metricsToken } } });
      for (const sent of [undefined, '', 'Bearer', 'Bearer ', 'Bearer undefined', 'Bearer null', `Bearer ${token}`]) {
        assert.equal((await get(app, sent)).statusCode, 401, String(sent));
      }
      await app.close();
    });
  }
  test("require the token; an admin key isn't enough", async () => {
    const { app } = start({ config: { secrets: { METRICS_TOKEN: token } } });
    assert.equal((await get(app, `Bearer ${keys.admin}`)).statusCode, 401);
    assert.equal((await get(app, `Bearer ${token}x`)).statusCode, 401);
    await app.inject({ url: '/api/v1/things/secret-id', headers: { authorization: `Bearer ${keys.viewer}` } });
    await app.inject('/nowhere/customer-77');
    const response = await get(app, `Bearer ${token}`);
    assert.equal(response.statusCode, 200);
    assert.match(String(response.headers['content-type']), /^text\/plain/);
    const lines = response.body.split('\n');
    assert.ok(lines.includes('svc_http_requests_total{method="GET",route="/api/v1/things/{id}",status="200"} 1'));
    assert.ok(lines.includes('svc_http_requests_total{method="unmatched",route="unmatched",status="404"} 1'));
    assert.ok(lines.includes('svc_auth_failures_total{kind="shared_secret"} 2'));
    assert.ok(lines.includes('svc_build_info{version="test"} 1'));
    assert.match(response.body, /svc_http_request_duration_seconds_bucket\{le="0\.005",/);
    assert.match(response.body, /process_resident_memory_bytes/);
    assert.ok(!response.body.includes('secret-id') && !response.body.includes('customer-77'));
    await app.close();
  });
});

describe('documents', () => {
  let kit: TestDatabase;
  before(async () => {
    kit = await createTestDatabase();
  });
  after(() => kit.close());
  const startWithDatabase = (over: Parameters<typeof start>[0] = {}) => start({ database: kit.database, ...over });

  test('openapi.json has an ETag and answers 304 to it', async () => {
    const { app } = startWithDatabase();
    const first = await app.inject('/api/openapi.json');
    assert.equal(first.statusCode, 200);
    assert.equal(first.json().openapi, '3.1.1');
    assert.ok(first.json().paths['/api/v1/things/{id}']);
    const etag = String(first.headers.etag);
    assert.match(etag, /^"[\w-]+"$/);
    const again = async (sent: string) =>
      (await app.inject({ url: '/api/v1/openapi.json', headers: { 'if-none-match': sent } })).statusCode;
    assert.equal(await again(etag), 304);
    assert.equal(await again(`"x", W/${etag}`), 304);
    assert.equal(await again('"x"'), 200);
    await app.close();
  });
  test('pages are escaped, self-contained, and allow only their own style and script', async () => {
    const { app } = startWithDatabase();
    for (const url of ['/api/docs', '/docs/errors']) {
      const response = await app.inject(url);
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
      const policy = String(response.headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
      assert.ok(!/unsafe|https?:|\*|data:/.test(policy), policy);
      const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
      const style = /<style>([\s\S]*?)<\/style>/.exec(response.body)?.[1] ?? '';
      assert.ok(policy.includes(`style-src 'sha256-${hashOf(style)}'`));
      const scripts = [...response.body.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
      for (const [, attributes, text = ''] of scripts) {
        assert.equal(attributes, ' type="module"');
        assert.ok(policy.includes(`script-src 'sha256-${hashOf(text)}'; connect-src 'self'`));
        // A module with leftover imports, or one that lost a line on its way into the page, doesn't compile.
        assert.doesNotThrow(() => new Script(`(async () => {${text}})`), url);
      }
      const markup = response.body.replace(style, '').replace(/<script[\s\S]*?<\/script>/g, '');
      assert.ok(!/<script|<link|<img| style="| on[a-z]+="|src=|@import|url\(/.test(markup), url);
      assert.ok(!/@import|url\(/.test(style), url);
      assert.equal(scripts.length, url === '/api/docs' ? 1 : 0);
    }
    await app.close();
  });
  test('the page of operations can be read, searched and linked', async () => {
    const { app } = startWithDatabase({ config: { publicUrl: 'https://example.com/arbiter' } });
    const page = (await app.inject('/api/docs')).body.replace(/<script[\s\S]*?<\/script>/g, '');
    assert.ok(page.includes('&lt;script&gt;') && page.includes('Read a "thing" &amp; more'));
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, 'an id stands twice');
    for (const { id } of Object.values(operations)) {
      assert.ok(ids.includes(id), id);
      assert.ok(page.includes(`<a href="#${id}" aria-label="Link to ${id}">`), id);
    }
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(target), `#${target}`);
    for (const [, href = ''] of page.matchAll(/href="(\/[^"]*)"/g)) assert.match(href, /^\/arbiter\/(api|docs)\//);
    for (const [, label] of page.matchAll(/<label[^>]* for="([^"]+)"/g)) assert.ok(ids.includes(label), label);
    assert.ok(page.includes('curl "https://example.com/arbiter/api/v1/things/'));
    // The page without script has none of the parts that need it.
    assert.equal(page.match(/ data-script hidden>/g)?.length, 2);
    await app.close();
  });
  test('an address can request them 120 times a minute, all together', async () => {
    const { app } = startWithDatabase();
    const get = (url: string, remoteAddress = '192.0.2.7') => app.inject({ url, remoteAddress });
    const urls = ['/api/openapi.json', '/api/v1/openapi.json', '/api/docs', '/docs/errors'];
    for (let call = 0; call < 120; call += 1) assert.equal((await get(urls[call % 4]!)).statusCode, 200);
    for (const url of urls) {
      const refused = await get(url);
      assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited']);
      const seconds = Number(refused.headers['retry-after']);
      assert.ok(seconds >= 1 && seconds <= 60, `Retry-After ${refused.headers['retry-after']}`);
    }
    assert.equal((await get('/api/docs', '192.0.2.8')).statusCode, 200);
    assert.equal((await get('/api/health')).statusCode, 200);
    await app.close();
  });
});

test("an operation without a handler doesn't start, nor one with a transaction but no credential", () => {
  assert.throws(() => createTestApp({ operations, handlers: new Map() }), /things\.read has no handler/);
  const open = { 'things.open': { ...things.read, auth: 'none', role: null, transaction: 'tenant' } as const };
  assert.throws(
    () => createTestApp({ operations: open, handlers: new Map(handlerEntries(things, handlers)) }),
    /no credential to determine the tenant/,
  );
});

test('responses that violate the contract are 500 in tests', async () => {
  const strict = {
    read: {
      ...things.read,
      responses: { 200: { description: 'It.', schema: Type.Object({ n: Type.Integer({ description: 'n' }) }) } },
    },
  };
  const { app, log } = createTestApp({
    operations: strict,
    handlers: new Map([['things.read', async () => reply(200, { n: '1' })]]),
  });
  const response = await app.inject({ url: '/api/v1/things/1', headers: { authorization: `Bearer ${keys.viewer}` } });
  assert.equal(response.statusCode, 500);
  assert.match(JSON.stringify(log), /against its own schema/);
  await app.close();
});
