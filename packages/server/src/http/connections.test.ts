import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, operation } from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { connectionLimits } from './connections.ts';
import { type Handlers, handlerEntries, rawJson, reply } from './handler.ts';
import { createRegistry } from './metrics.ts';
import { createTestApp, keys } from './test-app.ts';

const base = {
  method: 'GET',
  tag: 'T',
  summary: 's',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'crud',
  responses: { 200: { description: 'Done.', schema: Type.Unsafe<unknown>({ description: 'Anything.' }) } },
  errors: [],
  audit: [],
  transaction: 'none',
} as const;
const things = {
  waits: operation({ ...base, id: 'things.waits', path: '/waits' }),
  large: operation({ ...base, id: 'things.large', path: '/large' }),
} satisfies Record<string, Operation>;

/** More than the buffers at both ends of a connection hold. */
const large = Buffer.alloc(24 * 1024 * 1024, ' ');
large.write('1');

const closers: (() => unknown)[] = [];
/** Servers that received a connection. */
const seen = new Set<FastifyInstance>();
after(async () => {
  for (const close of closers.reverse()) await close();
});

async function listen(limits: Partial<Record<keyof typeof connectionLimits, number>>) {
  const waiting: (() => void)[] = [];
  let served = 0;
  const handlers: Handlers<typeof things> = {
    waits: async () => {
      served += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return reply(200, {});
    },
    large: async () => {
      served += 1;
      return reply(200, rawJson<unknown>(large));
    },
  };
  const registry = createRegistry('test');
  const { app } = createTestApp({
    registry,
    operations: things,
    handlers: new Map(handlerEntries(things, handlers)),
    connectionLimits: limits,
    checkResponses: false,
  });
  app.server.once('connection', () => seen.add(app));
  await app.listen({ port: 0, host: '127.0.0.1' });
  closers.push(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const cuts = async (reason: string) =>
    (await registry.metrics()).includes(`svc_http_connections_cut_total{reason="${reason}"} 1\n`);
  return { app, waiting, served: () => served, cuts };
}

function client(app: FastifyInstance): Socket {
  const address = app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const socket = connect(address.port, '127.0.0.1');
  // A connection that is cut may be reset.
  socket.on('error', () => undefined);
  closers.push(() => socket.destroy());
  return socket;
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.viewer}\r\n\r\n`;

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const connections = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
const noneIsOpen = (app: FastifyInstance) =>
  until(async () => seen.has(app) && (await connections(app)) === 0, 'still connected');
describe('pipelined requests', () => {
  test('are handled eight at a time, in order, and completely', async () => {
    const { app, waiting, served } = await listen({});
    const socket = client(app);
    let answers = '';
    socket.on('data', (chunk) => {
      answers += chunk;
    });
    socket.write(request('/waits').repeat(20) + request('/nowhere'));
    for (let done = 0; done < 20; done += 1) {
      const inside = Math.min(20, done + 8);
      await until(() => served() === inside, `${served()} instead of ${inside} are served`);
      // No other connection comes in.
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(served(), inside);
      waiting.shift()?.();
    }
    await until(() => answers.includes('404 Not Found'), `no end: ${answers}`);
    assert.equal(answers.split('HTTP/1.1 200 ').length, 21);
    assert.ok(answers.lastIndexOf('HTTP/1.1 200 ') < answers.indexOf('HTTP/1.1 404 '));
  });

  test('are limited to a few dozen: the connection is cut, and nothing beyond eight is started', async () => {
    const { app, served, cuts } = await listen({});
    const socket = client(app);
    socket.write(request('/waits').repeat(8 + 64 + 1));
    await noneIsOpen(app);
    assert.equal(served(), 8);
    assert.ok(await cuts('pipeline'));
  });
});

describe("a client that doesn't read its responses", () => {
  test("is disconnected, and its requests in the meantime aren't handled", async () => {
    const { app, served, cuts } = await listen({ writeDeadlineMs: 500 });
    const socket = client(app);
    socket.pause();
    socket.write(request('/large').repeat(20));
    await until(() => served() > 0, 'not served');
    await noneIsOpen(app);
    assert.equal(served(), 8);
    assert.ok(await cuts('write_deadline'));
  });

  test('is disconnected even if it keeps sending', async () => {
    const { app } = await listen({ writeDeadlineMs: 1_000 });
    const socket = client(app);
    socket.pause();
    socket.write(request('/large'));
    const dribble = setInterval(() => socket.writable && socket.write('G'), 100);
    closers.push(() => clearInterval(dribble));
    await noneIsOpen(app);
  });

  test('is disconnected even if its next request is malformed', async () => {
    const { app, served } = await listen({ writeDeadlineMs: 500 });
    const socket = client(app);
    socket.pause();
    socket.write(request('/large'));
    await until(() => served() > 0, 'not served');
    socket.write('\0\0\0\r\n\r\n');
    await noneIsOpen(app);
  });

  test('gets everything, and its next response, if it reads slowly', async () => {
    const deadlineMs = 2_000;
    const { app } = await listen({ writeDeadlineMs: deadlineMs });
    const socket = client(app);
    const began = performance.now();
    let taken = 0;
    socket.on('data', (chunk) => {
      taken += chunk.length;
      socket.pause();
      // The most that two deadlines allow.
      const due = began + (taken / large.length) * 2 * deadlineMs - performance.now();
      setTimeout(() => socket.resume(), Math.max(0, due));
    });
    socket.write(request('/large'));
    await until(() => taken > large.length || socket.destroyed, `${taken} of ${large.length} bytes`);
    assert.ok(performance.now() - began > deadlineMs, 'longer than the deadline');
    socket.removeAllListeners('data');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.resume();
    socket.write(request('/nowhere'));
    await until(() => answer.includes('404 Not Found') || socket.destroyed, 'no second answer');
    assert.ok(answer.includes('404 Not Found'));
  });
});

describe('a server that is closing', () => {
  const connected = (app: FastifyInstance, socket: Socket) =>
    until(async () => socket.readyState === 'open' && (await connections(app)) === 1, 'not connected');
  const closedSoon = (app: FastifyInstance) => {
    const late = new AbortController();
    // Node alone closes them only after more than a minute.
    const tooLong = sleep(30_000, true, { signal: late.signal }).catch(() => false);
    return Promise.race([app.close().then(() => false), tooLong]).then((isLate) => {
      late.abort();
      assert.equal(isLate, false, 'it waits for a connection that says nothing');
    });
  };

  test("doesn't wait for an unused connection", async () => {
    const { app } = await listen({});
    const socket = client(app);
    await connected(app, socket);
    await closedSoon(app);
    await until(() => socket.destroyed, 'not ended');
  });

  test('handles a first request that arrives while closing', async () => {
    const { app, waiting, served } = await listen({ firstRequestMs: 60_000 });
    const socket = client(app);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await connected(app, socket);
    const closed = app.close();
    await until(() => !app.server.listening, 'not closing');
    socket.write(request('/waits'));
    await until(() => served() === 1, 'not served');
    waiting.shift()?.();
    await until(() => answer.startsWith('HTTP/1.1 200'), answer);
    socket.destroy();
    await closed;
  });
});
