import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An S3-compatible store on a free port of this machine, with one bucket. */
export interface TestObjectStore {
  /** For EXPORT_S3_URL. */
  readonly url: string;
  /** By key. */
  readonly objects: Map<string, StoredObject>;
  /** Statuses of the next responses, instead of what they would be. */
  readonly next: number[];
  /** Methods and keys of all requests. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface StoredObject {
  readonly body: string;
  readonly bytes: Buffer;
  readonly type: string | undefined;
}

/** Credentials that the test stores know. */
export const testAccess = { accessKeyId: 'AKIATEST', secretAccessKey: 'se/cret+1' };
const [accessKeyId, secret, region, bucket] = ['AKIATEST', 'se/cret+1', 'eu-central-1', 'exports'];

/**
 * Starts a store that checks Signature V4 as AWS describes it, refuses bodies without a length, and answers with S3's
 * XML.
 */
export async function startTestObjectStore(): Promise<TestObjectStore> {
  const objects = new Map<string, StoredObject>();
  const next: number[] = [];
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { pathname } = new URL(request.url ?? '/', 'http://store');
    const key = decodeURIComponent(pathname.slice(`/${bucket}/`.length));
    requests.push(`${request.method} ${key}`);
    const refuse = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${key}</Message></Error>`);
    const forced = next.shift();
    if (forced !== undefined) refuse(forced, forced === 403 ? 'AccessDenied' : 'SlowDown');
    else if (!isSigned(request, pathname, body)) refuse(403, 'SignatureDoesNotMatch');
    else if (!pathname.startsWith(`/${bucket}/`)) refuse(404, 'NoSuchBucket');
    else if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) refuse(411, 'MissingContentLength');
      else {
        objects.set(key, { body: body.toString(), bytes: body, type: request.headers['content-type'] });
        response.writeHead(200).end();
      }
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      const found = objects.get(key);
      if (found === undefined) refuse(404, 'NoSuchKey');
      else {
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
        const bytes = from === undefined ? found.bytes : found.bytes.subarray(Number(from), Number(to) + 1);
        response.writeHead(from === undefined ? 200 : 206, { 'content-length': bytes.length });
        response.end(request.method === 'HEAD' ? undefined : bytes);
      }
    } else {
      objects.delete(key);
      response.writeHead(204).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `s3://${accessKeyId}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}?region=${region}&tls=off`,
    ...{ objects, next, requests },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** Checks the Authorization header against the request (AWS Signature Version 4). */
export function isSigned(request: IncomingMessage, path: string, body: Buffer, place = region): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, id, day, ofRegion, names = '', signature] = form.exec(request.headers.authorization ?? '') ?? [];
  const header = (name: string): string => String(request.headers[name] ?? '').trim();
  const hash = header('x-amz-content-sha256');
  const isBody = hash === 'UNSIGNED-PAYLOAD' || hash === createHash('sha256').update(body).digest('hex');
  const instant = header('x-amz-date');
  if (id !== accessKeyId || ofRegion !== place || !isBody || day !== instant.slice(0, 8)) return false;
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.split(';').includes(name))) return false;
  const headers = names.split(';').map((name) => `${name}:${header(name)}\n`);
  const strict = (part: string) =>
    encodeURIComponent(decodeURIComponent(part)).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const { searchParams } = new URL(request.url ?? '/', 'http://store');
  const query = [...searchParams].map(
    ([name, value]) => `${strict(encodeURIComponent(name))}=${strict(encodeURIComponent(value))}`,
  );
  const canonical = [
    ...[request.method, path.split('/').map(strict).join('/'), query.sort().join('&'), headers.join(''), names, hash],
  ].join('\n');
  const scope = `${day}/${place}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', instant, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = [day, place, 's3', 'aws4_request'].reduce<string | Buffer>(
    (made, part) => mac(made, part ?? ''),
    `AWS4${secret}`,
  );
  return mac(key, toSign).toString('hex') === signature;
}
