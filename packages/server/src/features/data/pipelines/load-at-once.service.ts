import type { Tx } from '../../../db/index.ts';
import { readLines } from '../../../platform/lines.ts';
import { type SpooledFile, spool } from '../../../platform/spooled-file.ts';
import type { JsonValue } from '../../catalogue/schemas/index.ts';
import { emptySchema, type LoadedRow, openTarget } from '../../catalogue/schemas/index.ts';
import { besideErasures } from './beside-erasures.service.ts';
import { readSource } from './read-source.ts';
import { counted, type RunTally } from './run-tally.rules.ts';
import { rowLimitOf } from './source.rules.ts';
import { SourceFailed } from './source-errors.rules.ts';
import type { TakenRun } from './take-run.service.ts';
import type { Work } from './work.ts';
import { logUnknown, RowRejected, writeRows } from './write-rows.service.ts';

/** Maximum bytes of a row on the disk. */
const longestRow = 16 * 1024 * 1024;

/**
 * Reads all rows to the disk, then writes them in one transaction, which also ends the run: a crash leaves the table as it
 * was, and the run begins again. Throws `SourceFailed` with `empty_source`, `RowRejected`.
 */
export async function loadAtOnce(
  work: Work,
  finish: (tx: Tx, taken: TakenRun, tally: RunTally, cursor: JsonValue | null) => Promise<void>,
): Promise<void> {
  const { taken, reader, inTenant, signal, ports } = work;
  const { run, startedAt } = taken;
  const read = createRead(work);
  const file = await spool(read.lines(), () => undefined);
  try {
    const cursor = read.cursor();
    await besideErasures(inTenant, startedAt, async (tx) => {
      const target = await openTarget(tx, run.schemaId);
      if (run.settings.loadMode === 'replace') await emptySchema(tx, target);
      let tally = logUnknown(read.tally(), tx.now, read.unknownColumns());
      const writer = { run, startedAt, customerHash: ports.customerHash, areNew: true };
      for await (const rows of spooledRows(file, run.settings.batchSize)) {
        signal.throwIfAborted();
        // Reading has counted them as skipped.
        const before = { ...tally, rowsIn: tally.rowsIn - rows.length, skippedRows: tally.skippedRows - rows.length };
        tally = await writeRows(tx, writer, target, before, { read: rows.length, rows, problems: [] });
      }
      const { loadMode, allowEmpty } = run.settings;
      if (loadMode === 'replace' && tally.rowsOut === 0 && !allowEmpty) {
        throw new SourceFailed({ code: 'empty_source', message: 'The source has no rows to load.' }, false, null);
      }
      await finish(tx, taken, tally, cursor);
    });
    if (cursor !== null) await reader.committed(cursor);
  } finally {
    await file.close();
  }
}

/** Reads and prepares the rows of a run, as lines with their numbers. */
function createRead({ taken, reader, preparer, signal, tally: first }: Work) {
  let tally = first;
  let cursor: JsonValue | null = null;
  const unknown: string[] = [];
  const { source, onRowError } = taken.run.settings;
  return {
    async *lines(): AsyncGenerator<Uint8Array> {
      const options = { cursor: taken.run.settings.cursor, signal, rowLimit: rowLimitOf(source) };
      for await (const batch of readSource(reader, options)) {
        const { read, rows, problems, unknownColumns } = await preparer.prepare(batch.rows);
        tally = counted(tally, { read, written: 0, problems });
        if (onRowError === 'fail' && problems.length > 0) throw new RowRejected(tally);
        unknown.push(...unknownColumns);
        cursor = batch.cursor;
        if (rows.length > 0) yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      }
    },
    tally: () => tally,
    cursor: () => cursor,
    unknownColumns: () => unknown,
  };
}

async function* spooledRows(file: SpooledFile, most: number): AsyncGenerator<LoadedRow[]> {
  let rows: LoadedRow[] = [];
  for await (const { bytes } of readLines(file.read(), longestRow)) {
    if (bytes === null) throw new Error('a row is too long to be put aside');
    rows.push(JSON.parse(bytes.toString('utf8')) as LoadedRow);
    if (rows.length < most) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}
