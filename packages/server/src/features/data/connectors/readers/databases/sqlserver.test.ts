import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import { missingDriver } from '../../../../../main/sources/test-drivers.ts';
import { testCertificate, testKey } from '../../../../../platform/mail/test-smtp-server.ts';
import { createOutboundSockets } from '../../../../../platform/outbound/outbound-sockets.ts';
import { createDrivers } from '../../../../../platform/packages/optional-drivers.ts';
import type { SourceRow } from '../../reader.ts';
import type { SourceOfConnector } from '../../sources.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';
import { startTestTdsServer, type TestTdsServer } from './test-tds-server.ts';
import { tdsTypes } from './test-tds-tables.ts';

const withoutDriver = await missingDriver('sqlserver');
const login = { username: 'reader', password: "pa'ss;ü" };

test('reports which driver is missing', async () => {
  const sources = createTestSources({ drivers: createDrivers('/nowhere') });
  const source = sourceOf('sqlserver', {
    host: '127.0.0.1',
    port: 1433,
    database: 'x',
    sourceTable: 'x',
    username: 'x',
  });
  const outcome = await sources.probe(source);
  assert.deepEqual([outcome.reason, outcome.driver], ['driver_missing', 'tedious']);
  const reading = async () => {
    const options = { cursor: null, signal: new AbortController().signal, rowLimit: 1 };
    for await (const _batch of sources.open(source).read(options));
  };
  await assert.rejects(reading, { reason: 'driver_missing', driver: 'tedious' });
  await sources.close();
});

describe('SQL Server and Azure SQL', { skip: withoutDriver }, () => {
  const sources = createTestSources({
    sockets: createOutboundSockets({ allowNetworks: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] }),
  });
  let server: TestTdsServer;
  let plain: TestTdsServer;
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  before(async () => {
    server = await startTestTdsServer({ ...login, tls: { cert: testCertificate, key: testKey } });
    plain = await startTestTdsServer(login);
    silent = await startSilentServer();
  });
  after(async () => {
    for (const each of [silent, server, plain]) each?.close();
    await sources.close();
  });

  const connector = (config: Readonly<Record<string, unknown>> = {}): SourceOfConnector =>
    sourceOf('sqlserver', {
      ...{ host: 'localhost', port: server.port, database: 'shop', ...login },
      ...{ sourceTable: 'dbo.suite', ...config },
    });
  const columns = { seq: tdsTypes.int, name: tdsTypes.nvarchar };
  const hold = (rows: readonly SuiteRow[]) =>
    server.tables.set('suite', { columns, rows: rows.map(({ seq, name }) => [seq, name]) });
  const toSuite = ({ seq, name }: SourceRow): SuiteRow => ({
    seq: Number(seq),
    name: name === null ? null : String(name),
  });
  const hanging = async () => openerOf(sources, connector({ port: silent.port }));

  testReader({
    ...{ name: 'a table of SQL Server', toSuite, hanging },
    async holding(rows) {
      hold(rows);
      return openerOf(sources, connector());
    },
  });

  testReader({
    ...{ name: 'a table of Azure SQL by watermark', toSuite, hanging },
    async holding(rows) {
      hold(rows.toReversed());
      return openerOf(sources, { ...connector({ watermarkColumn: 'seq' }), type: 'azure_sql' });
    },
    async adds(row) {
      const { rows = [] } = server.tables.get('suite') ?? {};
      server.tables.set('suite', { columns, rows: [...rows, [row.seq, row.name]] });
    },
  });

  const allRows = async (source: SourceOfConnector, cursor: { watermark: string } | null = null) => {
    const reader = sources.open(source);
    const signal = new AbortController().signal;
    try {
      const rows: SourceRow[] = [];
      for await (const batch of reader.read({ cursor, signal, rowLimit: 0 })) rows.push(...batch.rows);
      return rows;
    } finally {
      await reader.close();
    }
  };

  test('reads values in the form that rows of a schema accept', async () => {
    server.tables.set('kinds', {
      columns: {
        ...{ n: tdsTypes.int, big: tdsTypes.bigint, yes: tdsTypes.bit, double: tdsTypes.float },
        ...{ exact: tdsTypes.decimal, price: tdsTypes.money, day: tdsTypes.date, clock: tdsTypes.time },
        ...{ local: tdsTypes.datetime2, instant: tdsTypes.datetimeoffset, bytes: tdsTypes.varbinary },
        ...{ id: tdsTypes.uuid, version: tdsTypes.rowversion, 'na"me': tdsTypes.nvarchar, nothing: tdsTypes.datetime2 },
      },
      rows: [
        [
          ...[
            -1,
            '9223372036854775807',
            true,
            1.5,
            '12345678901234567890.10',
            '1.1000',
            '2026-02-03',
            '23:59:59.1234567',
          ],
          ...['1600-02-03T04:05:06.789012', '2026-02-03T04:05:06', '00ff', '00112233445566778899aabbccddeeff'],
          ...['2001', 'Ünïcode 顧客 😀', null],
        ],
      ],
    });
    assert.deepEqual(await allRows(connector({ sourceTable: 'kinds' })), [
      {
        ...{ n: -1, big: '9223372036854775807', yes: true, double: 1.5, exact: '12345678901234567890.10' },
        ...{ price: '1.1000', day: '2026-02-03', clock: '23:59:59.1234567', local: '1600-02-03T04:05:06.789012' },
        ...{ instant: '2026-02-03T04:05:06+00:00', bytes: 'AP8=', id: '33221100-5544-7766-8899-AABBCCDDEEFF' },
        ...{ version: '2001', 'na"me': 'Ünïcode 顧客 😀', nothing: null },
      },
    ]);
  });

  test('resumes after a row version', async () => {
    server.tables.set('versions', {
      columns: { version: tdsTypes.rowversion },
      rows: [['9007199254740993'], ['9007199254740992'], ['9007199254740994']],
    });
    const source = connector({ sourceTable: 'versions', watermarkColumn: 'version' });
    const rows = await allRows(source, { watermark: '9007199254740992' });
    assert.deepEqual(rows, [{ version: '9007199254740993' }, { version: '9007199254740994' }]);
    assert.match(
      server.statements.at(-1) ?? '',
      /> convert\(binary\(8\), convert\(bigint, @after\)\) order by "version"$/,
    );
  });

  test('never treats names or watermarks as SQL', async () => {
    for (const sourceTable of ['suite; drop table canary', 'suite"; drop table canary; --', '[suite]', 'a.b.c']) {
      await assert.rejects(allRows(connector({ sourceTable })), { reason: 'not_found' }, sourceTable);
      const parts = sourceTable.split('.').map((part) => `"${part.replaceAll('"', '""')}"`);
      assert.ok(server.statements.at(-1)?.endsWith(` from ${parts.join('.')}`));
    }
    hold([]);
    const named = { watermarkColumn: 'seq" is null; drop table canary; --' };
    await assert.rejects(allRows(connector(named)), { reason: 'not_found' });
    await allRows(connector({ watermarkColumn: 'seq' }), { watermark: '1' });
    assert.equal(
      server.statements.at(-1),
      'select "seq", "name" from "dbo"."suite" where "seq" > @after order by "seq"',
    );
  });

  for (const [words, config, reason] of [
    ['a missing table', { sourceTable: 'nowhere' }, 'not_found'],
    ['a table that may not be read', { sourceTable: 'forbidden' }, 'permission_denied'],
    ['a wrong password', { password: 'wrong' }, 'auth_failed'],
    ['a port without a server', { port: 1025 }, 'connection_refused'],
    ['a private address', { host: '10.0.0.1' }, 'blocked_address'],
    ['a port of another protocol', { port: 25 }, 'blocked_address'],
    ['an unknown TLS mode', { ssl: 'maybe' }, 'missing_config'],
    ['a certificate that nobody vouches for', { ssl: 'verify_full' }, 'tls_failed'],
  ] as const) {
    test(`ends with ${reason} for ${words}`, async () => {
      await assert.rejects(allRows(connector(config)), { reason });
    });
  }

  test('reports the reason of a failed login', async () => {
    for (const [number, reason] of [
      ...([
        [4060, 'not_found'],
        [40_615, 'permission_denied'],
        [10_928, 'rate_limited'],
        [1, 'auth_failed'],
      ] as const),
    ]) {
      server.loginError = number;
      await assert.rejects(allRows(connector()), { reason }, String(number));
    }
    server.loginError = null;
  });

  test('encrypts unless told not to, and checks the certificate and its name', async () => {
    hold([{ seq: 1, name: null }]);
    plain.tables.set('suite', server.tables.get('suite') ?? { columns, rows: [] });
    assert.equal((await allRows(connector())).length, 1);
    await assert.rejects(allRows(connector({ port: plain.port })), { reason: 'tls_failed' });
    assert.equal((await allRows(connector({ port: plain.port, ssl: 'disable' }))).length, 1);
    const before = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...before, testCertificate]);
    try {
      assert.equal((await allRows(connector({ ssl: 'verify_full' }))).length, 1);
      const other = connector({ host: 'other.example', ssl: 'verify_full' });
      await assert.rejects(allRows(other), { reason: 'tls_failed' });
    } finally {
      tls.setDefaultCACertificates(before);
    }
  });

  test('follows a redirect only to an allowed address', async () => {
    hold([{ seq: 1, name: null }]);
    try {
      plain.route = { host: 'replica.example', port: server.port };
      assert.equal((await allRows(connector({ port: plain.port, ssl: 'disable' }))).length, 1);
      for (const host of ['169.254.169.254', '10.0.0.1', '::1']) {
        plain.route = { host, port: 1433 };
        await assert.rejects(
          allRows(connector({ port: plain.port, ssl: 'disable' })),
          { reason: 'blocked_address' },
          host,
        );
      }
      plain.route = { host: 'replica.example', port: 25 };
      await assert.rejects(allRows(connector({ port: plain.port, ssl: 'disable' })), { reason: 'blocked_address' });
    } finally {
      plain.route = null;
    }
  });

  test('tests a connector by signing in', async () => {
    const fine = await sources.probe(connector());
    assert.deepEqual([fine.reason, fine.details, fine.probe], ['ok', { login: 'ok' }, 'tcp']);
    const open = await sources.probe(connector({ username: undefined }));
    assert.deepEqual([open.reason, open.details], ['ok', { login: 'skipped' }]);
    const wrong = await sources.probe(connector({ username: 'nobody' }));
    assert.deepEqual([wrong.reason, wrong.details], ['auth_failed', { login: 'failed' }]);
    assert.equal((await sources.probe(connector({ port: silent.port }))).reason, 'connect_timeout');
  });
});
