import { constants, openAsBlob } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * A folder whose files only this user can read, and which are complete or absent. Paths are relative to it, with `/`.
 */
export interface PrivateFolder {
  /** Writes, fsyncs and renames: readers see the old file or the new one, never a part (docs/design/quality.md E14). */
  write(path: string, bytes: string | Uint8Array | AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Null if the file doesn't exist. */
  read(path: string): Promise<string | null>;
  /** The file as it is on the disk, without reading it into memory. Null if the file doesn't exist. */
  blob(path: string): Promise<Blob | null>;
  exists(path: string): Promise<boolean>;
  /** Paths of the files below a path (empty: the folder itself) that end so, in order; drafts are left out. Empty if the folder doesn't exist. */
  list(path: string, ending: string): Promise<string[]>;
  remove(path: string): Promise<void>;
}

const isMissing = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';

/** Returns `instead` if the file or folder doesn't exist. */
async function orMissing<T, U>(work: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return instead;
    throw error;
  }
}

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

/**
 * `root`: created on first write; may be a link itself. Throws for a path outside the folder, and for one that a link
 * inside could lead out of it.
 */
export function createPrivateFolder(root: string): PrivateFolder {
  const base = resolve(root);
  const inside = (path: string): string => {
    const full = resolve(base, path);
    const below = relative(base, full);
    if (below === '' || below.split(sep)[0] === '..' || isAbsolute(below)) throw new Error('a path leaves its folder');
    return full;
  };
  /** No part of the path below the root is a link. */
  const refuseLinks = async (full: string): Promise<void> => {
    let part = base;
    for (const name of relative(base, full).split(sep)) {
      part = join(part, name);
      try {
        if ((await lstat(part)).isSymbolicLink()) throw new Error('a path follows a link');
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
    }
  };
  return {
    async write(path, bytes) {
      const full = inside(path);
      const folder = dirname(full);
      await refuseLinks(folder);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = `${full}.draft`;
      try {
        const handle = await open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
        try {
          // A draft that a crash has left behind keeps its mode otherwise.
          await handle.chmod(0o600);
          await handle.writeFile(bytes);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(draft, full);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
    async read(path) {
      const full = inside(path);
      await refuseLinks(full);
      return orMissing(readFile(full, 'utf8'), null);
    },
    async blob(path) {
      const full = inside(path);
      await refuseLinks(full);
      return (await orMissing(stat(full), null)) === null ? null : openAsBlob(full);
    },
    async exists(path) {
      return (await orMissing(stat(inside(path)), null)) !== null;
    },
    async list(path, ending) {
      const options = { recursive: true, withFileTypes: true } as const;
      const found = await orMissing(readdir(path === '' ? base : inside(path), options), []);
      return found
        .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
        .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .sort();
    },
    async remove(path) {
      await rm(inside(path), { force: true });
    },
  };
}

/** A renamed file is there after a power cut only once its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
