import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSigned } from '../object-store/test-object-store.ts';

export interface TestObject {
  readonly content: Uint8Array;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** An S3 bucket on this machine. */
export interface TestBucket {
  readonly origin: string;
  /** By key. */
  readonly objects: Map<string, TestObject>;
  /** Answers of the next requests, instead of what they would be. */
  readonly next: ((request: IncomingMessage, response: ServerResponse) => void)[];
  /** Method, path and range of all requests. */
  readonly requests: string[];
  /** Where the bucket is. Requests that are signed for another region are sent there. */
  region: string;
  /** Breaks the next answer with an object after this many bytes. */
  cut: { readonly at: number; readonly onCut: () => void } | null;
  /** Keys of a page. */
  pageSize: number;
  close(): void;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n';

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/xml', ...headers });
  response.end(`${xmlHead}<Error><Code>${code}</Code><Message>secret words</Message></Error>`);
}

function sendList({ objects, pageSize }: TestBucket, query: URLSearchParams, response: ServerResponse): void {
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
  const size = Math.min(pageSize, Number(query.get('max-keys') ?? 1000));
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
  const page = keys.slice(0, size);
  const last = page.at(-1);
  const isCut = page.length < keys.length;
  const contents = page.map((key) => {
    const { mtime = 0, content } = objects.get(key) ?? {};
    const at = new Date(mtime * 1000).toISOString();
    const name = encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+');
    const etag = `<ETag>&quot;${escapeXml(`${mtime}-${content?.length}`)}&quot;</ETag>`;
    return `<Contents><Key>${name}</Key><LastModified>${at}</LastModified>${etag}<Size>${content?.length}</Size></Contents>`;
  });
  const next = isCut
    ? `<NextContinuationToken>${Buffer.from(last ?? '').toString('base64')}</NextContinuationToken>`
    : '';
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.end(
    `${xmlHead}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>` +
      `<IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

function sendObject(
  bucket: TestBucket,
  { mtime, content }: TestObject,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const etag = `"${mtime}-${content.length}"`;
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag)
    return void refuse(response, 412, 'PreconditionFailed');
  const [, start] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
  const part = content.subarray(Number(start ?? 0));
  response.writeHead(start === undefined ? 200 : 206, { etag, 'content-length': part.length });
  const { cut } = bucket;
  if (cut === null) return void response.end(part);
  bucket.cut = null;
  response.write(part.subarray(0, cut.at), () => {
    cut.onCut();
    response.destroy();
  });
}

/** Starts a bucket that checks Signature V4, and answers as S3 does. */
export async function startTestBucket(name: string): Promise<TestBucket> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
    bucket.requests.push(`${request.method} ${pathname} ${request.headers.range ?? ''}`.trim());
    const forced = bucket.next.shift();
    if (forced !== undefined) return forced(request, response);
    const signedFor = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1];
    if (signedFor !== undefined && signedFor !== bucket.region) {
      return refuse(response, 301, 'PermanentRedirect', { 'x-amz-bucket-region': bucket.region });
    }
    if (!isSigned(request, pathname, Buffer.alloc(0), bucket.region))
      return refuse(response, 403, 'SignatureDoesNotMatch');
    if (pathname !== `/${name}` && !pathname.startsWith(`/${name}/`)) return refuse(response, 404, 'NoSuchBucket');
    if (request.method === 'HEAD') return void response.writeHead(200).end();
    const key = decodeURIComponent(pathname.slice(name.length + 2));
    if (key === '') return sendList(bucket, searchParams, response);
    const object = bucket.objects.get(key);
    return object === undefined ? refuse(response, 404, 'NoSuchKey') : sendObject(bucket, object, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bucket: TestBucket = {
    ...{ origin: `http://127.0.0.1:${port}`, objects: new Map(), next: [], requests: [], region: 'eu-central-1' },
    ...{ pageSize: 1000, cut: null },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return bucket;
}
