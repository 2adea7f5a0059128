import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json } from '@arbiter/engine';
import { Binary, Decimal128, Long, ObjectId, UUID } from 'bson';
import { hostsOf, readConnectionString } from '../../../../../platform/sources/mongo/address.ts';
import type { SourceRow } from '../../reader.ts';
import { testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';
import { plainCommand, startMongoServer, type TestMongo } from './test-mongo-server.ts';

const sources = createTestSources();
let server: TestMongo;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  [server, silent] = await Promise.all([startMongoServer(), startSilentServer()]);
});
after(async () => {
  server?.close();
  silent?.close();
  await sources.close();
});

const connector = (more: object = {}, method: 'none' | 'basic' | 'connection_string' = 'none') => ({
  ...sourceOf('mongodb', { host: '127.0.0.1', port: server.port, database: 'crm', collection: 'people', ...more }),
  method,
});

/** Keys of three types, in MongoDB's order: numbers, texts, object IDs. */
function keyOf(seq: number): unknown {
  if (seq < 500) return seq;
  const text = String(seq).padStart(24, '0');
  return seq < 1500 ? text : new ObjectId(text);
}

testReader({
  name: 'mongodb',
  toSuite: ({ seq, person_name: name }: SourceRow) => ({ seq: Number(seq), name: name === null ? null : String(name) }),
  async holding(rows) {
    const documents = rows.map(({ seq, name }) => ({ _id: keyOf(seq), seq, person: { name } }));
    server.collections.set('crm.people', documents.reverse());
    return openerOf(sources, connector());
  },
  hanging: async () => openerOf(sources, connector({ port: silent.port })),
});

async function read(source: ReturnType<typeof connector>, cursor: Json | null = null): Promise<SourceRow[]> {
  const reader = sources.open(source);
  const rows: SourceRow[] = [];
  try {
    const signal = new AbortController().signal;
    for await (const batch of reader.read({ cursor, signal, rowLimit: 0 })) rows.push(...batch.rows);
  } finally {
    await reader.close();
  }
  return rows;
}

test('converts BSON types without losing a digit', async () => {
  const id = new ObjectId('65f0c0ffee65f0c0ffee65f0');
  server.collections.set('crm.types', [
    {
      ...{
        _id: id,
        big: Long.fromString('9007199254740993'),
        small: Long.fromNumber(7),
        price: Decimal128.fromString('1.10'),
      },
      ...{ at: new Date(0), bytes: new Binary(Buffer.from('ab')), list: [id, { at: new Date(0) }], none: null },
      uuid: new UUID('123e4567-e89b-42d3-a456-426614174000'),
    },
  ]);
  assert.deepEqual(await read(connector({ collection: 'types' })), [
    {
      ...{ _id: '65f0c0ffee65f0c0ffee65f0', big: '9007199254740993', small: 7, price: '1.10' },
      ...{ at: '1970-01-01T00:00:00.000Z', bytes: 'YWI=', none: null },
      list: ['65f0c0ffee65f0c0ffee65f0', { at: '1970-01-01T00:00:00.000Z' }],
      uuid: '123e4567-e89b-42d3-a456-426614174000',
    },
  ]);
});

test('sends a filter to the server in allowed operators', async () => {
  const filter = { age: { $gte: 18 }, $or: [{ tier: { $in: ['gold', null] } }, { vip: { $exists: true } }] };
  await read(connector({ filter }));
  assert.deepEqual(plainCommand(server.commands.findLast(({ find }) => find === 'people')?.filter), {
    $and: [
      { age: { $gte: 18 } },
      { $or: [{ $and: [{ tier: { $in: ['gold', null] } }] }, { $and: [{ vip: { $exists: true } }] }] },
    ],
  });
  for (const refused of [{ $where: '1' }, { a: { $regex: 'x' } }, { $expr: {} }]) {
    await assert.rejects(read(connector({ filter: refused })), { reason: 'missing_config' });
  }
});

test('signs in users with both mechanisms, and rejects wrong passwords', async () => {
  server.collections.set('crm.people', [{ _id: 1, seq: 1 }]);
  for (const isOld of [false, true]) {
    server.user = { username: 'u,=', password: 'p@ss/ü', isOld };
    assert.equal((await read(connector({ username: 'u,=', password: 'p@ss/ü' }, 'basic'))).length, 1);
    const text = `mongodb://u%2C%3D:p%40ss%2F%C3%BC@127.0.0.1:${server.port}/crm?authSource=admin`;
    const own = { host: undefined, database: undefined, connectionString: text };
    assert.equal((await read(connector(own, 'connection_string'))).length, 1);
    assert.deepEqual(
      (await sources.probe(connector({ username: 'u,=', password: 'x' }, 'basic'))).reason,
      'auth_failed',
    );
    await assert.rejects(read(connector()), { reason: 'permission_denied' });
  }
  server.user = null;
});

test('a test names the problem', async () => {
  assert.deepEqual((await sources.probe(connector())).details, { login: 'skipped' });
  assert.equal((await sources.probe(connector({ tls: true }))).reason, 'tls_failed');
  assert.equal((await sources.probe(connector({ port: silent.port }))).reason, 'connect_timeout');
  for (const connectionString of [
    'http://a',
    'mongodb://',
    'mongodb+srv://a.b.c,d.e.f/',
    'mongodb://a:x/',
    'mongodb://%ZZ:p@a/',
  ]) {
    assert.equal((await sources.probe(connector({ connectionString }))).reason, 'missing_config', connectionString);
  }
  server.hello = { arbiterOnly: true };
  assert.equal((await sources.probe(connector())).reason, 'unexpected_response');
  server.hello = {};
});

test('checks each host of a connection string, and tries the next one', async () => {
  const uri = (hosts: string) => ({ host: undefined, connectionString: `mongodb://${hosts}/crm` });
  const hosts = ['10.0.0.1', '169.254.169.254:27017', '[::1]:27017', '100.64.0.1', '127.0.0.1:22', '0.0.0.0'];
  for (const host of hosts) {
    assert.equal((await sources.probe(connector(uri(host)))).reason, 'blocked_address', host);
  }
  assert.equal((await sources.probe(connector(uri(hosts.join(','))))).reason, 'blocked_address');
  assert.equal((await sources.probe(connector(uri(`${hosts.join(',')},127.0.0.1:${server.port}`)))).reason, 'ok');
});

test("doesn't dial members that a server names", async () => {
  const member = await startSilentServer();
  server.collections.set('crm.people', [{ _id: 1, seq: 1 }]);
  server.hello = {
    setName: 'rs',
    hosts: [`10.0.0.1:27017`, `127.0.0.1:${member.port}`],
    primary: `127.0.0.1:${member.port}`,
    secondary: true,
  };
  assert.equal((await read(connector())).length, 1);
  server.hello = {};
  member.close();
});

test('requires hosts of SRV records to be in the domain of their name', async () => {
  const target = readConnectionString('mongodb+srv://u:p@cluster0.abc.example.net/crm');
  assert.deepEqual([target.tls, target.user?.database, target.database], [true, 'admin', 'crm']);
  const resolving = (...names: string[]) =>
    hostsOf(target, async (name) => {
      assert.equal(name, '_mongodb._tcp.cluster0.abc.example.net');
      return names.map((each) => ({ name: each, port: 27_017 }));
    });
  assert.deepEqual(await resolving('a.abc.example.net.'), [{ host: 'a.abc.example.net', port: 27_017 }]);
  for (const name of ['evil.example', 'abc.example.net', 'a.example.net', '127.0.0.1', 'xabc.example.net']) {
    await assert.rejects(resolving('a.abc.example.net', name), { reason: 'blocked_address' }, name);
  }
  await assert.rejects(resolving(), { reason: 'dns_failed' });
  await assert.rejects(
    hostsOf(target, () => Promise.reject(new Error('ENOTFOUND'))),
    { reason: 'dns_failed' },
  );
});
