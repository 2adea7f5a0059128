import { type Config, ConfigError } from '../config.ts';
import {
  type ArchiveFiles,
  ArchiveUnreadable,
  assertWritable,
  createBucketArchive,
  createFolderArchive,
} from '../platform/archive/archive-files.ts';
import { newId } from '../platform/ids.ts';
import { createObjectStore } from '../platform/object-store/object-store.ts';

/** Returns the folder or bucket of ARCHIVE_URL; null if it isn't set. */
export function archiveFilesOf({ ARCHIVE_URL: location }: Pick<Config, 'ARCHIVE_URL'>): ArchiveFiles | null {
  if (location === null) return null;
  return 'folder' in location
    ? createFolderArchive(location.folder)
    : createBucketArchive(createObjectStore(location.bucket));
}

/** Throws ConfigError when ARCHIVE_URL is set and can't be written. */
export async function assertArchive(config: Pick<Config, 'ARCHIVE_URL'>): Promise<void> {
  const files = archiveFilesOf(config);
  if (files === null) return;
  try {
    await assertWritable(files, `checks/${newId()}.txt`);
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    throw new ConfigError([`ARCHIVE_URL can't be written: ${error.message}`]);
  }
}
