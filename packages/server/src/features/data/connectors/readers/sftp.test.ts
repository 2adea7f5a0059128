import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { missingProgram } from '../../../../platform/sources/test-programs.ts';
import { startTestSshd, type TestSshd } from '../../../../platform/sources/test-sshd.ts';
import type { SourceBatch, SourceRow } from '../reader.ts';
import type { SourceOfConnector } from '../sources.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

describe('SFTP', { skip: missingProgram('sshd', 'openssh-server') }, () => {
  const sources = createTestSources();
  let server: TestSshd;
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  before(async () => {
    [server, silent] = await Promise.all([startTestSshd(), startSilentServer()]);
  });
  after(async () => {
    silent?.close();
    await Promise.all([sources.close(), server?.stop()]);
  });

  const connector = (config: Readonly<Record<string, unknown>> = {}): SourceOfConnector => ({
    ...sourceOf('sftp', {
      ...{ host: '127.0.0.1', port: server.port, username: server.username, privateKey: server.privateKey },
      ...{ hostKey: server.hostKey, ...config },
    }),
    method: 'ssh_key',
  });
  const byPassword = (config: Readonly<Record<string, unknown>> = {}): SourceOfConnector => ({
    ...connector({ privateKey: undefined, password: server.password, ...config }),
    method: 'basic',
  });

  /** Replaces the folder by these files. `mtimes`: in seconds, by name. */
  async function fill(files: Readonly<Record<string, string>>, mtimes: Readonly<Record<string, number>> = {}) {
    await rm(join(server.folder, 'in'), { recursive: true, force: true });
    await mkdir(join(server.folder, 'in'), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      const place = join(server.folder, 'in', name);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
      await utimes(place, mtimes[name] ?? 1000, mtimes[name] ?? 1000);
    }
  }

  testReader({
    name: 'files of an SFTP server',
    toSuite: ({ seq, name }) => ({ seq: Number(seq), name: name === null ? null : String(name) }),
    async holding(rows: readonly SuiteRow[]) {
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
      await fill({
        'a.jsonl': lines.slice(0, 1200).join(''),
        'b.jsonl': '',
        'c/d.jsonl': lines.slice(1200).join(''),
        'c/other.txt': 'not read',
      });
      return openerOf(sources, connector({ path: 'in', pattern: '**.jsonl', format: 'jsonl' }));
    },
    hanging: async () => openerOf(sources, connector({ port: silent.port })),
  });

  async function batches(source: SourceOfConnector, cursor: SourceBatch['cursor'] | null = null) {
    const reader = sources.open(source);
    const found: SourceBatch[] = [];
    const signal = new AbortController().signal;
    try {
      for await (const batch of reader.read({ cursor, signal, rowLimit: 0 })) found.push(batch);
    } finally {
      await reader.close();
    }
    return found;
  }
  const rowsOf = async (source: SourceOfConnector): Promise<SourceRow[]> =>
    (await batches(source)).flatMap(({ rows }) => rows);
  const values = async (config: object) => (await rowsOf(connector({ path: 'in', ...config }))).map(({ a }) => a);

  test('signs in with a password, a key and an encrypted key', async (context) => {
    await fill({ 'a.csv': 'a\n1\n' });
    assert.deepEqual(await values({}), ['1']);
    assert.deepEqual(await values({ privateKey: server.lockedKey, passphrase: 'passphrase' }), ['1']);
    for (const config of [{ privateKey: server.lockedKey }, { privateKey: 'no key' }, { username: 'arbiter-nobody' }]) {
      await assert.rejects(values(config), { reason: 'auth_failed' });
    }
    if (server.password === null) return context.diagnostic('only root can add a user with a password');
    assert.deepEqual(await rowsOf(byPassword({ path: 'in' })), [{ a: '1' }]);
    await assert.rejects(rowsOf(byPassword({ password: 'wrong' })), { reason: 'auth_failed' });
  });

  test('reads one file, a folder in both orders, and files that match a pattern', async () => {
    await fill(
      { 'b.csv': 'a\nb\n', 'a.csv': 'a\na\n', 'x/c.csv': 'a\nc\n', 'x/y/d1.csv': 'a\nd\n' },
      { 'a.csv': 3000, 'b.csv': 2000, 'x/c.csv': 1000, 'x/y/d1.csv': 4000 },
    );
    await symlink(join(server.folder, 'in'), join(server.folder, 'in', 'circle'));
    assert.deepEqual(await values({}), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await values({ order: 'mtime' }), ['c', 'b', 'a', 'd']);
    assert.deepEqual(await values({ path: 'in/b.csv' }), ['b']);
    assert.deepEqual(await values({ pattern: '*.csv' }), ['a', 'b']);
    assert.deepEqual(await values({ pattern: 'x/**' }), ['c', 'd']);
    assert.deepEqual(await values({ pattern: '**/d?.csv' }), ['d']);
    assert.deepEqual(await values({ pattern: 'none*' }), []);
    await assert.rejects(values({ path: 'nowhere' }), { reason: 'not_found' });
    await assert.rejects(values({ order: 'size' }), { reason: 'missing_config' });
  });

  test('resumes after the finished files, and rereads a changed one', async () => {
    await fill({ 'a.csv': 'a\n1\n', 'b.csv': 'a\n2\n' }, { 'a.csv': 1000, 'b.csv': 2000 });
    const source = connector({ path: 'in', order: 'mtime' });
    const cursor = (await batches(source)).at(-1)?.cursor ?? null;
    assert.deepEqual(await batches(source, cursor), []);
    await writeFile(join(server.folder, 'in', 'c.csv'), 'a\n3\n');
    assert.deepEqual(
      (await batches(source, cursor)).flatMap(({ rows }) => rows),
      [{ a: '3' }],
    );
    await writeFile(join(server.folder, 'in', 'a.csv'), 'a\n4\n5\n');
    assert.equal((await batches(source, cursor)).flatMap(({ rows }) => rows).length, 3);
  });

  test('trusts the pinned key only', async () => {
    await fill({ 'a.csv': 'a\n1\n' });
    const key = Buffer.from(server.hostKey.split(' ')[1] ?? '', 'base64');
    const digest = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
    assert.deepEqual(await values({ hostKey: `SHA256:${digest}` }), ['1']);
    assert.deepEqual(await values({ hostKey: undefined }), ['1']);
    await server.replaceHostKey();
    for (const hostKey of [server.hostKey, `SHA256:${digest}`, 'SHA256:', '']) {
      const reading = values({ hostKey });
      if (hostKey === '') assert.deepEqual(await reading, ['1']);
      else await assert.rejects(reading, { reason: 'tls_failed' }, hostKey);
    }
    assert.equal((await sources.probe(connector())).reason, 'tls_failed');
  });

  test('names the line of a file that is not in the encoding', async () => {
    await fill({ 'a.csv': 'a\nok\n' });
    await writeFile(join(server.folder, 'in', 'b.csv'), Buffer.from('a\n1\n\xeb\n', 'latin1'));
    await assert.rejects(values({ hostKey: undefined }), { reason: 'parse_failed', line: 3 });
  });

  test('is tested by signing in', async () => {
    const probe = (config: object) => sources.probe(connector({ hostKey: undefined, path: 'in', ...config }));
    const fine = await probe({});
    assert.deepEqual([fine.reason, fine.details, fine.probe], ['ok', { login: 'ok' }, 'tcp']);
    assert.deepEqual((await probe({ username: undefined })).details, { login: 'skipped' });
    const wrong = await probe({ username: 'arbiter-nobody' });
    assert.deepEqual([wrong.reason, wrong.details], ['auth_failed', { login: 'failed' }]);
    assert.equal((await probe({ path: 'nowhere' })).reason, 'not_found');
    assert.equal((await probe({ port: 25 })).reason, 'blocked_address');
  });
});
