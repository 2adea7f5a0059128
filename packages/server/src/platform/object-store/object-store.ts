import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { BucketSettings } from '../../config/bucket-settings.ts';

/** A bucket whose objects are complete or absent. */
export interface ObjectStore {
  /** Writes or replaces an object. Throws ObjectStoreError. */
  put(key: string, content: Blob, mediaType: string): Promise<void>;
  /** Does nothing if there is no such object. Throws ObjectStoreError. */
  remove(key: string): Promise<void>;
}

/** Why the bucket refused; the text is safe to show. */
export class ObjectStoreError extends Error {}

const tries = 4;
const firstPauseMs = 200;
const putMs = 300_000;
const removeMs = 30_000;

/**
 * Opens a bucket of an S3-compatible store. Requests carry Signature V4 and name the bucket in the path, which every such
 * store accepts. Tries again after a lost connection, 429 and 5xx.
 */
export function createObjectStore(settings: BucketSettings): ObjectStore {
  const { origin, bucket, region, accessKeyId, secretAccessKey } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const send = async (key: string, init: RequestInit, timeoutMs: number): Promise<void> => {
    const url = `${origin}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    for (let attempt = 1; ; attempt++) {
      const problem = await refusalOf(() =>
        client.fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }),
      );
      if (problem === null) return;
      if (attempt === tries || !problem.isPassing) throw new ObjectStoreError(problem.text);
      await sleep(firstPauseMs * 2 ** attempt);
    }
  };
  return {
    put: (key, content, mediaType) =>
      send(key, { method: 'PUT', body: content, headers: { 'content-type': mediaType } }, putMs),
    remove: (key) => send(key, { method: 'DELETE' }, removeMs),
  };
}

interface Refusal {
  readonly text: string;
  /** Whether it may succeed when it is tried again. */
  readonly isPassing: boolean;
}

async function refusalOf(call: () => Promise<Response>): Promise<Refusal | null> {
  let response: Response;
  try {
    response = await call();
  } catch {
    return { text: "the bucket can't be reached", isPassing: true };
  }
  const body = await response.text().catch(() => '');
  if (response.ok) return null;
  // Only S3's error code: the rest of the body quotes names and keys.
  const [, code = ''] = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(body) ?? [];
  return {
    text: `the bucket answered ${response.status}${code === '' ? '' : ` (${code})`}`,
    isPassing: response.status === 429 || response.status >= 500,
  };
}
