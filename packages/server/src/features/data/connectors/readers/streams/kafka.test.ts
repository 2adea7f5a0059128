import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Json } from '@arbiter/engine';
import { createOutboundSockets } from '../../../../../platform/outbound/outbound-sockets.ts';
import type { SourceRow } from '../../reader.ts';
import { testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';
import { aborted, batchOf, startKafkaBroker, type TestCluster, type TestMessage } from './test-kafka-broker.ts';

const sources = createTestSources();
let broker: TestCluster;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  [broker, silent] = await Promise.all([startKafkaBroker(), startSilentServer()]);
});
after(async () => {
  broker?.close();
  silent?.close();
  await sources.close();
});

const messageOf = (value: unknown): TestMessage => ({ key: 'k', value: JSON.stringify(value) });
/** Batches of 300 messages. */
function batches(messages: readonly TestMessage[]): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < messages.length; at += 300) found.push(batchOf(at, messages.slice(at, at + 300)));
  return found;
}

const connector = (more: object = {}, type: 'kafka' | 'redpanda' = 'kafka') => ({
  ...sourceOf(type, {
    ...{ bootstrapServers: `127.0.0.1:${broker.port}`, topic: 'people', ssl: 'disable' },
    ...{ maxMessages: 100_000, maxWaitMs: 1000, ...more },
  }),
  method: 'username' in more ? ('sasl' as const) : ('none' as const),
});

for (const type of ['kafka', 'redpanda'] as const) {
  testReader({
    name: type,
    toSuite: ({ seq, person_name: name }: SourceRow) => ({
      seq: Number(seq),
      name: name === null ? null : String(name),
    }),
    async holding(rows) {
      broker.topics.set('people', [batches(rows.map(({ seq, name }) => messageOf({ seq, person: { name } })))]);
      return openerOf(sources, connector({}, type));
    },
    hanging: async () => openerOf(sources, connector({ bootstrapServers: `127.0.0.1:${silent.port}` }, type)),
    async adds({ seq, name }) {
      broker.topics.get('people')?.[0]?.push(batchOf(seq - 1, [messageOf({ seq, person: { name } })]));
    },
  });
}

async function read(
  source: ReturnType<typeof connector>,
  { cursor = null, commits = false }: { readonly cursor?: Json | null; readonly commits?: boolean } = {},
): Promise<SourceRow[]> {
  const reader = sources.open(source);
  const rows: SourceRow[] = [];
  try {
    for await (const batch of reader.read({ cursor, signal: new AbortController().signal, rowLimit: 0 })) {
      rows.push(...batch.rows);
      if (commits) await reader.committed(batch.cursor);
    }
  } finally {
    await reader.close();
  }
  return rows;
}

test('a message is a row with its position', async () => {
  broker.topics.set('places', [
    [],
    [
      batchOf(5, [
        { key: 'é', value: '{"a":{"b":1},"c":[2]}' },
        { key: null, value: null },
      ]),
    ],
  ]);
  assert.deepEqual(await read(connector({ topic: 'places' })), [
    { a_b: 1, c: [2], _key: 'é', _partition: 1, _offset: 5, _timestamp: '2023-11-14T22:13:20.000Z' },
    { _key: null, _partition: 1, _offset: 6, _timestamp: '2023-11-14T22:13:20.001Z' },
  ]);
  broker.topics.set('places', [[batchOf(0, [{ key: null, value: 'no json' }])]]);
  await assert.rejects(read(connector({ topic: 'places' })), { reason: 'parse_failed' });
});

test('commits offsets of a group only after the load', async () => {
  broker.topics.set('groups', [batches([1, 2, 3].map(messageOf)), batches([4].map(messageOf))]);
  const source = () => connector({ topic: 'groups', groupId: 'g', maxMessages: 2 });
  const values = async (commits: boolean) => (await read(source(), { commits })).map(({ value }) => value);
  assert.deepEqual(await values(false), [1, 2]);
  assert.equal(broker.committed.get('g groups 0'), undefined);
  assert.deepEqual(await values(true), [1, 2]);
  assert.equal(broker.committed.get('g groups 0'), 2);
  assert.deepEqual(await values(true), [3, 4]);
  assert.deepEqual([broker.committed.get('g groups 0'), broker.committed.get('g groups 1')], [3, 1]);
  assert.deepEqual(await values(true), []);
  const again = await read(source(), { cursor: { offsets: { 0: 1, 1: 1 } } });
  assert.deepEqual(
    again.map(({ value }) => value),
    [2, 3],
  );
});

test('a group that starts at the end misses no later message', async () => {
  broker.topics.set('late', [batches([1].map(messageOf))]);
  const source = () => connector({ topic: 'late', groupId: 'late', fromBeginning: false, maxWaitMs: 50 });
  assert.deepEqual(await read(source()), []);
  broker.topics.get('late')?.[0]?.push(batchOf(1, [messageOf(2)]));
  assert.deepEqual(
    (await read(source())).map(({ value }) => value),
    [2],
  );
});

test('unpacks batches in every compression', async () => {
  const raw = [
    { a: 1, text: 'abcabcabcabcabcabc' },
    { a: 2, text: 'x'.repeat(200) },
  ].map(messageOf);
  // One literal, in a block of its own length.
  const snappy = (content: Buffer) => {
    const size = Buffer.from([(content.length & 0x7f) | 0x80, content.length >> 7]);
    return Buffer.concat([
      size,
      Buffer.from([61 << 2, (content.length - 1) & 255, (content.length - 1) >> 8]),
      content,
    ]);
  };
  const xerial = (content: Buffer) => {
    const block = snappy(content);
    const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
    head.writeUInt32BE(block.length, 16);
    return Buffer.concat([head, block]);
  };
  const lz4 = (content: Buffer) => {
    const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0, 0, 0, 0, 0]);
    head.writeUInt32LE((content.length | 0x80000000) >>> 0, 7);
    return Buffer.concat([head, content, Buffer.alloc(4)]);
  };
  for (const [attributes, pack] of [
    [1, gzipSync],
    [2, snappy],
    [2, xerial],
    [3, lz4],
    [4, zstdCompressSync],
  ] as const) {
    broker.topics.set('packed', [[batchOf(0, raw, { attributes, pack: (content) => pack(content) })]]);
    assert.deepEqual(
      (await read(connector({ topic: 'packed' }))).map(({ a }) => a),
      [1, 2],
      String(attributes),
    );
  }
  broker.topics.set('packed', [[batchOf(0, raw, { attributes: 1 })]]);
  await assert.rejects(read(connector({ topic: 'packed' })), { reason: 'unexpected_response' });
});

test('leaves out records of aborted transactions', async () => {
  const end = (isCommit: boolean) => [{ key: Buffer.from([0, 0, 0, isCommit ? 1 : 0]), value: null }];
  broker.topics.set('tx', [
    [
      batchOf(0, [messageOf('aborted')], { attributes: 16, producerId: 7 }),
      batchOf(1, [messageOf('other')], { attributes: 16, producerId: 8 }),
      batchOf(2, end(false), { attributes: 48, producerId: 7 }),
      batchOf(3, [messageOf('later')], { attributes: 16, producerId: 7 }),
      batchOf(4, end(true), { attributes: 48, producerId: 7 }),
    ],
  ]);
  aborted.push({ producerId: 7, first: 0 });
  try {
    const rows = await read(connector({ topic: 'tx' }));
    assert.deepEqual(
      rows.map(({ value }) => value),
      ['other', 'later'],
    );
  } finally {
    aborted.length = 0;
  }
});

test('signs in with every mechanism, and rejects wrong passwords', async () => {
  broker.topics.set('people', [batches([messageOf(1)])]);
  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
    broker.user = { mechanism: mechanism.toUpperCase(), username: 'u', password: 'pä,ss=' };
    const auth = { mechanism, username: 'u', password: 'pä,ss=' };
    assert.equal((await read(connector(auth))).length, 1, mechanism);
    assert.equal((await sources.probe(connector(auth))).reason, 'ok');
    assert.equal((await sources.probe(connector({ ...auth, password: 'x' }))).reason, 'auth_failed', mechanism);
  }
  assert.equal(
    (await sources.probe(connector({ mechanism: 'plain', username: 'u', password: 'p' }))).reason,
    'auth_failed',
  );
  assert.equal(
    (await sources.probe(connector({ mechanism: 'oauth', username: 'u', password: 'p' }))).reason,
    'missing_config',
  );
  broker.user = null;
});

test('a test names the problem', async () => {
  assert.equal((await sources.probe(connector())).reason, 'ok');
  assert.equal((await sources.probe(connector({ topic: 'missing' }))).reason, 'not_found');
  assert.equal((await sources.probe(connector({ ssl: 'require' }))).reason, 'tls_failed');
  assert.equal((await sources.probe(connector({ bootstrapServers: '127.0.0.1:1' }))).reason, 'blocked_address');
  assert.equal((await sources.probe(connector({ bootstrapServers: 'a b' }))).reason, 'missing_config');
  assert.equal(
    (await sources.probe(connector({ bootstrapServers: `127.0.0.1:${silent.port}` }))).reason,
    'connect_timeout',
  );
  const fallback = `127.0.0.1:${broker.port === 65_535 ? 65_534 : broker.port + 1},127.0.0.1:${broker.port}`;
  assert.equal((await sources.probe(connector({ bootstrapServers: fallback }))).reason, 'ok');
});

test('checks a broker that the cluster names like the first one', async () => {
  broker.topics.set('people', [batches([messageOf(1)])]);
  const only = createTestSources({
    sockets: createOutboundSockets({ allowNetworks: [`127.0.0.1/32`], resolve: async () => ['127.0.0.1', '10.0.0.1'] }),
  });
  for (const host of ['127.0.0.2', '169.254.169.254', '10.0.0.1', '::1', 'flips.example', '0.0.0.0']) {
    broker.leaders = [{ host, port: broker.port }];
    const reader = only.open(connector());
    const reading = async () => {
      for await (const _batch of reader.read({ cursor: null, signal: new AbortController().signal, rowLimit: 0 }));
    };
    await assert.rejects(reading, { reason: 'blocked_address' }, host);
    await reader.close();
  }
  broker.leaders = [{ host: '127.0.0.1', port: broker.port }];
  await only.close();
});

test('reads a topic from each of its brokers', async () => {
  const other = await startKafkaBroker();
  const topic = [batches([1, 2].map(messageOf)), batches([3].map(messageOf))];
  for (const each of [broker, other]) {
    each.topics.set('spread', topic);
    each.leaders = [broker, other].map(({ port }) => ({ host: '127.0.0.1', port }));
  }
  const rows = await read(connector({ topic: 'spread' }));
  assert.deepEqual(
    rows.map(({ value }) => value),
    [1, 2, 3],
  );
  assert.ok(other.calls.includes(1));
  other.close();
  broker.leaders = [{ host: '127.0.0.1', port: broker.port }];
});
