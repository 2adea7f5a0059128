import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '@arbiter/engine';
import { isInTurn } from '../../../../../../../test/form.ts';
import type { ReadOptions, SourceReader, SourceRow } from '../reader.ts';

/** Rows of the suite: numbers, text beyond ASCII, nulls, and a rising `seq`. Types of files and APIs are their own. */
export interface SuiteRow extends Record<string, unknown> {
  readonly seq: number;
  readonly name: string | null;
}

const suiteRows = (count: number): SuiteRow[] =>
  Array.from({ length: count }, (_none, at) => ({
    seq: at + 1,
    name: at % 7 === 3 ? null : `Zoë "${at}", 顧客 😀\nline ${at}`,
  }));

/** A source with the rows of a test. */
export interface SuiteSource {
  open(): Promise<SourceReader>;
}

export interface ReaderSuite {
  /** Word in the tests' names. */
  readonly name: string;
  /** Provides a source with these rows. */
  holding(rows: readonly SuiteRow[]): Promise<SuiteSource>;
  /** Provides a source that accepts a connection and never answers. */
  hanging(): Promise<SuiteSource>;
  /** Reads a row as the suite wrote it. */
  toSuite(row: SourceRow): SuiteRow;
  /** Number of rows. Default 2,500, more than two batches; 1,100, more than one, in two of three turns. */
  readonly count?: number;
  /** Adds a row to the source of the last `holding`, for sources with a watermark. */
  readonly adds?: (row: SuiteRow) => Promise<void>;
}

interface ReadResult {
  readonly rows: SuiteRow[];
  readonly cursors: Json[];
  readonly sizes: number[];
}

async function readAll(
  { open }: SuiteSource,
  toSuite: ReaderSuite['toSuite'],
  options: Partial<ReadOptions> = {},
): Promise<ReadResult> {
  const reader = await open();
  const result: ReadResult = { rows: [], cursors: [], sizes: [] };
  try {
    const signal = new AbortController().signal;
    for await (const { rows, cursor } of reader.read({ cursor: null, signal, rowLimit: 0, ...options })) {
      result.rows.push(...rows.map(toSuite));
      result.cursors.push(cursor);
      result.sizes.push(rows.length);
    }
  } finally {
    await reader.close();
  }
  return result;
}

/** The tests that every ready type passes (docs/design/api-catalogue.md 14.3). */
export function testReader({ name, holding, hanging, toSuite, adds, ...suite }: ReaderSuite): void {
  const count = suite.count ?? (isInTurn(`reading ${name}`, 3) ? 2500 : 1100);
  describe(`reading ${name}`, () => {
    const rows = suiteRows(count);

    test('gives all rows, in batches of at most 1,000, and the same again', async () => {
      const source = await holding(rows);
      const first = await readAll(source, toSuite);
      assert.deepEqual(first.rows, rows);
      assert.ok(first.sizes.every((size) => size >= 1 && size <= 1000));
      assert.deepEqual(await readAll(source, toSuite), first);
    });

    test('resumes from every cursor without gaps or repetitions', async () => {
      const source = await holding(rows);
      const reader = await source.open();
      await reader.close();
      if (!reader.isResumable) return;
      const { cursors, sizes } = await readAll(source, toSuite);
      let before = 0;
      for (const [at, cursor] of cursors.entries()) {
        before += sizes[at] ?? 0;
        assert.deepEqual((await readAll(source, toSuite, { cursor })).rows, rows.slice(before), `batch ${at}`);
      }
    });

    test('stops at the row limit', async () => {
      const source = await holding(rows);
      for (const rowLimit of [1, Math.min(1000, count - 1), Math.min(1001, count), count, count + 1]) {
        assert.deepEqual(
          (await readAll(source, toSuite, { rowLimit })).rows,
          rows.slice(0, rowLimit),
          String(rowLimit),
        );
      }
    });

    test('gives nothing of an empty source', async () => {
      assert.deepEqual(await readAll(await holding([]), toSuite), { rows: [], cursors: [], sizes: [] });
    });

    test('ends when the caller leaves', async () => {
      const reader = await (await holding(rows)).open();
      const caller = new AbortController();
      let batches = 0;
      await assert.rejects(
        async () => {
          for await (const _batch of reader.read({ cursor: null, signal: caller.signal, rowLimit: 0 })) {
            batches += 1;
            caller.abort();
          }
        },
        { name: 'AbortError' },
      );
      await reader.close();
      assert.equal(batches, 1);
    });

    test('ends when the caller of a source that hangs leaves', async () => {
      const reader = await (await hanging()).open();
      const caller = new AbortController();
      const reading = (async () => {
        for await (const _batch of reader.read({ cursor: null, signal: caller.signal, rowLimit: 0 }));
      })();
      setTimeout(() => caller.abort(), 50);
      await assert.rejects(reading);
      await reader.close();
    });

    test('reads what was added after the watermark', { skip: adds === undefined }, async () => {
      const source = await holding(rows);
      const { cursors } = await readAll(source, toSuite);
      const row = { seq: count + 1, name: 'added' };
      await adds?.(row);
      assert.deepEqual((await readAll(source, toSuite, { cursor: cursors.at(-1) ?? null })).rows, [row]);
    });
  });
}
