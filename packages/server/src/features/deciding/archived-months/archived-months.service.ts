import type { Tx } from '../../../db/index.ts';
import type { ParquetRow } from '../../../platform/archive/parquet-file.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { type Archive, readInTime } from './archive.ts';
import { type ArchivedRow, type ArchiveKind, fromParquet } from './archived-row.ts';
import { type Part, partsBetween, selectArchivedMonths } from './parts.store.ts';

/**
 * Returns an archived row by its id; null when no file has it. Reads one group of rows. Throws 503 `not_configured`,
 * 503 `unavailable` and 409 `record_corrupt`, which name the month.
 */
export async function findArchivedRow(
  tx: Tx,
  archive: Archive,
  kind: ArchiveKind['name'],
  id: string,
): Promise<ArchivedRow | null> {
  // Newest part first: a row that changed before it was deleted is in two parts, and only the later one is correct.
  for (const part of (await partsBetween(tx, kind, id, id)).toReversed()) {
    if (part.excluded.includes(id)) continue;
    const rows = await readInTime(part, rowsNear(archive, tx.tenantId, part, id));
    const found = rows.find((row) => row.id === id);
    if (found !== undefined) return fromParquet(found);
  }
  return null;
}

async function rowsNear(archive: Archive, tenantId: string, part: Part, id: string): Promise<readonly ParquetRow[]> {
  const file = await archive.open(tenantId, part);
  const group = file.groupOf(id);
  return group === null ? [] : file.group(group);
}

/** Rows of a kind that are only in files, with ids in a range, a group at a time. Throws as `findArchivedRow`. */
export async function* readArchivedRows(
  tx: Tx,
  archive: Archive,
  kind: ArchiveKind['name'],
  { from, to, columns }: { readonly from: string; readonly to: string; readonly columns: readonly string[] },
): AsyncGenerator<readonly ArchivedRow[]> {
  const turns = takeTurns();
  for (const part of await partsBetween(tx, kind, from, to)) {
    const excluded = new Set(part.excluded);
    const file = await readInTime(part, archive.open(tx.tenantId, part));
    // Rows of finished groups are back in the database.
    const first = part.state === 'restoring' ? part.doneGroups : 0;
    const last = part.state === 'deleting' ? part.doneGroups : file.groups;
    for (let group = first; group < last; group += 1) {
      const rows = await readInTime(part, file.group(group, ['id', 'customer_ref', ...columns]));
      yield rows.map(fromParquet).filter(({ id }) => id >= from && id <= to && !excluded.has(id));
      const pause = turns();
      if (pause !== undefined) await pause;
    }
  }
}

/** Rows are stored at most two days before the time of their event. */
const aheadMs = 2 * 86_400_000;

/** Returns months between two instants with rows that are only in files, oldest first. Null: no bound. */
export const archivedMonths = (
  tx: Tx,
  kinds: readonly ArchiveKind['name'][],
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): Promise<string[]> =>
  selectArchivedMonths(tx, kinds, {
    from: from === null ? null : firstIdAt(Math.max(0, from.getTime() - aheadMs)),
    to: to === null ? null : firstIdAt(Math.max(0, to.getTime() + aheadMs)),
  });

/** Adds a remark to an answer that leaves out archived months. `what`: start of the sentence. */
export async function remarkArchived(
  tx: Tx,
  kinds: readonly ArchiveKind['name'][],
  range: { readonly from: Date | null; readonly to: Date | null },
  what = 'this list leaves out',
): Promise<void> {
  const months = await archivedMonths(tx, kinds, range);
  if (months.length === 0) return;
  tx.remarks.push({
    path: '',
    nearest: null,
    code: 'month_archived',
    reason: `${what} archived rows of ${months.join(', ')}`,
    suggestion: 'restore the month, or read a decision by its ID',
    isAdvice: true,
  });
}
