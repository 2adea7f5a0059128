import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { releaseLease, takeLease } from '../../../jobs/index.ts';
import type { ArchiveFiles } from '../../../platform/archive/archive-files.ts';
import { firstIdAt, instantOfId, newId } from '../../../platform/ids.ts';
import {
  type Archive,
  type ArchiveKind,
  archiveRetainers,
  deletePart,
  findPart,
  firstStoredId,
  forgetUnusedNames,
  fromParquet,
  insertPart,
  lockEqualRows,
  noteGroup,
  type Part,
  partsInState,
  pathOf,
  sealPart,
  selectRows,
  setState,
  waitForErasures,
} from '../../deciding/archived-months/index.ts';
import { archivedHistory } from '../../deciding/interactions/index.ts';
import { archivedDecisions } from '../../deciding/sealed-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { exportedBelow } from '../exports/index.ts';
import { retentionOf } from '../retention/index.ts';
import { closedMonths, holdsMonth, idsOf } from './archive.rules.ts';
import { draftPart, type FinishedPart, problemOf } from './part-file.ts';
import { openRows, type SealPorts, sealRows } from './sealed-rows.ts';

export interface ArchivePorts extends SealPorts {
  readonly database: Database;
  readonly archive: Archive;
  /** ARCHIVE_AFTER_DAYS. */
  readonly archiveAfterDays: number;
  /** Counts rows and bytes of files that became complete. */
  readonly onArchived: (kind: ArchiveKind['name'], rows: number, bytes: number) => void;
}

/** In this order: records are read with the history around them. */
const archiveKinds: readonly ArchiveKind[] = [archivedDecisions, ...archivedHistory];

export function kindOf({ kind }: Pick<Part, 'kind'>): ArchiveKind {
  const found = archiveKinds.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`${kind} isn't archived`);
  return found;
}

const dayMs = 86_400_000;
/** Rows of a group and of a transaction: a lookup reads one group. */
const rowsPerGroup = 1_000;
/** A part is in memory while it's written. */
const maxRowsPerPart = 50_000;
const maxBytesPerPart = 32 * 1024 * 1024;

/** Archives a tenant's months in steps that can be repeated after a crash. */
export interface Archiver {
  readonly files: ArchiveFiles;
  /** Runs a transaction of the tenant. Throws if another process archives its months or this one stops. */
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Archives the tenant's closed months: first deletes files past their age and finishes what a stopped process began, then writes a part, compares it with
 * what it reads back, and deletes its rows, until none are left (docs/adr/0125). Does nothing without ARCHIVE_URL and
 * while another process does it. Throws ArchiveUnreadable.
 */
export async function archiveMonths(ports: ArchivePorts, tenantId: string, signal: AbortSignal): Promise<void> {
  const { database, archive } = ports;
  const { files } = archive;
  if (files === null) return;
  const holder = newId();
  const name = `history.archive:${tenantId}`;
  const take = () => database.withSystem('archive', (tx) => takeLease(tx, name, holder));
  const lease = await take();
  if (lease === null) return;
  const archiver: Archiver = {
    files,
    async within(work) {
      if (signal.aborted) throw new Error('the process stopped before all months were archived');
      if ((await take()) === null) throw new Error('another process archives the months of this tenant');
      return database.withTenant(tenantId, systemActor('archive'), work);
    },
  };
  try {
    for (const { remove } of archiveRetainers) await archiver.within(remove);
    await removeFiles(archiver, tenantId);
    for (const part of await archiver.within((tx) => partsInState(tx, ['deleting']))) {
      await deleteRows(ports, archiver, tenantId, part);
    }
    for (const kind of archiveKinds) {
      for (const month of await archiver.within((tx) => monthsToArchive(tx, kind, ports.archiveAfterDays))) {
        await archiveMonth(ports, archiver, tenantId, { kind, month });
      }
    }
    await removeFiles(archiver, tenantId);
    await archiver.within(forgetUnusedNames);
  } finally {
    await database.withSystem('archive', (tx) => releaseLease(tx, lease));
  }
}

/** Deletes files of unfinished and expired parts, and of parts restored a while ago. */
async function removeFiles({ files, within }: Archiver, tenantId: string): Promise<void> {
  const due = await within(async (tx) => {
    const parts = await partsInState(tx, ['writing', 'removing', 'restored']);
    return parts.filter((part) => !holdsMonth(part, tx.now));
  });
  for (const part of due) {
    await files.remove(pathOf(tenantId, part));
    await within((tx) => deletePart(tx, part.id));
  }
}

/** Returns months of a kind to archive, oldest first. Skips months that retention deletes, and classes under legal hold. */
async function monthsToArchive(tx: Tx, kind: ArchiveKind, afterDays: number): Promise<string[]> {
  const { days, legalHold } = await retentionOf(tx, kind.dataClass);
  const tooOld = firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs));
  const first = legalHold ? null : await firstStoredId(tx, kind);
  if (first === null) return [];
  const restoredMonths = new Set(
    (await partsInState(tx, ['restoring', 'restored'])).flatMap((part) =>
      part.kind === kind.name && holdsMonth(part, tx.now) ? [part.month] : [],
    ),
  );
  // History stays until an export has written it.
  const exported = kind.dataClass === 'interactions' ? await exportedBelow(tx) : null;
  return closedMonths(instantOfId(first), tx.now.getTime(), afterDays).filter(
    (month) =>
      !restoredMonths.has(month) && idsOf(month).to > tooOld && (exported === null || exported >= idsOf(month).to),
  );
}

interface KindOfMonth {
  readonly kind: ArchiveKind;
  readonly month: string;
}

async function archiveMonth(
  ports: ArchivePorts,
  archiver: Archiver,
  tenantId: string,
  { kind, month }: KindOfMonth,
): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const part = await archiver.within((tx) => beginPart(tx, { kind, month }));
    const written = await writePart(ports, archiver, tenantId, { kind, part, after });
    if (written === null) {
      await archiver.within((tx) => deletePart(tx, part.id));
      return;
    }
    const isUsable = await archiver.within((tx) => sealPart(tx, part.id, { ...written, bytes: written.bytes.length }));
    if (isUsable) {
      ports.onArchived(kind.name, written.rows, written.bytes.length);
      await deleteRows(ports, archiver, tenantId, { ...part, ...written, bytes: written.bytes.length });
      // The next run takes rows that changed in the meantime.
      after = written.lastId;
    } else {
      // A customer was erased in the meantime, so the part starts over from the same row.
      await archiver.files.remove(pathOf(tenantId, part));
      await archiver.within((tx) => deletePart(tx, part.id));
    }
  }
}

async function beginPart(tx: Tx, { kind, month }: KindOfMonth): Promise<Part> {
  await waitForErasures(tx);
  const { timezone: zone } = await readSettings(tx);
  // A tenant's first export may have begun since the months were chosen.
  const below = kind.dataClass === 'interactions' ? await exportedBelow(tx) : null;
  const exported = below !== null && below >= idsOf(month).to;
  const part = { id: newId(), kind: kind.name, month, zone, exported };
  await insertPart(tx, part);
  return {
    ...part,
    ...{ state: 'writing', firstId: null, lastId: null, rows: 0, bytes: 0, sha256: null, rowsSha256: null },
    ...{ excluded: [], doneGroups: 0, createdAt: tx.now, archivedAt: null, verifiedAt: null, restoredAt: null },
    problem: null,
  };
}

/** Writes a part's file and compares it with what it reads back. Null when the month has no more rows. */
async function writePart(
  ports: ArchivePorts,
  { files, within }: Archiver,
  tenantId: string,
  { kind, part, after: first }: { readonly kind: ArchiveKind; readonly part: Part; readonly after: string | null },
): Promise<FinishedPart | null> {
  const draft = await draftPart(kind, tenantId, part);
  const ids = idsOf(part.month);
  let after = first;
  let isWhole = false;
  while (!isWhole && draft.rows < maxRowsPerPart && draft.bytes < maxBytesPerPart) {
    const slice = { ...ids, after, limit: rowsPerGroup };
    const { rows, sealed } = await within(async (tx) => {
      const rows = await selectRows(tx, kind, slice);
      return { rows, sealed: await sealRows(tx, ports, kind, part.month, rows) };
    });
    if (sealed.length > 0) draft.add(sealed);
    after = rows.at(-1)?.id ?? after;
    isWhole = rows.length < rowsPerGroup;
  }
  if (draft.rows === 0) return null;
  const finished = draft.finish();
  await files.write(pathOf(tenantId, part), finished.bytes);
  const problem = await problemOf(files, tenantId, { ...part, ...finished, bytes: finished.bytes.length });
  if (problem !== null) throw new Error(`a file of archived ${kind.name} of ${part.month} is wrong: ${problem}`);
  return finished;
}

/** Deletes the rows of a part, group by group, but only rows that equal what its file gives back. */
async function deleteRows(ports: ArchivePorts, { within }: Archiver, tenantId: string, part: Part): Promise<void> {
  const kind = kindOf(part);
  const file = await ports.archive.open(tenantId, part);
  for (let group = part.doneGroups; group < file.groups; group += 1) {
    const rows = (await file.group(group)).map(fromParquet);
    const isMine = await within(async (tx) => {
      const current = await findPart(tx, part.id, 'for update');
      // Rows that another process has deleted since would count as changed, and be read nowhere.
      if (current?.state !== 'deleting' || current.doneGroups !== group) return false;
      const opened = await openRows(tx, ports, kind, rows);
      const ids = opened.map(({ id }) => id);
      const json = `[${opened.map((row) => row.json).join(',')}]`;
      const equal = new Set(await lockEqualRows(tx, kind.table, ids, json));
      await kind.remove(tx, [...equal], part.zone);
      await noteGroup(
        tx,
        part.id,
        rows.flatMap(({ id }) => (equal.has(id) ? [] : [id])),
      );
      return true;
    });
    if (!isMine) return;
  }
  await within((tx) => setState(tx, part.id, 'archived'));
}
