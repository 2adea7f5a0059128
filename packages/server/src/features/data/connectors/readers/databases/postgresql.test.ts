import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../db/test-database.ts';
import type { SourceRow } from '../../reader.ts';
import type { SourceOfConnector } from '../../sources.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';

const sources = createTestSources();
let database: TestDatabase;
/** The test's cluster listens on a unix socket only. */
let tcp: Server;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  [database, silent] = await Promise.all([createTestDatabase(), startSilentServer()]);
  const { searchParams } = new URL(database.adminUrl);
  const path = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  tcp = createServer((client) => {
    const socket = connect({ path });
    client.pipe(socket).pipe(client);
    client.on('error', () => socket.destroy());
    socket.on('error', () => client.destroy());
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
});
after(async () => {
  silent?.close();
  tcp?.close();
  await Promise.all([sources.close(), database?.close()]);
});

function connector(config: Readonly<Record<string, unknown>> = {}): SourceOfConnector {
  const url = new URL(database.adminUrl);
  return sourceOf('postgresql', {
    ...{ host: '127.0.0.1', port: (tcp.address() as AddressInfo).port, database: url.pathname.slice(1) },
    ...{ username: decodeURIComponent(url.username), ssl: 'disable', sourceTable: 'public.suite', ...config },
  });
}

async function insert(rows: readonly SuiteRow[]): Promise<void> {
  await database.ownerQuery(
    `insert into public.suite select * from jsonb_to_recordset($1::jsonb) as r (seq integer, name text)`,
    [JSON.stringify(rows)],
  );
}

async function holding(rows: readonly SuiteRow[]): Promise<void> {
  await database.ownerQuery('drop table if exists public.suite');
  await database.ownerQuery('create table public.suite (seq integer, name text)');
  await insert(rows);
}

const toSuite = ({ seq, name }: SourceRow): SuiteRow => ({
  seq: Number(seq),
  name: name === null ? null : String(name),
});
const hanging = async () => openerOf(sources, connector({ host: '127.0.0.1', port: silent.port }));

testReader({
  ...{ name: 'a table of PostgreSQL', toSuite, hanging },
  async holding(rows) {
    await holding(rows);
    return openerOf(sources, connector());
  },
});

testReader({
  ...{ name: 'a table of PostgreSQL by watermark', toSuite, hanging },
  async holding(rows) {
    await holding(rows);
    return openerOf(sources, connector({ watermarkColumn: 'seq' }));
  },
  adds: (row) => insert([row]),
});

const allRows = async (source: SourceOfConnector, rowLimit = 0): Promise<SourceRow[]> => {
  const reader = sources.open(source);
  const rows: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit })) rows.push(...batch.rows);
  await reader.close();
  return rows;
};

test('reads values as rows of a schema take them', async () => {
  await database.ownerQuery(`create table public.kinds as select
    1::smallint as small, 9007199254740993::bigint as big, 1.10::numeric as exact, 1.5::float8 as double, true as yes,
    date '2026-02-03' as day, timestamp '2026-02-03 04:05:06.789012' as local,
    timestamptz '2026-02-03 04:05:06.789012+02' as instant, '{"a":[1,null]}'::jsonb as json, array['x','y'] as list,
    null::integer as nothing, 'Ünïcode 顧客'::text as text`);
  assert.deepEqual(await allRows(connector({ sourceTable: 'kinds', schema: 'public' })), [
    {
      ...{ small: 1, big: '9007199254740993', exact: '1.10', double: 1.5, yes: true, day: '2026-02-03' },
      ...{ local: '2026-02-03T04:05:06.789012', instant: '2026-02-03T02:05:06.789012+00:00', json: { a: [1, null] } },
      ...{ list: ['x', 'y'], nothing: null, text: 'Ünïcode 顧客' },
    },
  ]);
});

test('reads all rows of the last watermark, whatever the limit', async () => {
  await holding([1, 1, 2, 2, 2, 3].map((seq) => ({ seq, name: null })));
  const rows = await allRows(connector({ watermarkColumn: 'seq' }), 3);
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    [1, 1, 2, 2, 2],
  );
});

test('treats names as names, never as SQL', async () => {
  await database.ownerQuery('create table if not exists public.canary (x integer)');
  for (const sourceTable of [
    'suite; drop table canary',
    'suite"; drop table canary; --',
    "x' or '1'='1",
    'a.b.c.d.e',
  ]) {
    await assert.rejects(allRows(connector({ sourceTable })), { name: 'SourceError' }, sourceTable);
  }
  const named = { watermarkColumn: 'seq" is null; drop table canary; --' };
  await assert.rejects(allRows(connector(named)), { reason: 'not_found' });
  assert.deepEqual(await database.ownerQuery('select count(*)::int as n from public.canary'), [{ n: 0 }]);
});

test('can only read', async () => {
  await database.ownerQuery(`create function public.writes() returns integer language sql as
    'insert into public.canary values (1) returning x'`);
  await database.ownerQuery('create view public.writing as select public.writes() as x');
  await assert.rejects(allRows(connector({ sourceTable: 'public.writing' })), { reason: 'unexpected_response' });
});

for (const [words, config, reason] of [
  ['a missing table', { sourceTable: 'nowhere' }, 'not_found'],
  ['a missing database', { database: 'nowhere' }, 'not_found'],
  ['a port without a server', { host: '127.0.0.1', port: 1025 }, 'connection_refused'],
  ['a private address', { host: '10.0.0.1' }, 'blocked_address'],
  ['a port of another protocol', { port: 25 }, 'blocked_address'],
  ['an unknown TLS mode', { ssl: 'maybe' }, 'missing_config'],
  ['a server without TLS', { ssl: 'require' }, 'tls_failed'],
] as const) {
  test(`ends with ${reason} for ${words}`, async () => {
    await assert.rejects(allRows(connector(config)), { reason });
  });
}

test('is tested by signing in', async () => {
  const fine = await sources.probe(connector());
  assert.deepEqual([fine.reason, fine.details, fine.probe], ['ok', { login: 'ok' }, 'tcp']);
  const open = await sources.probe(connector({ username: undefined }));
  assert.deepEqual([open.reason, open.details], ['ok', { login: 'skipped' }]);
  const wrong = await sources.probe(connector({ username: 'nobody_of_that_name' }));
  assert.deepEqual([wrong.reason, wrong.details], ['auth_failed', { login: 'failed' }]);
});
