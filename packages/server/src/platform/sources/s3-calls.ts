import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Outbound, OutboundStream } from '../outbound/outbound.ts';
import type { AwsKeys } from './aws-roles.ts';
import { asSourceError, SourceError, statusReason } from './source-error.ts';

/** Where a bucket is, and who reads it. */
export interface BucketTarget {
  /** Origin of the service for a region. */
  readonly originOf: (region: string) => string;
  readonly bucket: string;
  readonly region: string;
  /** Called before each request, because role keys expire. Throws SourceError. */
  readonly keys: () => Promise<AwsKeys>;
  /** Objects with this key, or below it. Empty: all. */
  readonly path: string;
}

const timeoutMs = 30_000;
const maxProblemLength = 64 * 1024;
const maxTries = 4;
const maxRedirects = 3;
const firstPauseMs = 200;
const regionPattern = /^[a-z0-9-]{1,40}$/;
const authCodes =
  /<Code>(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|AuthorizationHeaderMalformed)</;

/** Reads an answer as text. Throws SourceError `unexpected_response` if it's too long. */
export async function textOf({ body }: OutboundStream, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw new SourceError('unexpected_response');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const pathOf = (bucket: string, key: string): string =>
  `/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`;

export interface BucketCall {
  readonly method?: 'GET' | 'HEAD';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests of a bucket, with Signature V4. Both throw SourceError. */
export interface BucketCalls {
  /** Follows a bucket to its region. A request to another address is checked and signed like the first. */
  call(key: string, options?: BucketCall): Promise<OutboundStream>;
  /** Like `call`, tries again after 429 and 5xx, and throws for what isn't a success. */
  answered(key: string, options?: BucketCall): Promise<OutboundStream>;
}

export function createBucketCalls(outbound: Outbound, target: BucketTarget, signal: AbortSignal): BucketCalls {
  const { originOf, bucket, keys } = target;
  let { region } = target;
  const once = async (url: string, { method = 'GET', headers = {} }: BucketCall): Promise<OutboundStream> => {
    const { accessKeyId, secretAccessKey, sessionToken } = await keys();
    const signer = new AwsV4Signer({
      ...{ method, url, headers: { ...headers }, accessKeyId, secretAccessKey, region, service: 's3' },
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
    const signed = await signer.sign();
    const own = Object.fromEntries([...signed.headers].filter(([name]) => name !== 'host'));
    return outbound.open(signed.url.href, { method, headers: own, timeoutMs, signal }).catch((error: unknown) => {
      throw asSourceError(error);
    });
  };
  const urlOf = (key: string, query: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams(query).toString();
    return `${originOf(region)}${pathOf(bucket, key).replace(/\/$/, '')}${search === '' ? '' : `?${search}`}`;
  };
  const call = async (key: string, options: BucketCall = {}): Promise<OutboundStream> => {
    let url = urlOf(key, options.query ?? {});
    for (let redirects = 0; ; redirects++) {
      const answer = await once(url, options);
      const elsewhere = answer.headers['x-amz-bucket-region'];
      const isMoved = answer.status >= 300 && answer.status < 400;
      const isOfAnother = elsewhere !== undefined && elsewhere !== region && regionPattern.test(elsewhere);
      if (!isMoved && !(answer.status === 400 && isOfAnother)) return answer;
      const { location } = answer.headers;
      await textOf(answer, maxProblemLength);
      if (redirects === maxRedirects || (location === undefined && !isOfAnother)) {
        throw new SourceError('unexpected_response');
      }
      if (isOfAnother) region = elsewhere;
      url =
        location !== undefined && URL.canParse(location, url)
          ? new URL(location, url).href
          : urlOf(key, options.query ?? {});
    }
  };
  const answered = async (key: string, options: BucketCall = {}): Promise<OutboundStream> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await call(key, options);
      const reason = statusReason(answer.status);
      if (reason === null) return answer;
      const problem = await textOf(answer, maxProblemLength);
      if (authCodes.test(problem)) throw new SourceError('auth_failed');
      if (attempt === maxTries || (answer.status !== 429 && answer.status < 500)) throw new SourceError(reason);
      await sleep(firstPauseMs * 2 ** attempt, null, { signal });
    }
  };
  return { call, answered };
}
