import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { SourceRow } from '../reader.ts';
import type { Sources } from '../sources.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

let folder: string;
let sources: Sources & { close(): Promise<void> };
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
  sources = createTestSources({ importFolder: folder });
  silent = await startSilentServer();
});
after(async () => {
  silent?.close();
  await Promise.all([sources?.close(), rm(folder, { recursive: true })]);
});

const parquetOf = (rows: readonly SuiteRow[], codec: 'SNAPPY' | 'UNCOMPRESSED' = 'SNAPPY'): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      ...{ codec, rowGroupSize: 700 },
      columnData: [
        { name: 'seq', data: rows.map(({ seq }) => seq), type: 'INT32' },
        { name: 'name', data: rows.map(({ name }) => name), type: 'STRING', nullable: true },
      ],
    }),
  );

const writers: Readonly<Record<string, (rows: readonly SuiteRow[]) => string | Uint8Array>> = {
  json: (rows) => `\uFEFF${JSON.stringify(rows, null, 1)}`,
  jsonl: (rows) => rows.map((row) => `${JSON.stringify(row)}\r\n`).join('\n'),
  parquet: parquetOf,
};

for (const [format, write] of Object.entries(writers)) {
  for (const compression of ['none', 'gzip']) {
    testReader({
      name: `a file in ${format}${compression === 'gzip' ? ', zipped' : ''}`,
      toSuite: ({ seq, name }) => ({ seq: Number(seq), name: name === null ? null : String(name) }),
      async holding(rows) {
        const content = write(rows);
        await writeFile(join(folder, 'suite'), compression === 'gzip' ? gzipSync(content) : content);
        return openerOf(sources, sourceOf('csv', { path: 'suite', format, compression }));
      },
      hanging: async () => openerOf(sources, sourceOf('csv', { url: `http://127.0.0.1:${silent.port}/x`, format })),
    });
  }
}

async function rowsOf(content: string | Uint8Array, config: object): Promise<SourceRow[]> {
  await writeFile(join(folder, 'case'), content);
  const reader = sources.open(sourceOf('csv', { path: 'case', ...config }));
  const rows: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: 0 })) rows.push(...batch.rows);
  return rows;
}

for (const [words, content, config, rows] of [
  [
    'nested objects as columns',
    '[{"a":{"b":1,"c":[{"d":"]},"}]}}]',
    { format: 'json' },
    [{ a_b: 1, a_c: [{ d: ']},' }] }],
  ],
  ['values that are no objects', '[1, "x", null]', { format: 'json' }, [{ value: 1 }, { value: 'x' }, { value: null }]],
  ['an empty list', ' [ ] ', { format: 'json' }, []],
  [
    'another encoding',
    Buffer.from('{"a":"Zo\xeb"}\n', 'latin1'),
    { format: 'jsonl', encoding: 'latin1' },
    [{ a: 'Zoë' }],
  ],
  ['UTF-16', Buffer.from('\uFEFF[{"a":"Zoë"}]', 'utf16le'), { format: 'json', encoding: 'utf-16le' }, [{ a: 'Zoë' }]],
] as const) {
  test(`reads ${words}`, async () => {
    assert.deepEqual(await rowsOf(content, config), rows);
  });
}

for (const [words, content, config, line] of [
  ['a line that is no JSON', '{"a":1}\n\n{"a":', { format: 'jsonl' }, 3],
  ['a value that is no JSON', '[\n{"a":1},\n{"a":x}\n]', { format: 'json' }, 3],
  ['a list with an empty place', '[\n1,\n]', { format: 'json' }, 3],
  ['a list without its end', '[\n1', { format: 'json' }, 2],
  ['text after a list', '[1]\n\n[2]', { format: 'json' }, 3],
  ['an object in place of a list', '\n{"a":1}', { format: 'json' }, 2],
  ['an empty file', '', { format: 'json' }, 1],
  ['JSON lines in another encoding', Buffer.from('{"a":1}\n{"a":"Zo\xeb"}', 'latin1'), { format: 'jsonl' }, 2],
  ['JSON in another encoding', Buffer.from('[\n\n"Zo\xeb"]', 'latin1'), { format: 'json' }, 3],
  ['a file that is no Parquet', 'PAR1 and so on, PAR1', { format: 'parquet' }, undefined],
  ['a file that is not zipped', 'a\n1\n', { compression: 'gzip' }, undefined],
  ['a cut zipped file', gzipSync('a\n1\n'.repeat(1000)).subarray(0, 30), { compression: 'gzip' }, undefined],
] as const) {
  test(`rejects ${words}${line === undefined ? '' : ' and names its line'}`, async () => {
    await assert.rejects(rowsOf(content, config), { reason: 'parse_failed', line });
  });
}

test('rejects an unknown format', async () => {
  await assert.rejects(rowsOf('a', { format: 'avro' }), { reason: 'missing_config' });
});

test('reads the types of Parquet', async () => {
  const at = new Date('2026-02-03T04:05:06.789Z');
  const content = parquetWriteBuffer({
    columnData: [
      { name: 'big', data: [9007199254740993n], type: 'INT64' },
      { name: 'double', data: [1.5], type: 'DOUBLE' },
      { name: 'yes', data: [true], type: 'BOOLEAN' },
      { name: 'at', data: [at], type: 'TIMESTAMP' },
      { name: 'json', data: [{ a: [1, null] }], type: 'JSON' },
      { name: 'nothing', data: [null], type: 'INT32', nullable: true },
    ],
  });
  assert.deepEqual(await rowsOf(new Uint8Array(content), { format: 'parquet' }), [
    {
      ...{ big: '9007199254740993', double: 1.5, yes: true, at: '2026-02-03T04:05:06.789Z', json_a: [1, null] },
      nothing: null,
    },
  ]);
});
