import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { createPeople, freshAddress, type Person, trusting } from '../accounts/test-people.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { createTestApp } from '../second-factor/test-app.ts';

/** The pages without script (docs/design/api-settled.md "Access and console"). */

const nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => nowMs }, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const own = 'http://localhost:3000';

interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  /** As the browser sends it back; null when none was set. */
  readonly cookie: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function page(
  method: 'GET' | 'POST',
  url: string,
  options: { form?: object; cookie?: string | null; headers?: object } = {},
): Promise<Page> {
  const { form, cookie = null, headers = {} } = options;
  const sent: Record<string, string | undefined> = {
    'x-forwarded-for': freshAddress(),
    ...(cookie === null ? {} : { cookie }),
    ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded', origin: own } : {}),
    ...headers,
  };
  const answer = await server.app.inject({
    method,
    url,
    headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    ...(form === undefined ? {} : { payload: new URLSearchParams({ ...form }).toString() }),
  });
  const [set] = String(answer.headers['set-cookie'] ?? '').split(';');
  return {
    status: answer.statusCode,
    text: answer.body,
    location: answer.headers.location === undefined ? null : String(answer.headers.location),
    cookie: set === '' ? null : set!,
    headers: answer.headers,
  };
}

const signIn = (form: object, cookie: string | null = null) =>
  page('POST', '/login', { form: { step: 'password', ...form }, cookie });
const link = async (person: Pick<Person, 'id' | 'tenantId'>, purpose: 'reset' | 'invitation') =>
  server.database.withTenant(
    person.tenantId,
    systemActor('test'),
    async (tx) => (await server.links.issue(tx, { userId: person.id, purpose })).token,
  );

test('every page works without scripts: labels, language, policy, and nothing to load', async () => {
  const token = 'x'.repeat(43);
  const urls = [
    '/login',
    '/login?verified=true',
    '/login?error=google',
    '/login?error=email-not-verified',
    '/reset-password',
    '/reset-password?sent=true',
    `/reset-password?token=${token}`,
    '/register',
    '/register?sent=true',
    '/accept-invite',
    `/accept-invite?token=${token}`,
    `/accept-invite?token=${token}&error=no-match`,
  ];
  for (const url of urls) {
    const { status, text, headers } = await page('GET', url);
    assert.equal(status, 200, url);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; font-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    assert.match(text, /^<!doctype html><html lang="en">/);
    assert.equal(/<script|<img|<link|\sstyle=|\son\w+=|src=/i.test(text), false, url);
    const names = [...text.matchAll(/<input id="([\w-]+)"/g)].map(([, id]) => id!);
    assert.equal(new Set(names).size, names.length, `${url}: each id once`);
    for (const id of names) assert.ok(text.includes(`<label for="${id}">`), `${url}: ${id} has a label`);
    for (const [, ids] of text.matchAll(/aria-describedby="([^"]+)"/g)) {
      for (const id of ids!.split(' ')) assert.ok(text.includes(`id="${id}"`), `${url}: ${id}`);
    }
    assert.ok((text.match(/autofocus/g) ?? []).length <= 1, url);
    assert.equal((text.match(/<h1>/g) ?? []).length, 1, url);
  }
});

test('signing in opens a session and redirects, to own paths only', async () => {
  const ada = await people.person(server.tenants[0]);
  for (const [returnTo, location] of [
    ['', '/'],
    ['/offers?page=2', '/offers?page=2'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
  ]) {
    const answer = await signIn({ ...ada, returnTo });
    assert.deepEqual([answer.status, answer.location], [303, location], returnTo);
    assert.equal((await people.session(answer.cookie!)).principal?.id, ada.id);
  }
});

test('an error redirects back, names the problem at the field, and keeps the input out of the address', async () => {
  const ada = await people.person(server.tenants[0]);
  const tenantId = server.tenants[0].id;
  const answer = await signIn({ email: ada.email, password: 'Wrong0000', returnTo: '/offers', tenantId });
  assert.equal(answer.status, 303);
  assert.equal(answer.location, `/login?error=invalid-credentials&returnTo=%2Foffers&tenantId=${tenantId}`);
  assert.match(String(answer.headers['set-cookie']), /; Max-Age=120; Path=\/login; HttpOnly; SameSite=Strict$/);
  const { text } = await page('GET', answer.location, { cookie: answer.cookie });
  assert.match(text, /<title>Error: Sign in/);
  assert.ok(text.includes(`value="${ada.email}"`));
  assert.match(text, /<input id="password"[^>]* aria-describedby="password-error" aria-invalid="true" autofocus>/);
  assert.ok(text.includes('<input type="hidden" name="returnTo" value="/offers">'));
  assert.ok(text.includes(`<input type="hidden" name="tenantId" value="${tenantId}">`));
  for (const form of [
    {},
    { email: ada.email },
    { email: 'x'.repeat(300), password: 'y' },
    { email: ada.email, password: 'z'.repeat(1_500) },
  ]) {
    assert.match((await signIn(form)).location ?? '', /^\/login\?error=invalid-credentials/);
  }
});

test('hostile text in the address and in fields stays text', async () => {
  const hostile = `"><script>alert(1)</script>' onfocus=x`;
  const query = new URLSearchParams({ error: hostile, returnTo: hostile, tenantId: hostile.slice(0, 60) });
  for (const url of [
    `/login?${query}`,
    `/reset-password?${new URLSearchParams({ token: hostile })}`,
    `/accept-invite?${new URLSearchParams({ token: hostile, error: hostile })}`,
  ]) {
    const { status, text } = await page('GET', url, { cookie: `arbiter_typed=${encodeURIComponent(hostile)}` });
    assert.equal(status, 200, url);
    assert.equal(/<script|"\s*onfocus/.test(text), false, text);
  }
});

test("T32: rejects another site's form with a page, whatever it contains", async () => {
  const ada = await people.person(server.tenants[0]);
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: undefined }]) {
    for (const url of ['/login', '/register', '/reset-password', '/accept-invite']) {
      const answer = await page('POST', url, { form: { ...ada, step: 'password' }, headers });
      assert.deepEqual([answer.status, answer.cookie], [403, null]);
      assert.match(answer.text, /^<!doctype html>/);
    }
  }
  const visited = await page('POST', '/login', {
    form: { ...ada },
    headers: { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' },
  });
  assert.equal(visited.status, 303);
  assert.equal(
    (await page('POST', '/login', { headers: { 'content-type': 'application/json' }, form: { a: 1 } })).status,
    415,
  );
});

test('shares the limits of the API', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const email = `nobody-${newId()}@example.test`;
  for (let call = 0; call < 10; call += 1) {
    await server.call('POST', '/api/v1/auth/login', { key: null, headers, body: { email, password: 'Wrong0000' } });
    assert.equal((await page('POST', '/login', { headers, form: { email, password: 'Wrong0000' } })).status, 303);
  }
  const answer = await page('POST', '/login', { headers, form: { email, password: 'Wrong0000' } });
  assert.equal(answer.status, 429);
  assert.match(answer.text, /<h1>Too many attempts<\/h1>/);
  assert.ok(Number(answer.headers['retry-after']) > 0);
});

test('the second factor is a step of its own, whose token stays in a cookie', async () => {
  const ada = await people.person(server.tenants[0]);
  const session = await people.signIn(ada);
  const step = (body: object) =>
    people.open<{ secret: string; backupCodes: string[] }>('POST', '/api/v1/auth/mfa', { body, cookie: session });
  const app = createTestApp((await step({ action: 'setup' })).body.secret);
  const { backupCodes } = (await step({ action: 'enable', code: app.code(new Date(nowMs), -1) })).body;
  const half = await signIn({ ...ada, returnTo: '/offers' });
  assert.deepEqual([half.status, half.location], [303, '/login?step=code&returnTo=%2Foffers']);
  assert.match(half.cookie ?? '', /^arbiter_mfa=/);
  assert.match(
    (await page('GET', half.location!, { cookie: half.cookie })).text,
    /<h1>Enter your code<\/h1>.*autocomplete="one-time-code"/s,
  );
  const send = (form: object, cookie = half.cookie) =>
    page('POST', '/login', { form: { step: 'code', returnTo: '/offers', ...form }, cookie });
  const wrong = await send({ code: '000000' });
  assert.equal(wrong.location, '/login?step=code&error=invalid-code&returnTo=%2Foffers');
  assert.match((await page('GET', wrong.location, { cookie: half.cookie })).text, /id="code-error"/);
  const right = await send({ code: app.code(new Date(nowMs)) });
  assert.deepEqual([right.status, right.location], [303, '/offers']);
  assert.equal((await people.session(right.cookie!)).principal?.id, ada.id);
  assert.equal((await send({ code: backupCodes[0]!, backup: 'true' })).location, '/offers');
  const used = await send({ code: backupCodes[0]!, backup: 'true' });
  assert.equal(used.location, '/login?step=code&error=invalid-backup-code&backup=true&returnTo=%2Foffers');
  for (const url of ['/login?step=code', '/login?step=setup']) {
    assert.equal((await page('GET', url)).location, '/login?error=expired-step');
  }
  assert.equal((await send({ code: '000000' }, null)).location, '/login?error=expired-step&returnTo=%2Foffers');
});

test('where the tenant requires a second factor, sign-in sets it up and shows the backup codes once', async () => {
  const other = server.tenants[1]!;
  await server.call('PUT', '/api/v1/tenant-settings', { key: other.keys.admin, body: { mfaRequired: true } });
  const bob = await people.person(other);
  const half = await signIn(bob);
  assert.deepEqual([half.status, half.location], [303, '/login?step=setup']);
  const shown = await page('GET', half.location!, { cookie: half.cookie });
  const secret = /<code class="secret">([A-Z2-7 ]+)<\/code>/.exec(shown.text)?.[1]?.replaceAll(' ', '');
  assert.ok(secret);
  assert.match(shown.text, /<svg class="qr"[^>]* role="img" aria-label="[^"]+"/);
  // Looking again changes nothing.
  assert.ok((await page('GET', half.location!, { cookie: half.cookie })).text.includes(secret.slice(0, 4)));
  const send = (code: string) =>
    page('POST', '/login', { form: { step: 'setup', code, returnTo: '/offers' }, cookie: half.cookie });
  assert.equal((await send('000000')).location, '/login?step=setup&error=invalid-code&returnTo=%2Foffers');
  const app = createTestApp(secret);
  const done = await send(app.code(new Date(nowMs)));
  assert.equal(done.status, 200);
  assert.equal((done.text.match(/<li>[a-z2-7]{5}-[a-z2-7]{5}<\/li>/g) ?? []).length, 10);
  assert.ok(done.text.includes('href="/offers"'));
  assert.equal((await people.session(done.cookie!)).principal?.id, bob.id);
  assert.equal((await send(app.code(new Date(nowMs), 1))).location, '/login?step=code&returnTo=%2Foffers');
  assert.equal((await page('GET', '/login?step=setup', { cookie: half.cookie })).location, '/login?error=expired-step');
  await server.call('PUT', '/api/v1/tenant-settings', { key: other.keys.admin, body: { mfaRequired: false } });
});

test('a forgotten password: requests the email, whose link sets another', async () => {
  const ada = await people.person(server.tenants[0]);
  await takeMails(server);
  const send = (form: object) => page('POST', '/reset-password', { form });
  assert.equal((await send({ email: ada.email })).location, '/reset-password?sent=true');
  assert.equal((await send({ email: `nobody-${newId()}@example.test` })).location, '/reset-password?sent=true');
  assert.equal((await send({ email: 'nonsense' })).location, '/reset-password?error=invalid-email');
  const [mail, ...more] = await takeMails(server);
  assert.deepEqual([mail?.kind, mail?.to, more], ['reset', ada.email, []]);
  const token = mail?.kind === 'reset' ? mail.token : '';
  for (const [form, error] of [
    [{ password: 'short', repeated: 'short' }, 'weak-password'],
    [{ password: 'alllower0000', repeated: 'alllower0000' }, 'weak-password'],
    [{ password: 'Another0000', repeated: 'Another0001' }, 'no-match'],
    [{ password: 'Another0000' }, 'no-match'],
  ] as const) {
    assert.equal((await send({ token, ...form })).location, `/reset-password?error=${error}&token=${token}`);
  }
  const form = { token, password: 'Another0000', repeated: 'Another0000' };
  assert.equal((await send(form)).location, '/login?reset=true');
  assert.equal((await send(form)).location, '/reset-password?error=invalid-token');
  assert.equal((await signIn({ email: ada.email, password: 'Another0000' })).location, '/');
});

test('an invitation is accepted with a password, and signs in', async () => {
  const invited = await server.call<{ id: string; email: string }>('POST', '/api/v1/users', {
    body: { email: `invited-${newId()}@example.test`, role: 'editor' },
  });
  assert.equal(invited.status, 201, invited.text);
  const token = await link({ id: invited.body.id, tenantId: server.tenants[0].id }, 'invitation');
  const send = (form: object) => page('POST', '/accept-invite', { form: { token, ...form } });
  assert.equal(
    (await send({ password: 'weak', repeated: 'weak' })).location,
    `/accept-invite?error=weak-password&token=${token}`,
  );
  assert.equal(
    (await send({ name: 'x'.repeat(101), password: 'Another0000', repeated: 'Another0000' })).location,
    `/accept-invite?error=invalid-name&token=${token}`,
  );
  const done = await send({ name: 'Jane Doe', password: 'Another0000', repeated: 'Another0000' });
  assert.deepEqual([done.status, done.location], [303, '/']);
  assert.deepEqual((await people.session(done.cookie!)).principal?.name, 'Jane Doe');
  assert.equal(
    (await send({ password: 'Another0000', repeated: 'Another0000' })).location,
    '/accept-invite?error=invalid-token',
  );
  assert.equal((await page('POST', '/accept-invite', { form: {} })).location, '/accept-invite?error=invalid-token');
});

test('the pages are in no API document, and handle methods like the API', async () => {
  const { body } = await server.call<{ paths: object }>('GET', '/api/v1/openapi.json');
  for (const path of ['/login', '/register', '/reset-password', '/accept-invite']) {
    assert.equal(Object.hasOwn(body.paths, path), false, path);
    assert.equal((await server.app.inject({ method: 'DELETE', url: path })).statusCode, 405, path);
    assert.equal((await server.app.inject({ method: 'HEAD', url: path })).statusCode, 200, path);
  }
});
