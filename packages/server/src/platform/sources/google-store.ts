import { isObject } from '../json.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { answeredCall } from './answered-call.ts';
import { googleToken } from './google-access.ts';
import { type Bucket, type BucketPage, objectFiles } from './object-files.ts';
import { textOf } from './s3-calls.ts';
import { SourceError } from './source-error.ts';

// https://cloud.google.com/storage/docs/json_api/v1/objects

const api = 'https://storage.googleapis.com';
const scope = 'https://www.googleapis.com/auth/devstorage.read_only';
const maxPerList = 16 * 1024 * 1024;

/** Where a bucket is, and who reads it. */
export interface GoogleTarget {
  readonly bucket: string;
  /** Objects with this name, or below it. Empty: all. */
  readonly path: string;
  readonly serviceAccount: unknown;
  /** Base URL instead of Google's, also for tokens. */
  readonly endpoint: string | undefined;
}

/** Opens a bucket of Google Cloud Storage. */
export function openGoogleBucket(outbound: Outbound, target: GoogleTarget, signal: AbortSignal): Bucket {
  const { bucket, path, serviceAccount, endpoint } = target;
  const base = `${endpoint ?? api}/storage/v1/b/${encodeURIComponent(bucket)}/o`;
  const tokenUrl = endpoint === undefined ? undefined : `${endpoint}/token`;
  let token: Promise<string> | null = null;
  const authorization = async (): Promise<string> => {
    token ??= googleToken({ outbound, serviceAccount, scope, tokenUrl, signal });
    return `Bearer ${await token}`;
  };
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    answeredCall(outbound, url, async () => ({ ...headers, authorization: await authorization() }), signal);
  return objectFiles(
    {
      async page(pageToken, size) {
        const query = new URLSearchParams({
          ...{ prefix: path, maxResults: String(size), fields: 'items(name,updated,etag),nextPageToken' },
          ...(pageToken === null ? {} : { pageToken }),
        });
        return pageOf(await textOf(await get(`${base}?${query}`), maxPerList));
      },
      read: (key, offset, etag) =>
        get(
          `${base}/${encodeURIComponent(key)}?alt=media`,
          etag === undefined ? {} : { range: `bytes=${offset}-`, 'if-match': etag },
        ),
    },
    path,
    signal,
  );
}

function pageOf(text: string): BucketPage {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
  const { items = [], nextPageToken = null } = isObject(body) ? body : { items: null };
  if (!Array.isArray(items) || (nextPageToken !== null && typeof nextPageToken !== 'string'))
    throw new SourceError('unexpected_response');
  return { objects: items.map(objectOf), next: nextPageToken };
}

function objectOf(item: unknown): BucketPage['objects'][number] {
  const { name, updated, etag } = isObject(item) ? item : {};
  const mtime = typeof updated === 'string' ? Date.parse(updated) : Number.NaN;
  if (typeof name !== 'string' || Number.isNaN(mtime)) throw new SourceError('unexpected_response');
  return { key: name, mtime, version: typeof etag === 'string' ? etag : String(mtime) };
}
