import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConnectorAuthMethod, ConnectorType } from '@arbiter/contract';
import type { SourceRow } from '../../reader.ts';
import { type HttpPeer, startHttpPeer } from '../test-http-peer.ts';
import { testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';
import { bigquery, clickhouse, databricks, privateKey, snowflake, table } from './test-warehouses.ts';

interface Warehouse {
  readonly type: ConnectorType;
  readonly method: ConnectorAuthMethod;
  readonly config: Readonly<Record<string, unknown>>;
  /** Credentials that are wrong. */
  readonly wrong: Readonly<Record<string, unknown>>;
}

const account = {
  client_email: 'loader@p.example',
  private_key: privateKey,
  token_uri: 'https://oauth2.example/token',
};
const cluster = { host: 'dbc.example', httpPath: '/sql/1.0/warehouses/abc', catalog: 'main' };
const snow = { account: 'acme-main', warehouse: 'wh', database: 'db', schema: 'PUBLIC' };

const warehouses: readonly Warehouse[] = [
  {
    ...{ type: 'clickhouse', method: 'basic', wrong: { password: 'x' } },
    config: { host: 'ch.example', port: 8443, database: 'db', username: 'u', password: 'p' },
  },
  { type: 'databricks', method: 'token', wrong: { accessToken: 'x' }, config: { ...cluster, accessToken: 't' } },
  {
    ...{ type: 'databricks', method: 'oauth2', wrong: { clientSecret: 'x' } },
    config: { ...cluster, clientId: 'c', clientSecret: 's' },
  },
  { type: 'snowflake', method: 'token', wrong: { accessToken: 'x' }, config: { ...snow, accessToken: 't' } },
  { type: 'snowflake', method: 'basic', wrong: { password: 'x' }, config: { ...snow, username: 'u', password: 't' } },
  {
    ...{ type: 'snowflake', method: 'key_pair', wrong: { privateKey: 'x' } },
    config: { ...snow, username: 'loader', privateKey },
  },
  {
    ...{
      type: 'bigquery',
      method: 'service_account',
      wrong: { serviceAccountJson: { ...account, client_email: 'x' } },
    },
    config: { project: 'p1', dataset: 'd1', serviceAccountJson: JSON.stringify(account) },
  },
];

let peer: HttpPeer;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let sources: ReturnType<typeof createTestSources>;
let hangingSources: ReturnType<typeof createTestSources>;

const names = ['clickhouse', 'databricks', 'snowflake', 'bigquery'];
const endpointsAt = (base: string) => Object.fromEntries(names.map((name) => [name, `${base}/${name}`]));

before(async () => {
  [peer, silent] = await Promise.all([
    startHttpPeer((request) => {
      if (table.fault !== null) return table.fault;
      const { pathname } = request.url;
      if (pathname.startsWith('/clickhouse')) return clickhouse(request);
      if (pathname.startsWith('/databricks')) return databricks(request, peer.base);
      return pathname.startsWith('/snowflake') ? snowflake(request) : bigquery(request);
    }),
    startSilentServer(),
  ]);
  sources = createTestSources({ endpoints: endpointsAt(peer.base) });
  hangingSources = createTestSources({ endpoints: endpointsAt(`http://127.0.0.1:${silent.port}`) });
});
after(async () => {
  peer?.close();
  silent?.close();
  await Promise.all([sources?.close(), hangingSources?.close()]);
});

const connector = ({ type, method, config }: Warehouse, more: object = {}) => ({
  ...sourceOf(type, { sourceTable: 'people', ...config, ...more }),
  method,
});

const toSuite = ({ seq, name }: SourceRow) => ({ seq: Number(seq), name: name === null ? null : String(name) });

for (const warehouse of warehouses) {
  const suite = (word: string, more: object) =>
    testReader({
      ...{ name: `${warehouse.type} by ${warehouse.method}${word}`, toSuite },
      async holding(rows) {
        table.rows = [...rows];
        return openerOf(sources, connector(warehouse, more));
      },
      hanging: async () => openerOf(hangingSources, connector(warehouse, more)),
      ...('watermarkColumn' in more ? { adds: async (row) => void table.rows.push(row) } : {}),
    });
  suite('', {});
  // The type has no such setting, but nothing else is different in it.
  if (warehouse.method !== 'oauth2') suite(', with a watermark', { watermarkColumn: 'seq' });

  test(`${warehouse.type} by ${warehouse.method} is tested by one call`, async () => {
    assert.equal((await sources.probe(connector(warehouse))).reason, 'ok');
    assert.equal((await sources.probe(connector(warehouse, warehouse.wrong))).reason, 'auth_failed');
    for (const [status, reason] of [
      [403, 'permission_denied'],
      [404, 'not_found'],
      [429, 'rate_limited'],
    ] as const) {
      table.fault = { status };
      assert.equal((await sources.probe(connector(warehouse))).reason, reason);
    }
    table.fault = null;
  });
}

async function read(index: number, more: object): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  const warehouse = warehouses[index];
  assert.ok(warehouse);
  const reader = sources.open(connector(warehouse, more));
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: 0 })) rows.push(...batch.rows);
  return rows;
}

test('a missing table or warehouse is not_found', async () => {
  await assert.rejects(read(0, { database: 'other' }), { reason: 'not_found' });
  await assert.rejects(read(3, { schema: 'missing' }), { reason: 'not_found' });
});

test('an exception in the middle of a response fails the read', async () => {
  table.fault = { body: '{"seq":1}\nCode: 241. DB::Exception: Memory limit exceeded' };
  await assert.rejects(read(0, {}), { reason: 'unexpected_response' });
  table.fault = null;
});

test('numbers of ClickHouse keep their digits', async () => {
  table.fault = { body: '{"a":9007199254740993,"b":1.5,"c":0.12345678901234567890,"d":"1234567890123456789"}\n' };
  assert.deepEqual(await read(0, {}), [
    { a: '9007199254740993', b: 1.5, c: '0.12345678901234567890', d: '1234567890123456789' },
  ]);
  table.fault = null;
});

test("names can't leave their quotes", async () => {
  for (const index of [0, 6]) {
    for (const more of [{ sourceTable: 'a\\' }, { watermarkColumn: 'a\\' }]) {
      await assert.rejects(read(index, more), { reason: 'missing_config' });
    }
  }
  const before = peer.requests.length;
  await assert.rejects(read(0, { sourceTable: 'a` UNION ALL SELECT 1' }));
  const query = peer.requests[before]?.url.searchParams.get('query');
  assert.equal(query, 'SELECT * FROM `a`` UNION ALL SELECT 1` FORMAT JSONEachRow');
});

test('hosts, accounts and paths are what they say', async () => {
  const closed = createTestSources();
  for (const [index, more] of [
    [0, { host: 'a.example/x?' }],
    [0, { host: 'u@a.example' }],
    [1, { host: 'a.example/x' }],
    [1, { httpPath: '/sql/1.0/warehouses/../x' }],
    [3, { account: 'evil.example/' }],
    [3, { account: 'a@b' }],
  ] as const) {
    const warehouse = warehouses[index];
    assert.ok(warehouse);
    assert.equal((await closed.probe(connector(warehouse, more))).reason, 'missing_config', JSON.stringify(more));
  }
  await closed.close();
});

test('checks addresses that a response or a key file names', async () => {
  const closed = createTestSources();
  for (const token_uri of ['http://169.254.169.254/token', 'https://10.0.0.1/token', 'http://[::1]/token']) {
    const source = sourceOf('bigquery', {
      project: 'p',
      dataset: 'd',
      sourceTable: 't',
      serviceAccountJson: { ...account, token_uri },
    });
    assert.equal((await closed.probe(source)).reason, 'blocked_address', token_uri);
  }
  await closed.close();
  for (const external_link of ['http://169.254.169.254/x', 'https://10.0.0.1/x', 'file:///etc/passwd']) {
    table.fault = {
      body: {
        ...{ statement_id: 's', status: { state: 'SUCCEEDED' }, manifest: { schema: { columns: [] } } },
        result: { external_links: [{ external_link }] },
      },
    };
    await assert.rejects(read(1, {}), { reason: 'blocked_address' }, external_link);
  }
  table.fault = null;
});
