import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import { testCertificate, testKey } from '../../../../../platform/mail/test-smtp-server.ts';
import { createOutboundSockets } from '../../../../../platform/outbound/outbound-sockets.ts';
import { startTestMariadb, type TestMariadb } from '../../../../../platform/sources/test-mariadb.ts';
import { missingProgram } from '../../../../../platform/sources/test-programs.ts';
import type { SourceRow } from '../../reader.ts';
import type { SourceOfConnector } from '../../sources.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';

describe('MySQL and its relatives', { skip: missingProgram('mariadbd', 'mariadb-server') }, () => {
  const sources = createTestSources({
    sockets: createOutboundSockets({ allowNetworks: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] }),
  });
  let server: TestMariadb;
  let folder: string;
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'arbiter-mariadb-tls-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(cert, testCertificate), writeFile(key, testKey)]);
    [server, silent] = await Promise.all([startTestMariadb({ cert, key }), startSilentServer()]);
  });
  after(async () => {
    silent?.close();
    await Promise.all([sources.close(), server?.stop(), rm(folder, { recursive: true, force: true })]);
  });

  const connector = (config: Readonly<Record<string, unknown>> = {}): SourceOfConnector =>
    sourceOf('mariadb', {
      ...{ host: '127.0.0.1', port: server.port, database: 'shop', username: 'root', password: server.password },
      ...{ ssl: 'disable', sourceTable: 'suite', ...config },
    });
  const insert = async (rows: readonly SuiteRow[]): Promise<void> => {
    if (rows.length === 0) return;
    await server.root.query('insert into suite (seq, name) values ?', [rows.map(({ seq, name }) => [seq, name])]);
  };
  const holding = async (rows: readonly SuiteRow[]): Promise<void> => {
    await server.root.query('create or replace table suite (seq integer, name text) character set utf8mb4');
    await insert(rows);
  };
  const toSuite = ({ seq, name }: SourceRow): SuiteRow => ({
    seq: Number(seq),
    name: name === null ? null : String(name),
  });
  const hanging = async () => openerOf(sources, connector({ port: silent.port }));

  testReader({
    ...{ name: 'a table of MariaDB', toSuite, hanging },
    async holding(rows) {
      await holding(rows);
      return openerOf(sources, connector());
    },
  });

  testReader({
    ...{ name: 'a table of MariaDB by watermark', toSuite, hanging },
    async holding(rows) {
      await holding(rows);
      return openerOf(sources, { ...connector({ watermarkColumn: 'seq' }), type: 'tidb' });
    },
    adds: (row) => insert([row]),
  });

  const allRows = async (source: SourceOfConnector, cursor: { watermark: string } | null = null) => {
    const reader = sources.open(source);
    const rows: SourceRow[] = [];
    const signal = new AbortController().signal;
    try {
      for await (const batch of reader.read({ cursor, signal, rowLimit: 0 })) rows.push(...batch.rows);
    } finally {
      await reader.close();
    }
    return rows;
  };

  test('reads values as rows of a schema take them', async () => {
    await server.root.query(`create or replace table kinds (small smallint, big bigint unsigned, \`exact\` decimal(10,2),
      \`double\` double, yes boolean, tiny tinyint, flags bit(10), day date, local datetime(6), instant timestamp(6),
      clock time, bytes varbinary(4), choice enum('a','b'), nothing int, \`text\` varchar(40)) character set utf8mb4`);
    await server.root.query("set time_zone = '+02:00'");
    await server.root.query(`insert into kinds values (-1, 18446744073709551615, 1.10, 1.5, true, 2, b'1000000001',
      '2026-02-03', '2026-02-03 04:05:06.789012', '2026-02-03 04:05:06.789012', '23:59:59', x'00ff', 'b', null,
      'Ünïcode 顧客 😀')`);
    assert.deepEqual(await allRows(connector({ sourceTable: 'kinds', schema: 'shop' })), [
      {
        ...{ small: -1, big: '18446744073709551615', exact: '1.10', double: 1.5, yes: true, tiny: 2, flags: '513' },
        ...{ day: '2026-02-03', local: '2026-02-03T04:05:06.789012', instant: '2026-02-03T02:05:06.789012+00:00' },
        ...{ clock: '23:59:59', bytes: 'AP8=', choice: 'b', nothing: null, text: 'Ünïcode 顧客 😀' },
      },
    ]);
  });

  test('resumes after a 64-bit watermark', async () => {
    await server.root.query('create or replace table large (seq bigint)');
    await server.root.query('insert into large values (9007199254740992), (9007199254740993), (9007199254740994)');
    const source = connector({ sourceTable: 'large', watermarkColumn: 'seq' });
    const rows = await allRows(source, { watermark: '9007199254740992' });
    assert.deepEqual(rows, [{ seq: '9007199254740993' }, { seq: '9007199254740994' }]);
  });

  test('treats names and watermarks as values, never as SQL', async () => {
    await holding([{ seq: 1, name: "x' or 1=1" }]);
    await server.root.query('create or replace table canary (x integer)');
    for (const sourceTable of ['suite; drop table canary', 'suite`; drop table canary; -- ', "x' or '1'='1", 'a.b.c']) {
      await assert.rejects(allRows(connector({ sourceTable })), { name: 'SourceError' }, sourceTable);
    }
    const named = { watermarkColumn: 'seq` is null; drop table canary; -- ' };
    await assert.rejects(allRows(connector(named)), { reason: 'not_found' });
    await server.root.query("set global sql_mode = 'NO_BACKSLASH_ESCAPES'");
    for (const watermark of ["z' or 1=1 -- ", "z\\' or 1=1 -- "]) {
      assert.deepEqual(await allRows(connector({ watermarkColumn: 'name' }), { watermark }), [], watermark);
    }
    await server.root.query('set global sql_mode = default');
    assert.deepEqual((await server.root.query('select count(*) as n from canary'))[0], [{ n: 0 }]);
  });

  test('can only read', async () => {
    await server.root.query(
      'create or replace function writes() returns int begin insert into canary values (1); return 1; end',
    );
    await server.root.query('create or replace view writing as select writes() as x');
    await assert.rejects(allRows(connector({ sourceTable: 'writing' })), { reason: 'unexpected_response' });
  });

  for (const [words, config, reason] of [
    ['a missing table', { sourceTable: 'nowhere' }, 'not_found'],
    ['a missing database', { database: 'nowhere' }, 'not_found'],
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

  test('a table that may not be read', async () => {
    await server.root.query("create or replace user 'guest'@'127.0.0.1' identified by 'guest'");
    await server.root.query("grant select on shop.canary to 'guest'@'127.0.0.1'");
    const guest = connector({ username: 'guest', password: 'guest' });
    await assert.rejects(allRows(guest), { reason: 'permission_denied' });
  });

  test('encrypts, and checks the certificate and its name', async () => {
    await holding([{ seq: 1, name: null }]);
    assert.equal((await allRows(connector({ ssl: undefined }))).length, 1);
    const before = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...before, testCertificate]);
    try {
      assert.equal((await allRows(connector({ host: 'localhost', ssl: 'verify_full' }))).length, 1);
      const other = connector({ host: 'other.example', ssl: 'verify_full' });
      await assert.rejects(allRows(other), { reason: 'tls_failed' });
    } finally {
      tls.setDefaultCACertificates(before);
    }
    await server.root.query("create or replace user 'safe'@'127.0.0.1' identified by 'safe' require ssl");
    await server.root.query("grant select on shop.* to 'safe'@'127.0.0.1'");
    const safe = { username: 'safe', password: 'safe' };
    assert.equal((await allRows(connector({ ...safe, ssl: 'require' }))).length, 1);
    await assert.rejects(allRows(connector(safe)), { reason: 'auth_failed' });
  });

  test('is tested by signing in', async () => {
    const fine = await sources.probe(connector());
    assert.deepEqual([fine.reason, fine.details, fine.probe], ['ok', { login: 'ok' }, 'tcp']);
    const open = await sources.probe(connector({ username: undefined }));
    assert.deepEqual([open.reason, open.details], ['ok', { login: 'skipped' }]);
    const wrong = await sources.probe(connector({ username: 'nobody' }));
    assert.deepEqual([wrong.reason, wrong.details], ['auth_failed', { login: 'failed' }]);
    assert.equal((await sources.probe(connector({ port: silent.port }))).reason, 'connect_timeout');
  });
});
