import type { Tx } from '../../../db/index.ts';
import {
  type JsonValue,
  keyText,
  type LoadedRow,
  type LoadTarget,
  loadRows,
  openTarget,
} from '../../catalogue/schemas/index.ts';
import { erasureMark, type KeyedHash, readErasures } from '../../deciding/customer-states/index.ts';
import { Superseded } from './end-run.service.ts';
import { listColumns, type PreparedRows } from './prepare-rows.ts';
import { counted, logged, progressAt, type RunTally } from './run-tally.rules.ts';
import { type RowProblemEntry, type RunRow, selectRun, storeProgress } from './runs.store.ts';

/** A row didn't fit, and the pipeline wants none of those. Nothing of its transaction stays. */
export class RowRejected extends Error {
  readonly tally: RunTally;
  constructor(tally: RunTally) {
    super('a row does not fit the schema');
    this.tally = tally;
  }
}

export interface Writer {
  readonly run: RunRow;
  readonly startedAt: Date;
  readonly customerHash: KeyedHash;
  /** Whether every row of this run that was written so far was new. */
  areNew: boolean;
}

/** The unique column that an upsert finds rows by; null for other modes. */
function upsertBy({ settings: { loadMode, upsertKey } }: RunRow, { schema }: LoadTarget): string | null {
  if (loadMode !== 'upsert') return null;
  return upsertKey[0] ?? schema.fields.find(({ isPrimaryKey }) => isPrimaryKey)?.name ?? null;
}

/** Locks the run until the transaction ends. Throws `Superseded` if it is no longer this process's. */
export async function lockOwnRun(tx: Tx, { id, token }: RunRow): Promise<RunRow> {
  const run = await selectRun(tx, id, true);
  if (run === null || run.status !== 'running' || run.token !== token) throw new Superseded();
  return run;
}

/** Writes a batch with its cursor. Returns the tally with it. Throws `RowRejected`, `Superseded`. */
export async function writeBatch(
  tx: Tx,
  writer: Writer,
  tally: RunTally,
  prepared: PreparedRows,
  cursor: JsonValue,
): Promise<RunTally> {
  await lockOwnRun(tx, writer.run);
  const target = await openTarget(tx, writer.run.schemaId);
  const withColumns = logUnknown(tally, tx.now, prepared.unknownColumns);
  const after = await writeRows(tx, writer, target, withColumns, prepared);
  await storeProgress(tx, writer.run.id, progressAt(after, cursor));
  return after;
}

export function logUnknown(tally: RunTally, at: Date, names: readonly string[]): RunTally {
  if (names.length === 0) return tally;
  const text = names.length === 1 ? '1 column is not in the schema' : `${names.length} columns are not in the schema`;
  return logged(tally, at, 'columns_dropped', `${text}: ${listColumns(names)}.`);
}

/** Writes prepared rows in statements of the batch size. */
export async function writeRows(
  tx: Tx,
  writer: Writer,
  target: LoadTarget,
  tally: RunTally,
  { read, rows, problems }: Pick<PreparedRows, 'read' | 'rows' | 'problems'>,
): Promise<RunTally> {
  const { batchSize, onRowError } = writer.run.settings;
  const all: RowProblemEntry[] = [...problems];
  let written = 0;
  const reject = (): RowRejected =>
    new RowRejected({ ...counted({ ...tally }, { read: all.length, written: 0, problems: all }) });
  if (onRowError === 'fail' && all.length > 0) throw reject();
  const own = await withoutErased(tx, writer, target, rows);
  for (let from = 0; from < own.length; from += batchSize) {
    const how = { upsertBy: upsertBy(writer.run, target), areNew: writer.areNew };
    const result = await loadRows(tx, target, own.slice(from, from + batchSize), how);
    writer.areNew = result.areNew;
    written += result.written;
    all.push(...result.problems);
    if (onRowError === 'fail' && all.length > 0) throw reject();
  }
  return counted(tally, { read, written, problems: all });
}

/** The rows without those of customers who were erased since the run began. */
async function withoutErased(
  tx: Tx,
  { startedAt, customerHash }: Writer,
  { rowKey }: LoadTarget,
  rows: readonly LoadedRow[],
): Promise<readonly LoadedRow[]> {
  if (rows.length === 0 || (await erasureMark(tx, startedAt)) === null) return rows;
  const hashes = rows.map(({ values }) => {
    const key = keyText((values[rowKey] ?? null) as JsonValue);
    return key === null ? [] : customerHash.all(tx.tenantId, key);
  });
  const erasures = await readErasures(tx, hashes.flat());
  const isErased = (hash: Buffer): boolean => {
    const at = erasures.get(hash.toString('hex'));
    return at !== undefined && at >= startedAt;
  };
  return rows.filter((_, at) => !(hashes[at] ?? []).some(isErased));
}
