import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openapi } from '@arbiter/contract';
import { checkKinds } from '../../../packages/server/src/http/binding/kinds.ts';
import { defaultStreamLimits } from '../../../packages/server/src/http/input/stream-places.ts';
import { createTestApp } from '../../../packages/server/src/http/test-app.ts';
import { startTestServer, type TestServer } from '../../../packages/server/src/main/test-server.ts';
import { kindOperations, uploadLimit } from './contract.ts';
import { kinds, operatorSecrets } from './server.ts';

/** Behavior of each kind that the operation matrix doesn't cover. */

let server: TestServer;
let url: string;
before(async () => {
  server = await startTestServer({ testOperations: kinds });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/api/v1/kinds`;
});
after(async () => {
  // For each abandoned stream, `fetch` opens an idle connection that counts as busy. Closing the server would wait 70
  // seconds for it.
  server?.app.server.closeAllConnections();
  await server?.close();
});

const keyOf = (role: 'admin' | 'editor' | 'viewer') => server.tenants[0].keys[role];
const bearer = (role: 'admin' | 'editor' | 'viewer') => ({ authorization: `Bearer ${keyOf(role)}` });
const guarded = { 'x-requested-with': 'x' };
const json = { 'content-type': 'application/json' };

describe('sessions', () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${url}/session`, { method: 'POST', body: '{"word":"a"}', headers: { ...json, ...headers } });
  const cookie = () => ({ cookie: `a=b; arbiter_session=${keyOf('editor')}` });

  test('a session acts from its own pages only', async () => {
    assert.equal((await call({ ...cookie(), ...guarded })).status, 200);
    assert.equal((await call({ ...cookie(), ...guarded, origin: new URL(url).origin })).status, 200);
    for (const origin of ['https://evil.example', 'null', `${new URL(url).origin}.evil.example`]) {
      const answer = await call({ ...cookie(), ...guarded, origin });
      assert.equal(answer.status, 403);
      assert.equal(((await answer.json()) as { code: string }).code, 'csrf_header_required');
    }
    assert.equal((await call(cookie())).status, 403);
  });

  test("a key isn't a session, and a cookie next to a key is ignored", async () => {
    assert.equal((await call({ ...bearer('editor'), ...guarded })).status, 403);
    assert.equal((await call({ ...cookie(), ...bearer('editor'), ...guarded })).status, 403);
  });

  test("an ended session is 401 and doesn't count as a guess; two different ones are 401", async () => {
    for (let times = 0; times < 40; times += 1) {
      assert.equal((await call({ cookie: 'arbiter_session=gone', ...guarded })).status, 401);
    }
    assert.equal((await call({ cookie: `arbiter_session=gone; ${cookie().cookie}`, ...guarded })).status, 401);
    assert.equal((await call({ ...cookie(), ...guarded })).status, 200);
  });

  test("a session opens what a key opens, and only an admin's opens SCIM", async () => {
    const answer = await fetch(`${url}/plain`, { headers: cookie() });
    assert.deepEqual(await answer.json(), [1, 2]);
    const scim = (role: 'admin' | 'editor', headers: Record<string, string>) =>
      fetch(`${url}/scim/Things`, {
        method: 'POST',
        body: '{"word":"a"}',
        headers: { ...json, cookie: `arbiter_session=${keyOf(role)}`, ...headers },
      });
    assert.equal((await scim('admin', guarded)).status, 201);
    assert.equal((await scim('admin', {})).status, 403);
    assert.equal((await scim('editor', guarded)).status, 403);
  });

  test('the real server accepts no key as a session', async () => {
    const real = server.authenticator.authenticate({ kind: 'session', value: keyOf('admin') });
    assert.equal(await real, null);
  });
});

describe('secrets and signatures', () => {
  const call = (headers: Record<string, string>) => fetch(`${url}/cron`, { headers });
  const secret = operatorSecrets.CRON_SECRET;

  test('the first header sent decides alone', async () => {
    assert.equal((await call({ 'x-cron-token': secret })).status, 200);
    assert.equal((await call({ 'x-cron-secret': secret })).status, 200);
    assert.equal((await call({ authorization: `Bearer ${secret}` })).status, 200);
    const answer = await call({ 'x-cron-token': 'wrong', 'x-cron-secret': secret, authorization: `Bearer ${secret}` });
    assert.equal(answer.status, 401);
    assert.deepEqual(await answer.json(), { error: 'unauthorized' });
  });

  test('an unset or blank secret opens nothing; an unknown one stops the start', async () => {
    for (const unset of [null, '', '  ']) {
      const closed = await startTestServer({
        testOperations: { ...kinds, secrets: { ...kinds.secrets, CRON_SECRET: unset } },
      });
      try {
        for (const sent of ['', '  ', 'null', secret]) {
          const { status } = await closed.call('GET', '/api/v1/kinds/cron', {
            key: null,
            headers: { 'x-cron-secret': sent },
          });
          assert.equal(status, 401);
        }
      } finally {
        await closed.close();
      }
    }
    const { operations, handlers } = kinds;
    assert.throws(() => createTestApp({ operations, handlers: new Map(handlers) }), /CRON_TOKEN/);
  });

  test('signs the exact bytes', async () => {
    const sign = (body: string) =>
      `sha256=${createHmac('sha256', operatorSecrets.WEBHOOK_SIGNING_SECRET).update(body).digest('hex')}`;
    const post = (body: string, signature: string, type = 'application/json') =>
      fetch(`${url}/webhook`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, 'x-webhook-signature': signature },
      });
    const body = '{"a":1,  "a":"ü"}';
    const answer = await post(body, sign(body));
    assert.equal(answer.status, 200);
    assert.equal(await answer.json(), Buffer.byteLength(body));
    assert.equal((await post(`${body} `, sign(body))).status, 401);
    assert.equal((await post(body, sign(body).slice(0, -1))).status, 401);
    assert.equal((await post(body, sign(body).replace('sha256=', ''))).status, 401);
    // Unsigned and of a wrong type counts as unsigned; signed and of a wrong type as a wrong type.
    assert.equal((await post(body, 'no', 'application/xml')).status, 401);
    assert.equal((await post(body, sign(body), 'application/xml')).status, 415);
  });
});

test('OAuth errors use the codes of the standard', async () => {
  const post = (word: string) =>
    fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ word, times: '2' }) });
  assert.deepEqual(await (await post('a')).json(), { word: 'aa' });
  const stranger = await post('stranger');
  assert.equal(stranger.status, 401);
  assert.match(String(stranger.headers.get('www-authenticate')), /^Basic/);
  assert.equal(((await stranger.json()) as { error: string }).error, 'invalid_client');
  const grant = (await (await post('grant')).json()) as { error: string };
  assert.equal(grant.error, 'unsupported_grant_type');
  const missing = (await (await post('')).json()) as { error: string };
  assert.equal(missing.error, 'invalid_request');
});

test("an unknown path below SCIM's base is a SCIM error, any other a problem", async () => {
  const scim = await fetch(`${url}/scim/Nothing`);
  assert.equal(scim.headers.get('content-type'), 'application/scim+json');
  assert.equal(((await scim.json()) as { status: string }).status, '404');
  assert.equal((await fetch(`${url}/nothing`)).headers.get('content-type'), 'application/problem+json');
});

test('reads a form by its schema', async () => {
  const post = (body: string) =>
    fetch(`${url}/form`, {
      method: 'POST',
      body,
      headers: { ...bearer('viewer'), ...guarded, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    });
  const read = await (await post('word=%C3%BC+a&times=12&loud=true&more=x&more=y&unknown=1')).json();
  assert.deepEqual(read, { word: 'ü a', times: 12, loud: true, more: ['x', 'y'] });
  const odd = await post('word=a&times=1e3');
  assert.equal(odd.status, 400);
  assert.equal(((await odd.json()) as { errors: { path: string }[] }).errors[0]?.path, '/times');
});

describe('uploads', () => {
  const upload = (body: FormData | ReadableStream, headers: Record<string, string> = {}) =>
    fetch(`${url}/upload`, {
      method: 'POST',
      body,
      headers: { ...bearer('editor'), ...guarded, ...headers },
      ...(body instanceof FormData ? {} : { duplex: 'half' as const }),
    });

  test('fields and files arrive in order, and unread ones are skipped', async () => {
    const form = new FormData();
    form.append('skip', new Blob(['x'.repeat(300_000)]), 'big.bin');
    form.append('word', 'ü');
    form.append('small', new Blob(['ab'], { type: 'Text/CSV' }), 'kü.csv');
    form.append('empty', new Blob([]), 'none');
    const read = (await (await upload(form)).json()) as { word: string; files: { name: string; bytes: number }[] };
    assert.equal(read.word, 'ü');
    assert.deepEqual(
      read.files.map(({ name, bytes }) => [name, bytes]),
      [
        ['skip', 0],
        ['small', 2],
        ['empty', 0],
      ],
    );
    assert.deepEqual(read.files[1], { name: 'small', fileName: 'kü.csv', mediaType: 'text/csv', bytes: 2 });
  });

  test('an endless file is cut off at the limit with 413, even if it announced a smaller length', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
        const chunk = Buffer.from(sent === 0 ? head : 'x'.repeat(65_536));
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const answer = await upload(endless, { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(answer.status, 413);
    // No more than the buffers of both sides and what arrives while the connection lingers.
    assert.ok(sent < uploadLimit + 16 * 1024 * 1024, `${sent} bytes were taken`);
  });

  test('a truncated file is 400, and so is a body without a boundary', async () => {
    const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of i';
    const answer = await upload(new Blob([cut]).stream(), { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(answer.status, 400);
    const none = await upload(new Blob([cut]).stream(), { 'content-type': 'multipart/form-data' });
    assert.equal(none.status, 400);
  });
});

describe('streamed responses', () => {
  test('a file has its name in both spellings', async () => {
    const answer = await fetch(`${url}/file/text`, { headers: bearer('viewer') });
    assert.equal(await answer.text(), 'whole');
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    const disposition = String(answer.headers.get('content-disposition'));
    assert.match(disposition, /filename\*=UTF-8''%C3%9Cbersicht/);
    const rows = await fetch(`${url}/file/csv`, { headers: bearer('viewer') });
    assert.equal(await rows.text(), '0,x\n1,x\n2,x\n');
    assert.equal((await fetch(`${url}/file/other`, { headers: bearer('viewer') })).status, 404);
  });

  test('events continue after the last one received', async () => {
    const answer = await fetch(`${url}/events`, { headers: { ...bearer('viewer'), 'last-event-id': '1' } });
    const text = await answer.text();
    assert.deepEqual(text.split('\n\n').slice(0, -1), [
      ': open',
      'id: 2\nevent: count\ndata: {"number":2}',
      'id: 3\nevent: count\ndata: {"number":3}',
    ]);
  });

  test('a client that requests events gets them instead of JSON, and uses a stream slot', async () => {
    const ask = (accept?: string) =>
      fetch(`${url}/json-or-events`, { headers: { ...bearer('viewer'), ...(accept === undefined ? {} : { accept }) } });
    for (const accept of ['text/event-stream', 'application/json, text/event-stream', 'Text/Event-Stream;q=0.5']) {
      const answer = await ask(accept);
      assert.equal(answer.headers.get('content-type'), 'text/event-stream', accept);
      assert.equal(await answer.text(), ': open\n\ndata: "a"\n\ndata: "b"\n\n');
    }
    for (const accept of [undefined, '*/*', 'application/json', 'text/event-stream;q=0', 'text/event-streams']) {
      const answer = await ask(accept);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', accept);
      assert.deepEqual(await answer.json(), { word: 'ab' });
    }
  });

  test('limits the open event streams of a tenant; closing one makes room for another', async () => {
    const open = async () => {
      const leaving = new AbortController();
      const response = await fetch(`${url}/events?forever=true`, {
        headers: bearer('viewer'),
        signal: leaving.signal,
      });
      // Keeps the response: fetch closes the stream of one that was garbage collected.
      return { response, status: response.status, leave: () => leaving.abort() };
    };
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    for (let at = 0; at < defaultStreamLimits.perTenant; at += 1) streams.push(await open());
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    const refused = await fetch(`${url}/events?forever=true`, { headers: bearer('viewer') });
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers.get('retry-after')), /^[0-9]+$/);
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
    // Calls that aren't streams keep working.
    assert.equal((await fetch(`${url}/file/text`, { headers: bearer('viewer') })).status, 200);
    streams[0]?.leave();
    await until(async () => {
      const next = await open();
      streams.push(next);
      return next.status === 200;
    });
    for (const { leave } of streams) leave();
  });

  test('a stream ends for its source when the client leaves, and for the client when the server stops', async () => {
    const own = await startTestServer({ testOperations: kinds });
    await own.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = own.app.server.address() as AddressInfo;
    const open = () =>
      new Promise<{ socket: ReturnType<typeof connect>; ended: Promise<void> }>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        const ended = new Promise<void>((done) => socket.on('close', () => done()));
        let text = '';
        socket
          .on('error', () => undefined)
          .on('data', (chunk) => {
            text += String(chunk);
            if (text.includes('"number":3')) resolve({ socket, ended });
          });
        const key = own.tenants[0].keys.viewer;
        socket.write(
          `GET /api/v1/kinds/events?forever=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
        );
      });
    const leaving = await open();
    const staying = await open();
    const logged = () => own.log.filter(({ route }) => route === '/api/v1/kinds/events').length;
    assert.equal(logged(), 0);
    leaving.socket.destroy();
    await until(() => logged() === 1);
    own.lifecycle.beginDrain();
    await until(() => logged() === 2);
    // The client may close now, or the server when it closes its connections.
    staying.socket.end();
    await staying.ended;
    await own.close();
  });
});

test('rejects contradictory declarations at the start', () => {
  const { upload, webhook, events, session } = kindOperations;
  assert.throws(() => checkKinds({ ...upload, transaction: 'tenant' }), /transaction open/);
  assert.throws(() => checkKinds({ ...webhook, bodyKind: 'json' }), /signature/);
  assert.throws(() => checkKinds({ ...events, transaction: 'tenant' }), /events/);
  assert.throws(() => checkKinds({ ...session, auth: 'none' }), /no credential/);
  assert.throws(() => checkKinds({ ...events, idempotent: true }), /stored/);
  assert.throws(() => checkKinds({ ...kindOperations.jsonOrEvents, transaction: 'tenant' }), /events/);
});

test('the document describes every type', () => {
  const document = openapi(Object.values(kindOperations), { version: '1', serverUrl: 'http://localhost' });
  const at = (...steps: string[]): unknown =>
    steps.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), document);
  const path = (name: string, method: string) => at('paths', `/api/v1/kinds/${name}`, method);
  const keysOf = (value: unknown) => Object.keys(Object(value));
  assert.deepEqual(keysOf(Reflect.get(Object(Reflect.get(Object(path('upload', 'post')), 'requestBody')), 'content')), [
    'multipart/form-data',
  ]);
  assert.deepEqual(keysOf(at('components', 'securitySchemes')).sort(), [
    'CRON_TOKEN',
    'WEBHOOK_SIGNING_SECRET',
    'XCronSecret',
    'XCronToken',
    'apiKey',
    'bearer',
    'scim',
    'session',
  ]);
  for (const schema of ['OAuthError', 'ScimError', 'CronError']) assert.ok(at('components', 'schemas', schema), schema);
  const file = at('paths', '/api/v1/kinds/file/{format}', 'get', 'responses', '200', 'content');
  assert.deepEqual(keysOf(file), ['text/csv', 'text/plain']);
  const events = at('paths', '/api/v1/kinds/events', 'get', 'responses', '200', 'content');
  assert.deepEqual(keysOf(events), ['text/event-stream']);
  const either = at('paths', '/api/v1/kinds/json-or-events', 'get', 'responses', '200', 'content');
  assert.deepEqual(keysOf(either), ['application/json', 'text/event-stream']);
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
