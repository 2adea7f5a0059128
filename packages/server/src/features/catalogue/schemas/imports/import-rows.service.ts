import { randomUUID } from 'node:crypto';
import { largestRowLine, type StreamedFile, type Warning } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { parseJsonBody } from '../../../../http/input/json-body.ts';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { readLines } from '../../../../platform/lines.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import { recordAudit } from '../../../identity/audit/index.ts';
import type { GivenLine, RefusedLine } from '../rows/replace-rows.service.ts';
import { type CheckedRow, checkRows, lastOfEachKey, maximumErrors, rowChecks, updateKey } from '../rows/rows.rules.ts';
import { type InsertedRows, insertNew, lockSchema, writeChecked } from '../rows/rows.service.ts';
import type { SchemaRow } from '../schemas.store.ts';
import type { RunWith } from '../stats/stats.service.ts';
import { forgetStats } from '../stats/stats.store.ts';
import { renamedColumn } from './csv-columns.rules.ts';
import { readCsvRows } from './csv-rows.ts';
import { csvInvalid } from './csv-text.rules.ts';
import { refusedLines, type SpooledUpload, spoolUpload } from './spooled-upload.ts';

/** Rows per statement. */
const rowsAtOnce = 1_000;
/** Maximum time of one statement, in ms. */
const statementMs = 60_000;

/** Progress of an import: bytes received, then rows written. */
export interface ImportProgress {
  readonly phase: 'receiving' | 'storing';
  readonly bytes: number;
  readonly rows: number;
}

export interface ImportOptions {
  readonly onDuplicate: 'skip' | 'update';
  readonly onProgress: (progress: ImportProgress) => void;
  /** Aborted when the client disconnects: then nothing is stored. */
  readonly signal: AbortSignal;
}

export type ImportedFile = InsertedRows & { readonly warnings: Warning[] };

/**
 * Stores the rows of a CSV or NDJSON file, all or nothing, in the order of the file. The file is put aside while it arrives, so
 * that a slow sender holds no transaction open. `readWarnings` runs at the end of the transaction. Throws 404
 * if the schema doesn't exist, 400 `csv_invalid` with up to 20 lines, 413, 415, 503 when it's stopped.
 */
export async function importFile(
  run: RunWith,
  schemaId: string,
  { fileType, content }: StreamedFile,
  { onDuplicate, onProgress, signal }: ImportOptions,
  readWarnings: (tx: Tx) => Promise<readonly Warning[]>,
): Promise<ImportedFile> {
  await run((tx) => lockSchema(tx, schemaId));
  const upload = await spoolUpload(content, (bytes) => onProgress({ phase: 'receiving', bytes, rows: 0 }));
  const work = async (tx: Tx): Promise<ImportedFile> => {
    const schema = await lockSchema(tx, schemaId);
    const warnings: Warning[] = [];
    const lines = fileType === 'text/csv' ? csvLines(upload, schema, warnings) : jsonLines(upload);
    const onRows = (rows: number): void => {
      if (signal.aborted) throw new AppError('unavailable', { detail: 'The import was stopped. No rows were stored.' });
      onProgress({ phase: 'storing', bytes: upload.file.length, rows });
    };
    const stored = await storeLines(tx, schema, lines, onDuplicate, onRows);
    return { ...stored, warnings: [...(await readWarnings(tx)), ...warnings] };
  };
  try {
    return await run(work, { statementTimeoutMs: statementMs });
  } finally {
    await upload.file.close();
  }
}

/** The rows of a CSV file; what of its header is renamed or has no column is added to `warnings`. */
function csvLines(
  { file, encoding }: SpooledUpload,
  { fields }: SchemaRow,
  warnings: Warning[],
): AsyncGenerator<GivenLine> {
  const key = fields.find(({ isPrimaryKey, defaultValue }) => isPrimaryKey && defaultValue === null);
  const onHeader = (header: readonly string[], columns: readonly (string | null)[]): void => {
    for (const [at, cell] of header.entries()) {
      const column = columns[at] ?? null;
      const path = `/columns/${at}`;
      if (column === null) warnings.push({ ...noColumn(cell), path });
      else if (column.toLowerCase() !== cell.trim().toLowerCase()) warnings.push(renamedColumn(path, cell, column));
    }
  };
  return readCsvRows(file, encoding, { targets: fields, key: key?.name ?? null, onHeader });
}

const noColumn = (header: string): Omit<Warning, 'path'> => ({
  code: 'unknown_property',
  message: `The schema has no column for "${header.trim()}", so its values are ignored.`,
  suggestion: 'Add the field to the schema and import the file again with onDuplicate=update.',
});

/** The rows of a file with one JSON object on each line. */
async function* jsonLines({ file, encoding }: SpooledUpload): AsyncGenerator<GivenLine> {
  if (encoding !== 'utf-8') throw new AppError('unsupported_media_type', { detail: 'NDJSON must be UTF-8.' });
  for await (const { number, bytes } of readLines(file.read(), largestRowLine)) {
    if (bytes === null) throw csvInvalid(`must be at most ${largestRowLine} bytes`, number);
    yield { line: number, values: jsonRow(bytes, number) };
  }
}

function jsonRow(bytes: Buffer, line: number): Readonly<Record<string, unknown>> {
  try {
    const row: unknown = parseJsonBody(bytes);
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return { ...row };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  throw csvInvalid('must be a JSON object', line);
}

async function storeLines(
  tx: Tx,
  schema: SchemaRow,
  lines: AsyncIterable<GivenLine>,
  onDuplicate: ImportOptions['onDuplicate'],
  onRows: (rows: number) => void,
): Promise<InsertedRows> {
  const isUpdate = onDuplicate === 'update';
  const key = isUpdate ? updateKey(schema.fields) : null;
  if (isUpdate && key === null) throw invalid('query.onDuplicate', 'update requires a primary key or a unique field');
  const checks = rowChecks(schema.schemaType, schema.fields);
  const source = { now: tx.now, newUuid: randomUUID };
  const turns = takeTurns();
  const refused: RefusedLine[] = [];
  const sum = { rows: 0, inserted: 0, updated: 0 };
  let waiting: CheckedRow[] = [];
  let areNew = true;
  const write = async (): Promise<void> => {
    // After a rejected line nothing is stored. Reading continues to name up to 20 of them.
    if (refused.length === 0) {
      const rows = key === null ? waiting : lastOfEachKey(waiting, key).kept;
      const inserted = areNew ? await insertNew(tx, schema, rows) : null;
      areNew = inserted !== null;
      const written = inserted === null ? await writeBatch(tx, schema, rows, key, sum.rows) : { inserted, updated: 0 };
      sum.inserted += written.inserted;
      sum.updated += written.updated;
    }
    sum.rows += waiting.length;
    waiting = [];
    onRows(sum.rows);
  };
  for await (const { line, values } of lines) {
    const { rows, errors } = checkRows([values], checks, source, { fillMissing: !isUpdate });
    const [wrong] = errors;
    if (wrong !== undefined)
      refused.push({ line, message: `${wrong.path.slice(wrong.path.lastIndexOf('/') + 1)} ${wrong.message}` });
    waiting.push(...rows);
    if (refused.length >= maximumErrors) break;
    if (waiting.length >= rowsAtOnce) await write();
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  if (refused.length > 0) throw refusedLines(refused);
  if (waiting.length > 0) await write();
  if (sum.rows === 0) throw csvInvalid('has no rows');
  await forgetStats(tx, schema.id);
  const { rows, inserted, updated } = sum;
  const result = { inserted, updated, skipped: rows - inserted - updated };
  await recordAudit(tx, {
    action: 'upload',
    entityType: 'dataSchema',
    entityId: schema.id,
    entityName: schema.name,
    after: { rows, ...result },
  });
  return { ...result, tableName: schema.tableName };
}

async function writeBatch(tx: Tx, schema: SchemaRow, rows: readonly CheckedRow[], key: string | null, before: number) {
  try {
    return await writeChecked(tx, schema, rows, key === null ? 'skip' : { updateBy: key }, false);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'duplicate_key') throw error;
    const message = `rows ${before + 1} to ${before + rows.length} contain a value that already exists in a unique field`;
    throw new AppError('duplicate_key', { detail: `${message}.`, errors: [{ path: '/file', message }], cause: error });
  }
}
