import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { type Operation, operation, systemOperations } from '@arbiter/contract';
import Type from 'typebox';
import { type Handlers, handlerEntries, reply } from '../handler.ts';
import { createRegistry } from '../metrics.ts';
import { createTestApp, keys, principals } from '../test-app.ts';
import { createLoadShedder, defaultLimits } from './load-shedding.ts';

const Anything = Type.Unsafe<unknown>({ description: 'Anything.' });
const base = {
  tag: 'T',
  summary: 's',
  auth: 'credential',
  role: 'viewer',
  responses: { 200: { description: 'Done.', schema: Anything } },
  errors: [],
  audit: [],
  transaction: 'none',
  csrfExempt: true,
} as const;
const things = {
  decide: operation({
    ...base,
    id: 'things.decide',
    method: 'POST',
    path: '/decide',
    body: Anything,
    decides: true,
    loadClass: 'decision',
  }),
  read: operation({ ...base, id: 'things.read', method: 'GET', path: '/read', loadClass: 'crud' }),
} satisfies Record<string, Operation>;

/** Ends the calls inside the handler, oldest first. */
const inside: (() => void)[] = [];
let looked = 0;
const handlers: Handlers<typeof things> = {
  decide: async () => {
    await new Promise<void>((resolve) => inside.push(resolve));
    return reply(200, { decided: true });
  },
  read: async () => reply(200, {}),
};
const places = 4;
const shedder = createLoadShedder(() => 0, {
  ...defaultLimits,
  decision: { ...defaultLimits.decision, own: places, perTenant: places - 1 },
});
const registry = createRegistry('test');
const { app, log } = createTestApp({
  registry,
  operations: { ...systemOperations, ...things },
  handlers: new Map(handlerEntries(things, handlers)),
  loadShedder: shedder,
  config: { corsAllowedOrigins: ['https://shop.example'] },
  authenticate: (presented) => {
    looked += 1;
    return principals.get(presented.value) ?? null;
  },
});
let port = 0;
before(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
after(() => app.close());

interface Seen {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The caller's end of the connection. */
  readonly localPort: number;
}

interface Sent {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
  /** Port. Default: that of the app above. */
  readonly to?: number;
}

async function send(method: string, path: string, sent: Sent = {}): Promise<Seen> {
  const { key = keys.viewer, headers = {}, body = '{}', agent, to = port } = sent;
  const call = request({
    port: to,
    host: '127.0.0.1',
    method,
    path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === 'POST' ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
      ...headers,
    },
    ...(agent === undefined ? { agent: false } : { agent }),
  });
  call.end(method === 'POST' ? body : undefined);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const localPort = response.socket.localPort ?? 0;
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text, localPort };
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!condition()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Returns the open connections of a server. */
const countOf = (of: typeof app) =>
  new Promise<number>((resolve, reject) => {
    of.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

/** Starts calls that take all places of a credential, or of the class. */
async function fill(): Promise<Promise<Seen>[]> {
  const mine = Array.from({ length: places - 1 }, () => send('POST', '/decide'));
  const theirs = send('POST', '/decide', { key: keys.otherTenant });
  await until(() => inside.length === places, `${inside.length} inside`);
  return [...mine, theirs];
}

/** Ends all calls inside, and those that come after. */
async function finish(calls: readonly Promise<Seen>[]): Promise<void> {
  let ended = false;
  const all = Promise.all(calls).finally(() => {
    ended = true;
  });
  await until(() => {
    inside.shift()?.();
    return ended;
  }, 'not all calls ended');
  for (const { status } of await all) assert.equal(status, 200);
}

test('rejects a request without a free slot as the contract says, before authentication or its body', async () => {
  const running = await fill();
  const known = looked;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({ filler: 'x'.repeat(300_000) });
  const refused = await send('POST', '/decide', { agent, body, headers: { origin: 'https://shop.example' } });
  assert.equal(refused.status, 503);
  const problem = JSON.parse(refused.text);
  assert.deepEqual(
    { ...problem, requestId: '', recommendationId: '' },
    {
      type: 'urn:arbiter:error:overloaded',
      title: problem.title,
      status: 503,
      detail: 'The server is overloaded. Try again in a moment.',
      code: 'overloaded',
      requestId: '',
      error: 'The server is overloaded. Try again in a moment.',
      errors: [],
      retryAfterSeconds: 1,
      recommendationId: '',
    },
  );
  const { headers } = refused;
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(headers['retry-after'], '1');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['x-request-id'], problem.requestId);
  assert.equal(problem.recommendationId, problem.requestId);
  assert.equal(headers['access-control-allow-origin'], 'https://shop.example');
  assert.equal(looked, known, 'no credential was looked up');
  // The router's and the gate's answers differ only in their ids.
  const routed = await app.inject({
    method: 'POST',
    url: '/decide',
    headers: { authorization: `Bearer ${keys.viewer}`, 'x-request-id': problem.requestId },
    payload: {},
  });
  assert.equal(routed.body, refused.text);
  // Keeps its own id, whatever its form.
  const named = await send('POST', '/decide', { headers: { 'x-request-id': 'Mine.1' } });
  assert.equal(JSON.parse(named.text).requestId, 'Mine.1');
  assert.match(JSON.parse(named.text).recommendationId, /^[0-9a-f-]{36}$/);
  assert.equal(named.headers['x-request-id'], 'Mine.1');
  // Neither health checks nor requests of another class are shed.
  assert.equal((await send('GET', '/api/health')).status, 200);
  assert.equal((await send('GET', '/read')).status, 200);
  await finish(running);
  // The connection survives the refusal, even though nobody read the body.
  const again = send('POST', '/decide', { agent });
  await until(() => inside.length === 1, 'the next request of the connection did not arrive');
  inside.shift()?.();
  assert.deepEqual([(await again).status, (await again).localPort], [200, refused.localPort]);
  agent.destroy();
  const metrics = await registry.metrics();
  assert.match(metrics, /svc_http_shed_total\{class="decision"\} 3\n/);
  assert.match(metrics, /svc_http_requests_total\{method="POST",route="\/decide",status="503"\} 3\n/);
  const lines = log.filter(({ msg }) => msg === 'overloaded: requests rejected');
  assert.ok(lines.length >= 1 && lines.every(({ route, status }) => route === '/decide' && status === 503));
});

test('serves waiting requests when a slot is free, taking turns between callers', async () => {
  const running = await fill();
  const waiting = send('POST', '/decide');
  const other = send('POST', '/decide', { key: keys.editor });
  // Freed once both are in, so that neither waits too long; on a busy machine they may be shed and retried.
  await finish(running);
  const served = await Promise.all(
    [waiting, other].map(async (call) => {
      for (let answer = call; ; answer = send('POST', '/decide')) {
        let status = 0;
        const seen = answer.then((got) => {
          status = got.status;
        });
        await until(() => {
          inside.shift()?.();
          return status !== 0;
        }, 'no answer');
        await seen;
        if (status === 200) return status;
        assert.equal(status, 503);
      }
    }),
  );
  assert.deepEqual(served, [200, 200]);
  assert.equal(shedder.inFlight(), 0);
});

test('a caller being served keeps its turn next to callers with ever new credentials', async () => {
  const asked: string[] = [];
  const patient = createTestApp({
    operations: { ...systemOperations, ...things },
    handlers: new Map(handlerEntries(things, handlers)),
    loadShedder: createLoadShedder(() => 0, {
      ...defaultLimits,
      decision: { ...defaultLimits.decision, own: 2, perTenant: 2 },
    }),
    gateHoldMs: 60_000,
    authenticate: ({ value }) => {
      asked.push(value);
      return principals.get(value) ?? null;
    },
  });
  await patient.app.listen({ port: 0, host: '127.0.0.1' });
  const to = (patient.app.server.address() as AddressInfo).port;
  const running = [send('POST', '/decide', { to }), send('POST', '/decide', { to })];
  await until(() => inside.length === 2, 'not both arrived');
  const invented = Array.from({ length: 20 }, (_, n) => `krn_${'invented'.repeat(4)}${n}`);
  const refused = invented.map((key) => send('POST', '/decide', { to, key }));
  const mine = send('POST', '/decide', { to });
  const open = async () => (await countOf(patient.app)) === 2 + invented.length + 1;
  for (let all = await open(); !all; all = await open()) await new Promise((resolve) => setTimeout(resolve, 5));
  // One turn of the event loop, in which the server reads what came last.
  assert.equal((await send('GET', '/api/health', { to })).status, 200);
  asked.length = 0;
  inside.shift()?.();
  await until(() => asked.includes(keys.viewer), 'mine was not let in');
  assert.ok(asked.indexOf(keys.viewer) <= 1, `${asked.indexOf(keys.viewer)} came before`);
  await finish([...running, mine]);
  for (const { status } of await Promise.all(refused)) assert.equal(status, 401);
  await patient.app.close();
});

test('one credential at its share leaves room for others', async () => {
  const mine = Array.from({ length: places - 1 }, () => send('POST', '/decide'));
  await until(() => inside.length === places - 1, 'not all arrived');
  assert.equal((await send('POST', '/decide')).status, 503);
  const other = send('POST', '/decide', { key: keys.otherTenant });
  await until(() => inside.length === places, 'the other was not let in');
  await finish([...mine, other]);
});

test('a client that disconnects while waiting takes no slot', async () => {
  const running = await fill();
  const refusals = async () => Number((await registry.metrics()).match(/shed_total\{class="decision"\} (\d+)/)?.[1]);
  const before = await refusals();
  const socket = connect({ port, host: '127.0.0.1' });
  const head = `POST /decide HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.viewer}\r\nContent-Type: application/json\r\n`;
  socket.end(`${head}Content-Length: 2\r\n\r\n{}`);
  socket.destroySoon();
  await once(socket, 'close');
  // A later one that's shed: by then the earlier one has been judged.
  assert.equal((await send('POST', '/decide')).status, 503);
  await finish(running);
  assert.equal(shedder.inFlight(), 0);
  assert.equal(inside.length, 0);
  assert.ok((await refusals()) - before <= 2);
});
