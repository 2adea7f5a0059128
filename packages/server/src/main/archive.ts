import { type Config, ConfigError } from '../config.ts';
import {
  type ArchiveFiles,
  ArchiveUnreadable,
  assertWritable,
  createBucketArchive,
  createFolderArchive,
} from '../platform/archive/archive-files.ts';
import { alarmAt } from '../platform/deadline.ts';
import { newId } from '../platform/ids.ts';
import { createObjectStore, ObjectStoreError } from '../platform/object-store/object-store.ts';

/** Returns the folder or bucket of ARCHIVE_URL; null if it isn't set. */
export function archiveFilesOf({ ARCHIVE_URL: location }: Pick<Config, 'ARCHIVE_URL'>): ArchiveFiles | null {
  if (location === null) return null;
  return 'folder' in location
    ? createFolderArchive(location.folder)
    : createBucketArchive(createObjectStore(location.bucket));
}

/** Milliseconds that a start waits for the bucket. */
const answersWithinMs = 10_000;

/**
 * Throws ConfigError when ARCHIVE_URL is set and refuses to be written. A bucket that doesn't answer gets a warning only: decisions
 * don't need it, and the job tries again.
 */
export async function assertArchive(
  config: Pick<Config, 'ARCHIVE_URL'>,
  warn: (message: string) => void,
): Promise<void> {
  const files = archiveFilesOf(config);
  if (files === null) return;
  const isAway = (reason: string) => warn(`the archive is away: ${reason}`);
  const alarm = alarmAt(performance.now() + answersWithinMs);
  try {
    const writing = assertWritable(files, `checks/${newId()}.txt`);
    writing.catch(() => undefined);
    if ((await Promise.race([writing, alarm.rung])) === 'late') isAway('the bucket does not answer');
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    if (error.cause instanceof ObjectStoreError && error.cause.isAway) return isAway(error.message);
    throw new ConfigError([`ARCHIVE_URL can't be written: ${error.message}`]);
  } finally {
    alarm.cancel();
  }
}
