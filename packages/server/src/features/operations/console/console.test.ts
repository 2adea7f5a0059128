import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { SignedInBoot, SignedOutBoot } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createPeople, trusting } from '../../identity/accounts/test-people.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const script = 'console.log("a build of the test");'.repeat(20);

async function makeBuild(folder: string, title = 'First'): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await mkdir(join(folder, '.vite'), { recursive: true });
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body></body></html>`;
  await writeFile(join(folder, 'assets/index-1a2b.js'), script);
  await writeFile(join(folder, 'assets/index-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets/index-1a2b.js.gz'), gzipSync(script));
  await writeFile(join(folder, 'preview-frame.html'), '<!doctype html><body><script>let a = 1;</script></body>');
  await writeFile(join(folder, 'other-page.html'), '<!doctype html><body></body>');
  await writeFile(join(folder, '.vite/manifest.json'), '{}');
  await writeFile(join(folder, 'index.html'), page);
}

let folder: string;
let server: TestServer;
let people: ReturnType<typeof createPeople>;
let cookie: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-console-'));
  await makeBuild(folder);
  server = await startTestServer({
    tenants: 2,
    config: trusting,
    consoleFolder: folder,
    publicUrl: 'http://localhost:3000/desk',
  });
  people = createPeople(server);
  cookie = await people.signIn(await people.person(server.tenants[0], { email: 'ada@example.test' }));
});
after(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (
  url: string,
  headers: Record<string, string> = { accept: browser },
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
  of: TestServer = server,
) => of.app.inject({ method, url, headers });

const bootOf = <Boot>(html: string): Boot => {
  const text = /<script type="application\/json" id="boot">([\s\S]*?)<\/script>/.exec(html)?.[1];
  assert.ok(text !== undefined, html);
  return JSON.parse(text);
};

test('a signed-in browser gets the page with everything for its first screen, on any path', async () => {
  for (const url of ['/', '/decisions/0199?tab=why', '/offers']) {
    const answer = await get(url, { accept: browser, cookie });
    assert.equal(answer.statusCode, 200, url);
    const boot = bootOf<SignedInBoot>(answer.body);
    assert.equal(boot.authenticated, true);
    assert.equal(boot.session.principal?.email, 'ada@example.test');
    assert.equal(boot.session.tenant?.id, server.tenants[0].id);
    const call = async (path: string) => JSON.parse((await get(path, { cookie })).body);
    assert.deepEqual(boot.tenantStatus, await call('/api/v1/tenant/status'));
    assert.deepEqual(boot.settings, await call('/api/v1/tenant-settings'));
    assert.equal(boot.version, 'test');
    assert.deepEqual(boot.signIn, { google: false, registration: true, tenantId: server.tenants[0].id, sso: false });
    assert.match(answer.body, /<head><base href="\/desk\/">/);
  }
});

test('the page runs only what the server sent, and is never cached', async () => {
  const [one, two] = await Promise.all([get('/', { accept: browser, cookie }), get('/', { accept: browser, cookie })]);
  const nonceOf = (html: string) => /<meta property="csp-nonce" nonce="([^"]+)">/.exec(html)?.[1];
  const nonce = nonceOf(one.body);
  assert.ok(nonce !== undefined && nonce.length >= 22);
  assert.notEqual(nonce, nonceOf(two.body));
  assert.equal(
    one.headers['content-security-policy'],
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
      "connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types arbiter",
  );
  assert.equal(one.headers['x-content-type-options'], 'nosniff');
  assert.equal(one.headers['referrer-policy'], 'no-referrer');
  assert.equal(one.headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(one.headers['cache-control'], 'no-store');
});

test('without a session, or with an ended one, the page says how to sign in and nothing more', async () => {
  for (const headers of [{ accept: browser }, { accept: browser, cookie: 'arbiter_session=e30.e30.e30' }]) {
    const answer = await get('/offers', headers);
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(bootOf<SignedOutBoot>(answer.body), {
      authenticated: false,
      signIn: { google: false, registration: true, sso: false },
    });
    assert.equal(answer.headers['set-cookie'], undefined);
  }
});

test('knows single sign-on of the tenant in the address, and of the last one used', async () => {
  const [first, second] = server.tenants;
  assert.ok(second !== undefined);
  await server.database.withTenant(second.id, systemActor('test'), (tx) =>
    tx.query(
      `insert into arbiter.sso_configs (tenant_id, provider, enabled, saml_allow_unsolicited, oidc_scopes, default_role,
                                        allowed_domains, auto_provision, enforce_for_all_users, updated_at)
       values ($1, 'oidc', true, false, 'openid', 'viewer', '{}', true, false, $2)`,
      [second.id, tx.now],
    ),
  );
  const signIn = async (url: string, sent = '') => {
    const answer = await get(url, { accept: browser, ...(sent === '' ? {} : { cookie: sent }) });
    return bootOf<SignedOutBoot>(answer.body).signIn;
  };
  const named = { google: false, registration: true, tenantId: second.id, sso: true };
  assert.deepEqual(await signIn(`/?tenantId=${second.id}`), named);
  assert.deepEqual(await signIn('/', `arbiter_tenant=${second.id}`), named);
  assert.deepEqual(await signIn(`/?tenantId=${first.id}`, `arbiter_tenant=${second.id}`), {
    ...named,
    tenantId: first.id,
    sso: false,
  });
  assert.deepEqual(await signIn('/?tenantId=nobody'), { google: false, registration: true, sso: false });
  const page = await get('/login', { accept: browser, cookie: `arbiter_tenant=${second.id}` });
  assert.match(page.body, new RegExp(`sso/login\\?tenantId=${second.id}`), 'the plain page offers it too');
});

test("a cookie that scripts can't read remembers the tenant", async () => {
  const answer = await get('/', { accept: browser, cookie });
  assert.equal(
    answer.headers['set-cookie'],
    `arbiter_tenant=${server.tenants[0].id}; Max-Age=31536000; Path=/desk/; HttpOnly; SameSite=Lax`,
  );
  const again = await get('/', { accept: browser, cookie: `${cookie}; arbiter_tenant=${server.tenants[0].id}` });
  assert.equal(again.headers['set-cookie'], undefined);
});

test("no tenant's text can end the boot block", async () => {
  const name = '</script><script>alert(1)</script><!-- $& \u2028';
  await server.call('PUT', '/api/v1/tenant', { body: { name } });
  const answer = await get('/', { accept: browser, cookie });
  assert.equal(bootOf<SignedInBoot>(answer.body).session.tenant?.name, name);
  assert.equal(answer.body.includes('<script>alert'), false);
  assert.equal(answer.body.includes('<!--'), false);
});

test('caches files for a year under their hashes, in the smallest accepted form', async () => {
  const plain = await get('/assets/index-1a2b.js', {});
  assert.equal(plain.statusCode, 200);
  assert.equal(plain.body, script);
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['x-content-type-options'], 'nosniff');
  assert.equal(plain.headers.vary, 'Accept-Encoding');
  const brotli = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), script);
  const gzip = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip, br;q=0' });
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(gzip.rawPayload).toString(), script);
  const head = await get('/assets/index-1a2b.js', {}, 'HEAD');
  assert.equal(head.headers['content-length'], String(script.length));
  assert.equal(head.body, '');
});

test('missing files, API paths and other types never get the page', async () => {
  for (const [url, accept] of [
    ['/assets/index-0000.js', browser],
    ['/assets/index-1a2b.js.br', browser],
    ['/assets/../../package.json', browser],
    ['/assets/%2e%2e/index.html', browser],
    ['/.vite/manifest.json', browser],
    ['/favicon.ico', browser],
    ['/offers', '*/*'],
    ['/offers', 'application/json, text/html;q=0'],
    ['/', 'application/json'],
    ['/api/v1/nothing', browser],
    ['/api', browser],
  ] as const) {
    const answer = await get(url, { accept, cookie });
    assert.equal(answer.statusCode, 404, url);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/, url);
  }
  assert.equal((await get('/', { accept: browser }, 'POST')).statusCode, 404);
  assert.equal((await get('/login', { accept: browser })).headers['referrer-policy'], 'same-origin', 'the plain page');
  const head = await get('/offers', { accept: browser, cookie }, 'HEAD');
  assert.equal(head.statusCode, 200);
  assert.equal(head.body, '');
});

test("the frame for a tenant's HTML has no origin, and runs only its own script", async () => {
  const answer = await get('/preview-frame.html', { accept: browser });
  const policy = String(answer.headers['content-security-policy']);
  assert.match(
    policy,
    /^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[^']+'; style-src 'unsafe-inline';/,
  );
  assert.match(policy, /frame-ancestors 'self'$/);
});

test('images of other sites load in that frame only on request', async () => {
  for (const [target, images] of [
    ['/preview-frame.html', 'img-src data:;'],
    ['/preview-frame.html?images=1', 'img-src data: https:;'],
    ['/preview-frame.html?images=0', 'img-src data:;'],
    ['/preview-frame.html?images=1&images=1', 'img-src data:;'],
    ['/other-page.html?images=1', 'img-src data:;'],
  ] as const) {
    const answer = await get(target, { accept: browser });
    assert.equal(answer.statusCode, 200, target);
    assert.ok(String(answer.headers['content-security-policy']).includes(images), target);
  }
});

test('shows a newer build without a restart, and says what to do without any', async () => {
  await makeBuild(folder, 'Second');
  await utimes(join(folder, 'index.html'), new Date('2030-01-01'), new Date('2030-01-01'));
  assert.match((await get('/', { accept: browser })).body, /<title>Second<\/title>/);

  const bare = join(folder, 'not-there');
  const other = await startTestServer({ consoleFolder: bare });
  try {
    const missing = await get('/', { accept: browser }, 'GET', other);
    assert.equal(missing.statusCode, 200);
    assert.match(missing.body, /npm run build/);
    assert.equal((await get('/offers', { accept: browser }, 'GET', other)).statusCode, 404);
    assert.equal((await get('/login', { accept: browser }, 'GET', other)).statusCode, 200);
    assert.equal((await other.call('GET', '/api/v1/offers')).status, 200);
    await makeBuild(bare);
    assert.match((await get('/', { accept: browser }, 'GET', other)).body, /<title>First<\/title>/);
  } finally {
    await other.close();
  }
});

test("works below a path, with a proxy that strips it and one that doesn't", async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const bound = server.app.server.address();
  assert.ok(bound !== null && typeof bound === 'object');
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      httpRequest({ port: bound.port, host: '127.0.0.1', path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      })
        .on('error', reject)
        .end();
    });
  for (const prefix of ['', '/desk']) {
    assert.equal((await ask(`${prefix}/api/v1/health`)).status, 200, prefix);
    assert.equal((await ask(`${prefix}/assets/index-1a2b.js`)).text, script);
    for (const path of [`${prefix}/`, `${prefix}/offers?status=active`]) {
      const { text } = await ask(path, { accept: browser, cookie });
      assert.match(text, /<base href="\/desk\/">/);
      assert.equal(bootOf<SignedInBoot>(text).authenticated, true);
    }
  }
  assert.match((await ask('/desk', { accept: browser })).text, /<base href="\/desk\/">/);
  assert.match((await ask('/desk?tenantId=x', { accept: browser })).text, /<base href="\/desk\/">/);
  assert.equal((await ask('/desktop/api/v1/health')).status, 404);
});
