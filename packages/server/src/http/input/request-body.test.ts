import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Operation, operation, systemOperations } from '@arbiter/contract';
import Type from 'typebox';
import { type Handlers, handlerEntries, rawJson, reply } from '../handler.ts';
import { createLoadShedder } from '../limits/load-shedding.ts';
import type { Principal } from '../principal.ts';
import { createTestApp, tenantA } from '../test-app.ts';

const Answer = Type.Unsafe<unknown>({ description: 'Anything.' });
const base = {
  method: 'POST',
  tag: 'T',
  summary: 's',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'crud',
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  bodyLimit: 8 * 1024,
  responses: { 200: { description: 'Done.', schema: Answer } },
  errors: [],
  audit: [],
  transaction: 'none',
} as const;
const echoes = {
  object: operation({ ...base, id: 'echo.object', path: '/object' }),
  text: operation({ ...base, id: 'echo.text', path: '/text' }),
  bytes: operation({ ...base, id: 'echo.bytes', path: '/bytes' }),
} satisfies Record<string, Operation>;

let served = 0;
const handlers: Handlers<typeof echoes> = {
  async object({ body }) {
    served += 1;
    return reply(200, body);
  },
  text: async ({ body }) => reply(200, rawJson<unknown>(JSON.stringify(body))),
  bytes: async ({ body }) => reply(200, rawJson<unknown>(Buffer.from(JSON.stringify(body)))),
};

const principal: Principal = {
  kind: 'apiKey',
  tenantId: tenantA,
  actor: { id: 'apikey:x', name: 'x', role: 'viewer' },
  role: 'viewer',
  scopes: ['read'],
  credentialId: 'apikey:x',
};
const key = `krn_${'k'.repeat(64)}`;

/** While set, credential look-ups take this long, like those that no cache knows. */
let lookUpMs = 0;
const shedder = createLoadShedder(() => 0);
const { app, log } = createTestApp({
  operations: { ...systemOperations, ...echoes },
  handlers: new Map(handlerEntries(echoes, handlers)),
  authenticate: () => (lookUpMs === 0 ? principal : wait(lookUpMs).then(() => principal)),
  loadShedder: shedder,
});
let port = 0;
before(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
after(() => app.close());

const headOf = (path: string, more: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nx-requested-with: x\r\n` +
  `content-type: application/json\r\n${more}\r\n\r\n`;

/** Sends the parts with a pause after each, and reads until the answer is complete. */
async function send(parts: readonly (string | Buffer)[]): Promise<{ status: number; body: string; head: string }> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay();
  let got = Buffer.alloc(0);
  const whole = new Promise<number>((resolve, reject) => {
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      const end = got.indexOf('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(got.toString('latin1', 0, end))?.[1];
      if (end > 0 && got.length >= end + 4 + Number(length)) resolve(end);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${got.length} bytes`)));
  });
  for (const part of parts) {
    socket.write(part);
    if (parts.length > 1) await wait(15);
  }
  const end = await whole;
  socket.destroy();
  const head = got.toString('latin1', 0, end);
  return { status: Number(head.slice(9, 12)), head, body: got.toString('utf8', end + 4) };
}

async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 2_000;
  while (!isSo() && performance.now() < giveUpAt) await wait(2);
}

const json = JSON.stringify({ text: 'grün, 東京, 🙂' });
const bytes = Buffer.from(json);
const lengthOf = (body: Buffer): string => `content-length: ${body.length}`;

for (const slow of [0, 40]) {
  test(`a body arrives complete, however it's split, with a credential that takes ${slow} ms`, async () => {
    lookUpMs = slow;
    const head = headOf('/object', lengthOf(bytes));
    const chunked = headOf('/object', 'transfer-encoding: chunked');
    const chunk = (part: Buffer) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const sent: readonly (string | Buffer)[][] = [
      [Buffer.concat([Buffer.from(head), bytes])],
      [head, bytes],
      [Buffer.concat([Buffer.from(head), bytes.subarray(0, 13)]), bytes.subarray(13)],
      [head, ...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)).slice(0, 9), bytes.subarray(9)],
      [
        Buffer.concat([
          Buffer.from(chunked),
          chunk(bytes.subarray(0, 13)),
          chunk(bytes.subarray(13)),
          Buffer.from('0\r\n\r\n'),
        ]),
      ],
      [chunked, chunk(bytes), '0\r\n\r\n'],
    ];
    for (const [which, parts] of sent.entries()) {
      const answer = await send(parts);
      assert.equal(answer.status, 200, `${which}: ${answer.body}`);
      assert.equal(answer.body, json, String(which));
    }
    lookUpMs = 0;
  });
}

test('a body over the limit is 413 even without a length, in one packet or many', async () => {
  const head = headOf('/object', 'transfer-encoding: chunked');
  const part = `1000\r\n${' '.repeat(0x1000)}\r\n`;
  for (const parts of [[head + part.repeat(3)], [`${head}${part.repeat(3)}0\r\n\r\n`], [head, part, part, part]]) {
    assert.equal((await send(parts)).status, 413);
  }
});

test('no body has no properties, and neither has an empty one', async () => {
  for (const framing of ['x-none: 1', 'content-length: 0']) {
    assert.equal((await send([headOf('/object', framing)])).body, '{}');
  }
  assert.equal((await send([`${headOf('/object', 'transfer-encoding: chunked')}0\r\n\r\n`])).body, '{}');
});

test('a client that disconnects before its body is complete is dropped and frees its slot', async () => {
  for (const slow of [0, 40]) {
    lookUpMs = slow;
    const before = served;
    const lines = log.length;
    const socket = connect(port, '127.0.0.1');
    socket.write(`${headOf('/object', 'content-length: 100')}{"text":`);
    await until(() => shedder.inFlight() === 1);
    socket.destroy();
    await until(() => log.length > lines);
    assert.equal(log.at(-1)?.status, 400, `with ${slow} ms`);
    assert.equal(shedder.inFlight(), 0);
    assert.equal(served, before);
  }
  lookUpMs = 0;
});

test('sends ready-made text and bytes as they are', async () => {
  for (const path of ['/text', '/bytes', '/object']) {
    for (const body of [json, '{"text":"plain"}']) {
      const answer = await send([headOf(path, lengthOf(Buffer.from(body))) + body]);
      assert.equal(answer.status, 200);
      assert.equal(answer.body, body);
      assert.match(answer.head, /content-type: application\/json; charset=utf-8/i);
      assert.match(answer.head, /cache-control: no-store/i);
      assert.match(answer.head, /x-request-id: [0-9a-f-]{36}/i);
    }
  }
});
