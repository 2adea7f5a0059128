import type { IncomingMessage } from 'node:http';
import { AppError } from '../platform/app-error.ts';

/** Default limits in bytes (api-access.md 1). */
export const bodyLimits = { withCredential: 1024 * 1024, withoutCredential: 64 * 1024 } as const;

/** True when the request announces a body (RFC 9112 section 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** 415 unless the body is JSON in UTF-8, not compressed (api-access.md 1). */
export function checkContentType(request: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (type !== 'application/json' && !isJsonType(type)) {
    throw new AppError('unsupported_media_type', { detail: 'The body must be sent as application/json in UTF-8.' });
  }
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', { detail: 'A body with a Content-Encoding is not taken.' });
  }
}

function isJsonType(header: string | undefined): boolean {
  if (header === undefined) return false;
  const [type, ...parameters] = header.split(';');
  if (type!.trim().toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name!.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test((value ?? '').trim());
  });
}

/** The whole body, at most `limit` bytes; more is 413, told before anything is read when the length is announced. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        request.off('data', onData);
        request.pause();
        reject(tooLarge(limit));
      } else if (first === undefined) first = chunk;
      else if (chunks === undefined) chunks = [first, chunk];
      else chunks.push(chunk);
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks, length)));
    // Also comes when a caller leaves, and after every end, when it changes nothing any more.
    request.on('close', () => {
      if (!request.complete) {
        reject(new AppError('malformed_request', { detail: 'The body ended before its announced length.' }));
      }
    });
  });
}

function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', { detail: `The body is larger than ${limit} bytes.` });
}
