import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import type { Json } from '@arbiter/engine';
import { Redis } from 'ioredis';
import { testCertificate, testKey } from '../../../../platform/mail/test-smtp-server.ts';
import { missingProgram } from '../../../../platform/sources/test-programs.ts';
import { startTestRedis, type TestRedis } from '../../../../platform/test-redis.ts';
import type { SourceOfConnector } from '../sources.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

describe('Redis Streams', { skip: missingProgram('redis-server', 'redis-server') }, () => {
  const sources = createTestSources();
  let server: TestRedis;
  let redis: Redis;
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  before(async () => {
    [server, silent] = await Promise.all([startTestRedis(), startSilentServer()]);
    redis = new Redis(server.url);
    await redis.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '+@all');
    await redis.call('ACL', 'SETUSER', 'guest', 'on', '>guest', '~*', '+ping');
  });
  after(async () => {
    silent?.close();
    redis?.disconnect();
    await Promise.all([sources.close(), server?.stop()]);
  });

  const connector = (config: Readonly<Record<string, unknown>> = {}): SourceOfConnector =>
    sourceOf('redis_streams', {
      ...{ host: '127.0.0.1', port: Number(new URL(server.url).port), username: 'reader', password: 'secret' },
      ...{ topic: 'orders', maxMessages: 100_000, maxWaitMs: 100, ...config },
    });
  const add = async (rows: readonly object[]): Promise<void> => {
    const pipeline = redis.pipeline();
    for (const row of rows) pipeline.xadd('orders', '*', 'data', JSON.stringify(row));
    await pipeline.exec();
  };
  /** Leaves a stream with these entries, and no group. */
  const fill = async (rows: readonly object[]): Promise<void> => {
    await redis.del('orders');
    await redis.xadd('orders', '*', 'first', '1');
    await redis.xtrim('orders', 'MAXLEN', 0);
    await add(rows);
  };
  const toSuite = ({ seq, name }: Readonly<Record<string, unknown>>): SuiteRow => ({
    seq: Number(seq),
    name: name === null ? null : String(name),
  });

  testReader({
    ...{ name: 'a stream of Redis', toSuite },
    async holding(rows) {
      await fill(rows);
      return openerOf(sources, connector());
    },
    hanging: async () => openerOf(sources, connector({ port: silent.port })),
    adds: (row) => add([row]),
  });

  /** Reads, and commits the batches up to `commits`. */
  async function rowsOf(
    config: object = {},
    { commits = Number.POSITIVE_INFINITY, cursor = null as Json | null } = {},
  ) {
    const reader = sources.open(connector({ ...config }));
    const rows: Readonly<Record<string, unknown>>[] = [];
    let batches = 0;
    const signal = new AbortController().signal;
    try {
      for await (const batch of reader.read({ cursor, signal, rowLimit: 0 })) {
        rows.push(...batch.rows);
        batches += 1;
        if (batches <= commits) await reader.committed(batch.cursor);
      }
    } finally {
      await reader.close();
    }
    return rows;
  }

  test("rereads what wasn't committed, and never what was", async () => {
    await fill(Array.from({ length: 500 }, (_none, seq) => ({ seq })));
    assert.equal((await rowsOf({}, { commits: 1 })).length, 500);
    const again = await rowsOf();
    assert.equal(again.length, 300);
    assert.equal(again[0]?.seq, 200);
    assert.deepEqual(await rowsOf(), []);
    await add([{ seq: 500 }]);
    assert.deepEqual(
      (await rowsOf()).map(({ seq }) => seq),
      [500],
    );
    assert.equal((await rowsOf({ groupId: 'others' })).length, 501);
    assert.deepEqual(await rowsOf({ groupId: 'late', fromBeginning: false }), []);
  });

  test('stops at the maximum number of messages', async () => {
    await fill(Array.from({ length: 10 }, (_none, seq) => ({ seq })));
    assert.equal((await rowsOf({ maxMessages: 3 })).length, 3);
    assert.equal((await rowsOf({ maxMessages: 3 }))[0]?.seq, 3);
  });

  test('waits for messages that arrive', async () => {
    await fill([]);
    const reading = rowsOf({ maxWaitMs: 20_000, maxMessages: 1 });
    await add([{ seq: 1 }]);
    assert.equal((await reading).length, 1);
  });

  test('reads JSON and fields, with the position of the message', async () => {
    await fill([{ a: { b: 1 } }]);
    const id = await redis.xadd('orders', '1700000000000-5', 'a', 'x', 'b', 'é').catch(() => null);
    assert.equal(id, null, 'IDs only rise');
    const [first] = await rowsOf();
    assert.equal(first?.a_b, 1);
    await redis.del('orders');
    await redis.xadd('orders', '1700000000000-5', 'a', 'x', 'b', 'é');
    assert.deepEqual(await rowsOf(), [
      {
        ...{ a: 'x', b: 'é', _key: 'orders', _partition: 0, _offset: '1700000000000-5' },
        _timestamp: '2023-11-14T22:13:20.000Z',
      },
    ]);
  });

  for (const [words, config, reason] of [
    ['a missing stream', { topic: 'nowhere' }, 'not_found'],
    ['no stream', { topic: undefined }, 'missing_config'],
    ['a wrong password', { password: 'wrong' }, 'auth_failed'],
    ['a user who may not read', { username: 'guest', password: 'guest' }, 'permission_denied'],
    ['a port without a server', { port: 1025 }, 'connection_refused'],
    ['a private address', { host: '10.0.0.1' }, 'blocked_address'],
  ] as const) {
    test(`ends with ${reason} for ${words}`, async () => {
      await assert.rejects(async () => rowsOf(config), { reason });
    });
  }

  test('encrypts, and checks the certificate', async () => {
    const { port } = new URL(server.url);
    const encrypted = tls.createServer({ cert: testCertificate, key: testKey }, (client) => {
      const socket = connect(Number(port), '127.0.0.1');
      client.pipe(socket).pipe(client);
      for (const each of [client, socket]) each.on('error', () => undefined);
      client.on('close', () => socket.destroy());
    });
    encrypted.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => encrypted.listen(0, '127.0.0.1', resolve));
    const address = encrypted.address();
    const config = { tls: true, port: typeof address === 'object' ? address?.port : 0 };
    assert.equal((await sources.probe(connector(config))).reason, 'tls_failed');
    const trusted = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...trusted, testCertificate]);
    try {
      assert.equal((await sources.probe(connector(config))).reason, 'ok');
    } finally {
      tls.setDefaultCACertificates(trusted);
      encrypted.close();
    }
  });

  test('is tested by signing in', async () => {
    const fine = await sources.probe(connector());
    assert.deepEqual([fine.reason, fine.details, fine.probe], ['ok', { login: 'ok' }, 'tcp']);
    const wrong = await sources.probe(connector({ password: 'wrong' }));
    assert.deepEqual([wrong.reason, wrong.details], ['auth_failed', { login: 'failed' }]);
    const open = await sources.probe({ ...connector(), method: 'none' });
    assert.deepEqual([open.reason, open.details], ['ok', { login: 'skipped' }]);
    assert.equal((await sources.probe(connector({ port: silent.port }))).reason, 'connect_timeout');
  });
});
