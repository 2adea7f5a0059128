import { AppError } from '../../../platform/app-error.ts';
import { type ArchiveFiles, ArchiveUnreadable } from '../../../platform/archive/archive-files.ts';
import { openParquet, type ParquetFile } from '../../../platform/archive/parquet-file.ts';
import { alarmAt } from '../../../platform/deadline.ts';
import type { Part } from './parts.store.ts';
import { pathOf } from './parts.store.ts';

/** The files of archived months, as this process reads them. */
export interface Archive {
  /** Null: ARCHIVE_URL isn't set. */
  readonly files: ArchiveFiles | null;
  /**
   * Opens the file of a part. Throws 503 `not_configured` without ARCHIVE_URL, 503 `unavailable` when the archive doesn't
   * answer or the file is missing, 409 `record_corrupt` when the file differs from what was written.
   */
  open(tenantId: string, part: Part): Promise<ParquetFile>;
}

/** Footers are a few hundred KB in memory, and lookups go to few files at a time. */
const maxOpenFiles = 16;
const againSeconds = 60;

export function createArchive(files: ArchiveFiles | null): Archive {
  const opened = new Map<string, ParquetFile>();
  return {
    files,
    async open(tenantId, part) {
      const known = opened.get(part.id);
      if (known !== undefined) return known;
      const file = await openPart(files, tenantId, part);
      if (opened.size >= maxOpenFiles) opened.delete(opened.keys().next().value ?? '');
      opened.set(part.id, file);
      return file;
    },
  };
}

async function openPart(files: ArchiveFiles | null, tenantId: string, part: Part): Promise<ParquetFile> {
  const what = `Archived ${part.kind} of ${part.month}`;
  if (files === null) {
    throw new AppError('not_configured', { detail: `${what} can't be read, because ARCHIVE_URL isn't set.` });
  }
  const path = pathOf(tenantId, part);
  const size = await whenReadable(part, files.size(path));
  if (size === null) throw unavailable(part, 'the file is missing');
  if (size !== part.bytes) throw changed(part);
  const file = await whenReadable(
    part,
    openParquet({
      byteLength: size,
      async read(start, end) {
        const bytes = await files.read(path, { start, end });
        if (bytes === null) throw new ArchiveUnreadable('the file is missing');
        return bytes;
      },
    }),
  );
  const { tenant, kind, part: id } = file.facts;
  if (tenant !== tenantId || kind !== part.kind || id !== part.id) throw changed(part);
  return readSafely(part, file);
}

/** Wraps a file so that reads throw errors of the registry. */
const readSafely = (part: Part, file: ParquetFile): ParquetFile => ({
  ...file,
  group: (index, columns) => whenReadable(part, file.group(index, columns)),
});

async function whenReadable<T>(part: Part, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof ArchiveUnreadable) throw unavailable(part, error.message, error);
    throw changed(part, error);
  }
}

/** Milliseconds within which a request gets what it reads, because it holds a connection to the database in the meantime. */
const readWithinMs = 3_000;

/** Returns what a request reads of a part. Throws 503 `unavailable` when that takes too long. */
export async function readInTime<T extends object>(part: Part, work: Promise<T>): Promise<T> {
  const alarm = alarmAt(performance.now() + readWithinMs);
  try {
    const read = await Promise.race([work, alarm.rung]);
    if (read === 'late') throw unavailable(part, "the archive didn't answer in time");
    return read;
  } finally {
    alarm.cancel();
  }
}

const unavailable = ({ kind, month }: Part, reason: string, cause?: unknown): AppError =>
  new AppError('unavailable', {
    detail: `Archived ${kind} of ${month} can't be read: ${reason}.`,
    retryAfterSeconds: againSeconds,
    cause,
  });

/** 409: the file differs from what was written. */
const changed = ({ id, kind, month }: Part, cause?: unknown): AppError =>
  new AppError('record_corrupt', {
    detail: `The file of archived ${kind} of ${month} has changed since it was written (part ${id}).`,
    cause,
  });
