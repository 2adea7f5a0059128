import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** A folder whose files only this user can read, and which are whole or not there at all. Paths are relative to it, with `/`. */
export interface PrivateFolder {
  /** Write, fsync, rename: whoever looks sees the old file or the new one, never a part of it (docs/design/quality.md E14). */
  write(path: string, bytes: string | Uint8Array): Promise<void>;
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  exists(path: string): Promise<boolean>;
  /** Paths of the files below a path that end so, in their order; drafts are left out. Empty when there is no such folder. */
  list(path: string, ending: string): Promise<string[]>;
  remove(path: string): Promise<void>;
}

const isMissing = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';

/** `root`: made when it is first written to. Throws for a path that does not lie below it. */
export function createPrivateFolder(root: string): PrivateFolder {
  const base = resolve(root);
  const inside = (path: string): string => {
    const full = resolve(base, path);
    const below = relative(base, full);
    if (below === '' || below.split(sep)[0] === '..' || isAbsolute(below)) throw new Error('a path leaves its folder');
    return full;
  };
  return {
    async write(path, bytes) {
      const full = inside(path);
      const folder = dirname(full);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = `${full}.draft`;
      try {
        const handle = await open(draft, 'w', 0o600);
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
      try {
        return await readFile(inside(path), 'utf8');
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async exists(path) {
      try {
        await stat(inside(path));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    async list(path, ending) {
      try {
        const found = await readdir(inside(path), { recursive: true, withFileTypes: true });
        return found
          .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
          .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join('/'))
          .sort();
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
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
