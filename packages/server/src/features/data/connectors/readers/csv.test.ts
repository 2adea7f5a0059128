import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startDestination, type TestDestination } from '../../../operations/notifications/test-destination.ts';
import type { SourceRow } from '../reader.ts';
import type { Sources } from '../sources.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

let folder: string;
let outside: string;
let sources: Sources & { close(): Promise<void> };
let peer: TestDestination;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  [folder, outside] = await Promise.all([mkdtemp(join(tmpdir(), 'import-')), mkdtemp(join(tmpdir(), 'outside-'))]);
  sources = createTestSources({ importFolder: folder });
  [peer, silent] = await Promise.all([startDestination(), startSilentServer()]);
});
after(async () => {
  silent?.close();
  await Promise.all([
    sources?.close(),
    peer?.close(),
    rm(folder, { recursive: true }),
    rm(outside, { recursive: true }),
  ]);
});

const cell = (value: unknown): string => (value === null ? '' : `"${String(value).replaceAll('"', '""')}"`);
const csvOf = (rows: readonly SuiteRow[]): string =>
  `\uFEFFseq,name\r\n${rows.map(({ seq, name }) => `${seq},${cell(name)}\r\n`).join('')}`;
const toSuite = ({ seq, name }: SourceRow): SuiteRow => ({
  seq: Number(seq),
  name: name === null ? null : String(name),
});

testReader({
  ...{ name: 'a CSV file', toSuite },
  async holding(rows) {
    await writeFile(join(folder, 'suite.csv'), csvOf(rows));
    return openerOf(sources, sourceOf('csv', { path: 'suite.csv' }));
  },
  hanging: async () => openerOf(sources, sourceOf('csv', { url: `http://127.0.0.1:${silent.port}/x.csv` })),
});

testReader({
  ...{ name: 'a zipped CSV at a URL', toSuite },
  async holding(rows) {
    peer.on('/suite.csv.gz', (response) => void response.end(gzipSync(csvOf(rows))));
    return openerOf(sources, sourceOf('csv', { url: peer.url('/suite.csv.gz'), compression: 'gzip' }));
  },
  hanging: async () => openerOf(sources, sourceOf('csv', { url: `http://127.0.0.1:${silent.port}/x.csv` })),
});

async function rowsOf(content: string | Uint8Array, config: object = {}): Promise<SourceRow[]> {
  await writeFile(join(folder, 'case.csv'), content);
  const reader = sources.open(sourceOf('csv', { path: 'case.csv', ...config }));
  const rows: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: 0 })) rows.push(...batch.rows);
  return rows;
}

for (const [words, content, config, rows] of [
  ['missing cells as null', 'a,b\n1\n', {}, [{ a: '1', b: null }]],
  [
    'columns without names',
    '1,2\n3,4\n',
    { header: false },
    [
      { col1: '1', col2: '2' },
      { col1: '3', col2: '4' },
    ],
  ],
  ['tabs', 'a\tb\n1\t2\n', { format: 'tsv' }, [{ a: '1', b: '2' }]],
  ['another delimiter', 'a;b\n"1;5";2\n', { delimiter: ';' }, [{ a: '1;5', b: '2' }]],
  ['another encoding', Buffer.from('a\nZo\xeb\n', 'latin1'), { encoding: 'windows-1252' }, [{ a: 'Zoë' }]],
  ['UTF-16', Buffer.from('\uFEFFa\nZoë\n', 'utf16le'), { encoding: 'utf-16le' }, [{ a: 'Zoë' }]],
] as const) {
  test(`reads ${words}`, async () => {
    assert.deepEqual(await rowsOf(content, config), rows);
  });
}

for (const [words, content, config, line] of [
  ['surplus cells', 'a,b\n1,2\n1,2,3\n', {}, 3],
  ['a repeated column', 'a,a\n1,2\n', {}, 1],
  ['bytes that are not in the encoding', Buffer.from('a\nok\nZo\xeb\n', 'latin1'), {}, 3],
  ['an unknown encoding', 'a\n', { encoding: 'klingon' }, 1],
  ['a quote out of place', 'a\nok\nx"y\n', {}, 3],
] as const) {
  test(`names the line of ${words}`, async () => {
    await assert.rejects(rowsOf(content, config), { reason: 'parse_failed', line });
  });
}

test('reads another version of the file from its start', async () => {
  await writeFile(join(folder, 'version.csv'), 'a\n1\n2\n');
  const reader = sources.open(sourceOf('csv', { path: 'version.csv' }));
  const signal = new AbortController().signal;
  const read = async (cursor: null | NonNullable<unknown>) => {
    const batches = [];
    for await (const batch of reader.read({ cursor: JSON.parse(JSON.stringify(cursor)), signal, rowLimit: 0 })) {
      batches.push(batch);
    }
    return batches;
  };
  const cursor = (await read(null)).at(-1)?.cursor ?? null;
  assert.deepEqual(await read(cursor), []);
  await writeFile(join(folder, 'version.csv'), 'a\n1\n2\n3\n');
  assert.equal((await read(cursor))[0]?.rows.length, 3);
});

test('reads files of the import folder only', async () => {
  await writeFile(join(outside, 'secret.csv'), 'a\n1\n');
  await symlink(join(outside, 'secret.csv'), join(folder, 'link.csv'));
  await symlink(outside, join(folder, 'dir'));
  for (const path of [
    '../secret.csv',
    join(outside, 'secret.csv'),
    'link.csv',
    'dir/secret.csv',
    '.',
    'none.csv',
    'a\0b',
  ]) {
    assert.equal((await sources.probe(sourceOf('csv', { path }))).reason, 'not_found', path);
  }
  const closed = createTestSources();
  assert.equal((await closed.probe(sourceOf('csv', { path: 'suite.csv' }))).reason, 'not_found');
  await closed.close();
});

test('is tested by reading the first 100 rows', async () => {
  await writeFile(join(folder, 'many.csv'), `a\n${'1\n'.repeat(150)}`);
  const { reason, rowCount } = await sources.probe(sourceOf('csv', { path: 'many.csv' }));
  assert.deepEqual([reason, rowCount], ['ok', 100]);
});
