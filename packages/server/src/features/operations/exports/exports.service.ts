import { maxExportedAtOnce } from '@arbiter/contract';
import { type Database, systemActor, type TransactionOptions, type Tx } from '../../../db/index.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { unexportedMonths } from '../../deciding/archived-months/index.ts';
import { selectStoredItems } from '../../deciding/interactions/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lineOf, pathOf } from './exports.rules.ts';
import {
  type ExportCheckpoint,
  endBatch,
  lockCheckpoint,
  markFailed,
  noteBatch,
  type RowToExport,
  runningTransactions,
  selectUnexported,
} from './exports.store.ts';

export interface ExportPorts {
  readonly database: Database;
  /** EXPORT_DIR. */
  readonly exportFolder: PrivateFolder;
}

/** What one call exported for one tenant. */
export interface Exported {
  readonly exported: number;
  /** In the exports folder; null if there was nothing. */
  readonly path: string | null;
}

/**
 * How much later than its id a row may be written, in ms by the database's clock, before the writing statement marks it
 * as late (`arbiter.note_late_history`). After that the transaction may take as long as it likes.
 */
export const idsMayLagMs = 10 * 60_000;

const nothing: Exported = { exported: 0, path: null };
const actor = systemActor('export-interactions');
/** Rows whose items are read together. */
const rowsPerRead = 1_000;

/**
 * Exports what hasn't been exported of a tenant's history, at most `maxExportedAtOnce` items, as one file. Records a
 * batch with its file name before writing the file, and the next call finishes an abandoned batch under the same name,
 * so every row is in exactly one file, wherever a process is killed (docs/adr/0056). Does nothing while another export
 * of the tenant runs. Throws what keeps the file from being written; the checkpoint then says so, and the next call
 * retries the batch.
 */
export async function exportHistory(
  { database, exportFolder }: ExportPorts,
  tenantId: string,
  options: TransactionOptions = {},
): Promise<Exported> {
  try {
    const choose = (tx: Tx) => chooseBatch(tx, exportFolder);
    if (!(await database.withTenant(tenantId, actor, choose, options))) return nothing;
    return await database.withTenant(tenantId, actor, (tx) => writeBatch(tx, exportFolder), options);
  } catch (error) {
    await database.withTenant(tenantId, actor, (tx) => markFailed(tx, failureWord(error)));
    throw error;
  }
}

/** Returns months that no call exports, because they were archived before the first export. */
export const monthsLeftOut = (
  { database }: Pick<ExportPorts, 'database'>,
  tenantId: string,
  options: TransactionOptions,
): Promise<string[]> => database.withTenant(tenantId, actor, unexportedMonths, options);

/** True if there is a batch whose file must be written. */
async function chooseBatch(tx: Tx, folder: PrivateFolder): Promise<boolean> {
  const checkpoint = await lockCheckpoint(tx);
  if (checkpoint === null) return false;
  if (checkpoint.pendingRows !== null) return true;
  const bounds = await boundsOf(tx, checkpoint);
  // Each stored row has at least one item. One more shows whether there is a rest.
  const found = await selectUnexported(tx, checkpoint.lowId, maxExportedAtOnce + 1);
  const rows = firstItems(found);
  const last = rows.at(-1);
  const isWhole = rows.length === found.length && last?.items === found.at(-1)?.items;
  // If a batch leaves a rest, everything below its last row is exported, and not everything above.
  const reached = isWhole || last === undefined ? bounds.lowId : smaller(bounds.lowId, last.rowId);
  const lowId = greater(checkpoint.lowId, reached);
  const at = last === undefined ? null : await fileInstant(tx, folder, checkpoint.lastFileAt);
  const items = new Map(found.map((row) => [row.rowId, row.items]));
  const whole = rows.flatMap((row) => (row.items === items.get(row.rowId) ? [row.rowId] : []));
  await noteBatch(tx, { ...bounds, lowId, at, rows, whole });
  return last !== undefined;
}

/**
 * Returns the id below which no more rows are committed, and what must end before a later one is known. A running
 * transaction may still commit rows with ids from before it started, so a call's bound holds once every transaction
 * running then has ended, however long they take. Later ones that write older ids are marked themselves. Transaction
 * numbers restart in a restored database, where no earlier transaction runs.
 */
async function boundsOf(
  tx: Tx,
  { lowId, nextLowId, nextLowXid }: ExportCheckpoint,
): Promise<{ readonly lowId: string; readonly nextLowId: string | null; readonly nextLowXid: bigint | null }> {
  const { oldest, next, at } = await runningTransactions(tx);
  const waitedFor = nextLowXid === null ? null : BigInt(nextLowXid);
  if (waitedFor !== null && waitedFor > oldest && waitedFor <= next) return { lowId, nextLowId, nextLowXid: waitedFor };
  const ahead = firstIdAt(Math.max(0, at - idsMayLagMs));
  return { lowId: greater(lowId, nextLowId ?? lowId), nextLowId: ahead, nextLowXid: next };
}

// IDs of one form in lower case compare as texts.
const greater = (one: string, other: string): string => (one > other ? one : other);
const smaller = (one: string, other: string): string => (one < other ? one : other);

/** The first rows that hold `exportItemLimit` items; of the last one perhaps not all. */
function firstItems(found: readonly RowToExport[]): RowToExport[] {
  const rows: RowToExport[] = [];
  let room = maxExportedAtOnce;
  for (const row of found) {
    if (room === 0) break;
    const items = Math.min(row.items, row.from + room);
    rows.push({ ...row, items });
    room -= items - row.from;
  }
  return rows;
}

/** Now, or the next millisecond that no file of the tenant bears. */
async function fileInstant(tx: Tx, folder: PrivateFolder, lastFileAt: Date | null): Promise<Date> {
  let at = Math.max(tx.now.getTime(), (lastFileAt?.getTime() ?? 0) + 1);
  while (await folder.exists(pathOf(tx.tenantId, new Date(at)))) at += 1;
  return new Date(at);
}

/** Writes the file of the recorded batch. Leaves out rows deleted since. */
async function writeBatch(tx: Tx, folder: PrivateFolder): Promise<Exported> {
  const checkpoint = await lockCheckpoint(tx);
  const { pendingAt, pendingRows, pendingFrom, pendingItems } = checkpoint ?? {};
  if (pendingAt == null || pendingRows == null || pendingFrom == null || pendingItems == null) return nothing;
  const rows = pendingRows.map((rowId, n) => ({ rowId, from: pendingFrom[n] ?? 0, items: pendingItems[n] ?? 0 }));
  const lines = await linesOf(tx, rows);
  if (lines.length === 0) {
    await endBatch(tx, null);
    return nothing;
  }
  const path = pathOf(tx.tenantId, pendingAt);
  await folder.write(path, lines.join(''));
  await endBatch(tx, pendingAt);
  await recordAudit(tx, {
    action: 'export',
    entityType: 'interaction',
    entityId: 'interaction_history',
    entityName: null,
    after: { exported: lines.length, filePath: shownPath(path) },
  });
  return { exported: lines.length, path };
}

async function linesOf(tx: Tx, rows: readonly RowToExport[]): Promise<string[]> {
  const lines: string[] = [];
  const turns = takeTurns();
  for (let start = 0; start < rows.length; start += rowsPerRead) {
    const some = rows.slice(start, start + rowsPerRead);
    const rowsById = new Map(some.map((row) => [row.rowId, row]));
    const place = new Map<string, number>();
    for (const item of await selectStoredItems(tx, [...rowsById.keys()])) {
      const number = (place.get(item.rowId) ?? 0) + 1;
      place.set(item.rowId, number);
      const { from, items } = rowsById.get(item.rowId)!;
      if (number > from && number <= items) lines.push(lineOf(item));
      const pause = turns();
      if (pause !== undefined) await pause;
    }
  }
  return lines;
}

/** The path as the contract shows it: `exports` stands for EXPORT_DIR. */
export const shownPath = (path: string): string => `exports/${path}`;

/** Returns what may be revealed about a failure: its code, or the kind of error. */
export function failureWord(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}
