import { basename } from 'node:path/posix';
import type { OutboundStream } from '../outbound/outbound.ts';
import type { FileStore, StoredFile } from './file-store.ts';
import { asSourceError, SourceError } from './source-error.ts';

/** A bucket that can be tested. */
export interface Bucket extends FileStore {
  /** Throws SourceError if the bucket can't be listed. */
  check(): Promise<void>;
}

/** A page of a bucket's list. */
export interface BucketPage {
  readonly objects: readonly { readonly key: string; readonly mtime: number; readonly version: string }[];
  /** Token of the next page; null: this is the last. */
  readonly next: string | null;
}

/** How to ask for objects. All functions throw SourceError. */
export interface ObjectCalls {
  /** Lists objects whose key begins with the path. */
  page(token: string | null, size: number): Promise<BucketPage>;
  /**
   * Reads an object from an offset. `etag`: of the version that the read began with; another one is an error.
   */
  read(key: string, offset: number, etag: string | undefined): Promise<OutboundStream>;
  /** Throws if the bucket doesn't exist. */
  find?(): Promise<void>;
}

const pageSize = 1_000;
const maxTries = 4;

/** Files of a bucket: objects whose key is the path, or lies below it. */
export function objectFiles({ page, read, find }: ObjectCalls, path: string, signal: AbortSignal): Bucket {
  const folder = path === '' ? '' : path.replace(/\/?$/, '/');
  const nameOf = (key: string) => (key === path ? basename(key) : key.slice(folder.length));
  /** Whether a key is the path, or below it and no folder. Others would name another address. */
  const isWanted = (key: string) =>
    (key === path || key.startsWith(folder)) && !/(^|\/)\.{0,2}$|(^|\/)\.\.?\//.test(key);
  /** The path names an object. */
  let isObject = false;
  async function* list(): AsyncGenerator<StoredFile> {
    const seen = new Set<string | null>();
    for (let token: string | null = null; ; ) {
      if (seen.has(token)) throw new SourceError('unexpected_response');
      seen.add(token);
      const { objects, next } = await page(token, pageSize);
      for (const { key, mtime, version } of objects) {
        if (!isWanted(key)) continue;
        if (key === path) isObject = true;
        yield { name: nameOf(key), mtime, version };
      }
      if (next === null) return;
      token = next;
    }
  }
  /** An answer that breaks off is continued where it ended, unless the object changed. */
  async function* content(key: string): AsyncGenerator<Uint8Array> {
    let offset = 0;
    let etag: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const answer = await read(key, etag === undefined ? 0 : offset, etag);
      if (offset > 0 && answer.status !== 206) throw new SourceError('unexpected_response');
      etag = answer.headers.etag;
      try {
        for await (const part of answer.body) {
          offset += part.length;
          yield part;
        }
        return;
      } catch (error) {
        if (attempt === maxTries || etag === undefined || signal.aborted) throw asSourceError(error);
      }
    }
  }
  return {
    list,
    open: async (name) => content(isObject && name === basename(path) ? path : `${folder}${name}`),
    close: async () => undefined,
    async check() {
      await find?.();
      await page(null, 1);
    },
  };
}
