import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { BucketSettings } from '../../config/bucket-settings.ts';

/** A bucket whose objects are complete or absent. */
export interface ObjectStore {
  /** Writes or replaces an object. Throws ObjectStoreError. */
  put(key: string, content: Blob, mediaType: string): Promise<void>;
  /** Returns some or all bytes of an object; null if it doesn't exist. Throws ObjectStoreError. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | null>;
  /** Returns an object's size in bytes; null if it doesn't exist. Throws ObjectStoreError. */
  size(key: string): Promise<number | null>;
  /** Does nothing if the object doesn't exist. Throws ObjectStoreError. */
  remove(key: string): Promise<void>;
}

/** Bytes of a file from `start` up to, but excluding, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Why the bucket refused; the text is safe to show. */
export class ObjectStoreError extends Error {
  /** The bucket doesn't answer or is overloaded, and may take the same call later. */
  readonly isAway: boolean;
  constructor(text: string, isAway: boolean) {
    super(text);
    this.isAway = isAway;
  }
}

const tries = 4;
const firstPauseMs = 200;
const transferMs = 300_000;
const shortMs = 30_000;

/**
 * Opens a bucket of an S3-compatible store. Requests carry Signature V4 and name the bucket in the path, which every such
 * store accepts. Tries again after a lost connection, 429 and 5xx.
 */
export function createObjectStore(settings: BucketSettings): ObjectStore {
  const { origin, bucket, region, accessKeyId, secretAccessKey } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  /** Returns null for 404. */
  const send = async (key: string, init: RequestInit, timeoutMs: number): Promise<StoreResponse | null> => {
    const url = `${origin}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    for (let attempt = 1; ; attempt++) {
      const outcome = await answerOf(() =>
        client.fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }),
      );
      if (!('isPassing' in outcome)) return outcome;
      if (outcome.isMissing) return null;
      if (attempt === tries || !outcome.isPassing) throw new ObjectStoreError(outcome.text, outcome.isPassing);
      await sleep(firstPauseMs * 2 ** attempt);
    }
  };
  return {
    async put(key, content, mediaType) {
      const headers = { 'content-type': mediaType };
      const answer = await send(key, { method: 'PUT', body: content, headers }, transferMs);
      if (answer === null) throw new ObjectStoreError('the bucket answered 404', false);
    },
    async get(key, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
      return (await send(key, { headers }, transferMs))?.body ?? null;
    },
    async size(key) {
      const answer = await send(key, { method: 'HEAD' }, shortMs);
      return answer === null ? null : answer.size;
    },
    async remove(key) {
      await send(key, { method: 'DELETE' }, shortMs);
    },
  };
}

interface StoreResponse {
  readonly body: Uint8Array;
  /** The content's length by its header. */
  readonly size: number;
}

interface Refusal {
  readonly text: string;
  /** Whether it may succeed when it is tried again. */
  readonly isPassing: boolean;
  /** Whether the object isn't there; another 404, such as of the bucket, is a refusal. */
  readonly isMissing: boolean;
}

async function answerOf(call: () => Promise<Response>): Promise<StoreResponse | Refusal> {
  let response: Response;
  let body: Uint8Array;
  try {
    response = await call();
    body = new Uint8Array(await response.arrayBuffer());
  } catch {
    return { text: "the bucket can't be reached", isPassing: true, isMissing: false };
  }
  if (response.ok) return { body, size: Number(response.headers.get('content-length') ?? body.length) };
  // Only S3's error code: the rest of the body quotes names and keys.
  const [, code = ''] = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(Buffer.from(body).toString('utf8')) ?? [];
  return {
    text: `the bucket answered ${response.status}${code === '' ? '' : ` (${code})`}`,
    isPassing: response.status === 429 || response.status >= 500,
    isMissing: response.status === 404 && code !== 'NoSuchBucket',
  };
}
