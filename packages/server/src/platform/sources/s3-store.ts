import { basename } from 'node:path/posix';
import type { Outbound } from '../outbound/outbound.ts';
import type { FileStore, StoredFile } from './file-store.ts';
import { type BucketTarget, createBucketCalls, textOf } from './s3-calls.ts';
import { readList } from './s3-list.ts';
import { asSourceError, SourceError } from './source-error.ts';

/** A bucket that can be tested. */
export interface Bucket extends FileStore {
  /** Throws SourceError if the bucket can't be listed. */
  check(): Promise<void>;
}

const mostOfList = 16 * 1024 * 1024;
const mostTries = 4;

/** Opens a bucket of S3 or a relative. Requests name the bucket in the path. */
export function openBucket(outbound: Outbound, target: BucketTarget, signal: AbortSignal): Bucket {
  const { path } = target;
  const { call, answered } = createBucketCalls(outbound, target, signal);
  const folder = path === '' ? '' : path.replace(/\/?$/, '/');
  const nameOf = (key: string) => (key === path ? basename(key) : key.slice(folder.length));
  /** Whether a key is the path, or below it and no folder. Others would name another address. */
  const isWanted = (key: string) =>
    (key === path || key.startsWith(folder)) && !/(^|\/)\.{0,2}$|(^|\/)\.\.?\//.test(key);
  /** The path names an object. */
  let isObject = false;
  const page = async (token: string | null, size: number) => {
    const query = {
      ...{ 'list-type': '2', prefix: path, 'max-keys': String(size), 'encoding-type': 'url' },
      ...(token === null ? {} : { 'continuation-token': token }),
    };
    return readList(await textOf(await answered('', { query }), mostOfList));
  };
  async function* list(): AsyncGenerator<StoredFile> {
    const seen = new Set<string | null>();
    for (let token: string | null = null; ; ) {
      if (seen.has(token)) throw new SourceError('unexpected_response');
      seen.add(token);
      const { objects, next } = await page(token, 1000);
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
      const headers = offset === 0 || etag === undefined ? {} : { range: `bytes=${offset}-`, 'if-match': etag };
      const answer = await answered(key, { headers });
      if (offset > 0 && answer.status !== 206) throw new SourceError('unexpected_response');
      etag = answer.headers.etag;
      try {
        for await (const part of answer.body) {
          offset += part.length;
          yield part;
        }
        return;
      } catch (error) {
        if (attempt === mostTries || etag === undefined || signal.aborted) throw asSourceError(error);
      }
    }
  }
  return {
    list,
    open: async (name) => content(isObject && name === basename(path) ? path : `${folder}${name}`),
    close: async () => undefined,
    async check() {
      const { status } = await call('', { method: 'HEAD' });
      if (status === 404) throw new SourceError('not_found');
      await page(null, 1);
    },
  };
}
