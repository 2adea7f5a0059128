import { type ByteRange, type ObjectStore, ObjectStoreError } from '../object-store/object-store.ts';
import { createPrivateFolder } from '../private-folder.ts';

/** Files that are complete or absent, in a folder or a bucket. All throw ArchiveUnreadable. */
export interface ArchiveFiles {
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Returns some or all bytes of a file; null if the file doesn't exist. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | null>;
  /** Returns the size in bytes; null if the file doesn't exist. */
  size(path: string): Promise<number | null>;
  remove(path: string): Promise<void>;
}

/** The folder or bucket doesn't answer, or refuses. The text is safe to show. */
export class ArchiveUnreadable extends Error {}

const mediaType = 'application/vnd.apache.parquet';

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ObjectStoreError) throw new ArchiveUnreadable(error.message, { cause: error });
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (typeof code !== 'string') throw error;
    throw new ArchiveUnreadable(`the archive folder returned ${code}`, { cause: error });
  }
}

/** Archived files in a folder. */
export function createFolderArchive(root: string): ArchiveFiles {
  const folder = createPrivateFolder(root);
  return {
    write: (path, bytes) => reached(folder.write(path, bytes)),
    read: (path, range) =>
      reached(
        (async () => {
          const blob = await folder.blob(path);
          if (blob === null) return null;
          return new Uint8Array(await (range === undefined ? blob : blob.slice(range.start, range.end)).arrayBuffer());
        })(),
      ),
    size: (path) => reached((async () => (await folder.blob(path))?.size ?? null)()),
    remove: (path) => reached(folder.remove(path)),
  };
}

/** Archived files in a bucket. */
export const createBucketArchive = (bucket: ObjectStore): ArchiveFiles => ({
  write: (path, bytes) => reached(bucket.put(path, new Blob([new Uint8Array(bytes)]), mediaType)),
  read: (path, range) => reached(bucket.get(path, range)),
  size: (path) => reached(bucket.size(path)),
  remove: (path) => reached(bucket.remove(path)),
});

/** Writes and removes a small file. Throws ArchiveUnreadable when the archive can't be written. */
export async function assertWritable(files: ArchiveFiles, name: string): Promise<void> {
  await files.write(name, Buffer.from('Arbiter checks that it can write here.\n'));
  await files.remove(name);
}
