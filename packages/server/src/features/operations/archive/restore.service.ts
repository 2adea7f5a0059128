import type { Archive as ShownArchive } from '@arbiter/contract';
import { ensureMonthPartition, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { ArchiveUnreadable } from '../../../platform/archive/archive-files.ts';
import { isUuid } from '../../../platform/ids.ts';
import {
  type Archive,
  findPart,
  fromParquet,
  insertRows,
  listParts,
  noteGroup,
  noteVerification,
  type Part,
  setState,
  waitForErasures,
} from '../../deciding/archived-months/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { forgetLateRows } from '../exports/index.ts';
import { showArchive } from './archive.rules.ts';
import { type ArchivePorts, kindOf } from './archive.service.ts';
import { restoreArchiveJob } from './archive-jobs.ts';
import { problemOf } from './part-file.ts';
import { openRows } from './sealed-rows.ts';

/** Returns files of archived history, newest month first. */
export async function listArchives(
  tx: Tx,
  { month, kind }: { readonly month?: string; readonly kind?: Part['kind'] },
  limit: number,
): Promise<{ data: ShownArchive[]; total: number }> {
  const parts = (await listParts(tx)).filter(
    (part) => (month ?? part.month) === part.month && (kind ?? part.kind) === part.kind,
  );
  return { data: parts.slice(0, limit).map((part) => showArchive(tx.tenantId, part)), total: parts.length };
}

/**
 * Compares a file with what was written, and stores the result. Audited. Throws 404, 409 `invalid_transition` before the
 * file is complete, 503 `not_configured` and `unavailable`.
 */
export async function verifyArchive(tx: Tx, archive: Archive, id: string): Promise<ShownArchive> {
  const part = await completePart(tx, id);
  const problem = await check(tx, archive, part);
  await auditArchive(tx, 'verify', part, { problem });
  return shownPart(tx, id);
}

/**
 * Verifies a file and starts putting its rows back. Audited. Throws as `verifyArchive`, and 409 `record_corrupt` for a
 * file that has changed.
 */
export async function startRestore(tx: Tx, archive: Archive, id: string): Promise<ShownArchive> {
  const part = await completePart(tx, id);
  if (part.state !== 'archived' && part.state !== 'restoring') {
    throw new AppError('invalid_transition', { detail: `A file in state ${part.state} can't be restored.` });
  }
  const problem = await check(tx, archive, part);
  if (problem !== null) {
    throw new AppError('record_corrupt', {
      detail: `Archived ${part.kind} of ${part.month} can't be restored. ${problem}`,
    });
  }
  if (part.state === 'archived') await setState(tx, id, 'restoring');
  await enqueueJob(tx, restoreArchiveJob, { archiveId: id }, { key: `archive.restore:${id}` });
  await auditArchive(tx, 'restore', part, { rows: part.rows });
  return shownPart(tx, id);
}

async function completePart(tx: Tx, id: string): Promise<Part> {
  const part = isUuid(id) ? await findPart(tx, id.toLowerCase(), 'for update') : null;
  if (part === null) throw new AppError('not_found', { detail: 'Archived file not found.' });
  if (part.state === 'writing' || part.state === 'removing') {
    throw new AppError('invalid_transition', { detail: `A file in state ${part.state} can't be read.` });
  }
  return part;
}

async function check(tx: Tx, { files }: Archive, part: Part): Promise<string | null> {
  if (files === null) throw new AppError('not_configured', { detail: 'ARCHIVE_URL is not set.' });
  try {
    const problem = await problemOf(files, tx.tenantId, part);
    await noteVerification(tx, part.id, problem);
    return problem;
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    throw new AppError('unavailable', {
      detail: `Archived ${part.kind} of ${part.month} can't be read: ${error.message}.`,
      retryAfterSeconds: 60,
      cause: error,
    });
  }
}

async function shownPart(tx: Tx, id: string): Promise<ShownArchive> {
  const part = await findPart(tx, id.toLowerCase());
  if (part === null) throw new Error('a locked part is gone');
  return showArchive(tx.tenantId, part);
}

const auditArchive = (tx: Tx, action: 'verify' | 'restore', { id, kind, month }: Part, after: object): Promise<void> =>
  recordAudit(tx, { action, entityType: 'archive', entityId: id, entityName: `${kind} ${month}`, after });

/**
 * Puts the rows of a part back, group by group, and subtracts history from the sums that it was added to. Skips customers
 * erased since. Safe to repeat. Throws like `Archive.open`.
 */
export async function restorePart(
  ports: ArchivePorts,
  tenantId: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { database, archive } = ports;
  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.withTenant(tenantId, systemActor('archive'), work);
  const part = await within((tx) => findPart(tx, id));
  if (part?.state !== 'restoring') return;
  const kind = kindOf(part);
  await database.withSystem('partitions', (tx) => ensureMonthPartition(tx, `arbiter.${kind.table}`, part.month));
  const file = await archive.open(tenantId, part);
  const excluded = new Set(part.excluded);
  for (let group = part.doneGroups; group < file.groups; group += 1) {
    if (signal.aborted) throw new Error('the process stopped before a month was restored');
    const rows = (await file.group(group)).map(fromParquet).filter((row) => !excluded.has(row.id));
    const isMine = await within(async (tx) => {
      await waitForErasures(tx);
      const current = await findPart(tx, id, 'for update');
      if (current?.state !== 'restoring' || current.doneGroups !== group) return false;
      const opened = await openRows(tx, ports, kind, rows);
      const ids = await insertRows(tx, kind.table, `[${opened.map(({ json }) => json).join(',')}]`);
      await kind.undo(tx, ids, part.zone);
      if (part.exported) await forgetLateRows(tx, ids);
      await noteGroup(tx, id, []);
      return true;
    });
    if (!isMine) return;
  }
  await within((tx) => setState(tx, id, 'restored'));
}
