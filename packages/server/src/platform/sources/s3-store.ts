import type { Outbound } from '../outbound/outbound.ts';
import { type Bucket, objectFiles } from './object-files.ts';
import { type BucketTarget, createBucketCalls, textOf } from './s3-calls.ts';
import { readList } from './s3-list.ts';
import { SourceError } from './source-error.ts';

const maxPerList = 16 * 1024 * 1024;

/** Opens a bucket of S3 or a relative. Requests name the bucket in the path. */
export function openBucket(outbound: Outbound, target: BucketTarget, signal: AbortSignal): Bucket {
  const { path } = target;
  const { call, answered } = createBucketCalls(outbound, target, signal);
  return objectFiles(
    {
      async page(token, size) {
        const query = {
          ...{ 'list-type': '2', prefix: path, 'max-keys': String(size), 'encoding-type': 'url' },
          ...(token === null ? {} : { 'continuation-token': token }),
        };
        return readList(await textOf(await answered('', { query }), maxPerList));
      },
      read: (key, offset, etag) =>
        answered(key, { headers: etag === undefined ? {} : { range: `bytes=${offset}-`, 'if-match': etag } }),
      async find() {
        const { status } = await call('', { method: 'HEAD' });
        if (status === 404) throw new SourceError('not_found');
      },
    },
    path,
    signal,
  );
}
