import type { IncomingMessage } from 'node:http';
import { AppError } from '../../platform/app-error.ts';
import type { BodyForm } from './body-kinds.ts';

/** Default limits in bytes (docs/design/api-access.md 1). */
export const bodyLimits = { withCredential: 1024 * 1024, withoutCredential: 64 * 1024 } as const;

/** Throws 415 or 413 for a body that must not be read: of another type, or announced as larger than `limit` bytes. */
export function refuseBody(request: IncomingMessage, limit: number, form: BodyForm): void {
  if (!hasBody(request)) return;
  checkContentType(request, form);
  refuseLength(request, limit);
}

/** Throws 413 for a body announced as larger than `limit` bytes. */
export function refuseLength(request: IncomingMessage, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/**
 * Returns the bytes of a body, empty when there is none. Call it one microtask turn after the request came: by then the
 * parser has read everything that came with the head, so a small body is complete and can be taken at once, without the
 * cost of stream listeners. Throws, or rejects with, 413, or `malformed_request` when the body breaks off.
 */
export function takeBody(request: IncomingMessage, limit: number): Buffer | Promise<Buffer> {
  if (!hasBody(request)) return nothing;
  if (!request.complete) return gatherBody(request, limit);
  const body: unknown = request.read();
  if (body instanceof Buffer) {
    if (body.length > limit) throw tooLarge(limit);
    return body;
  }
  // The caller disconnected in the middle of the body, which isn't the same as an empty body.
  if (request.destroyed) throw cutShort();
  return nothing;
}

const nothing = Buffer.alloc(0);

/** Returns true when the request announces a body (RFC 9112 section 6.3). */
function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** Throws 415 unless the body has an accepted type and isn't compressed (docs/design/api-access.md 1). */
function checkContentType(request: IncomingMessage, form: BodyForm): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!form.accepts(type)) throw new AppError('unsupported_media_type', { detail: form.wanted });
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', { detail: 'Bodies with a Content-Encoding are not supported.' });
  }
}

/** Reads a body that's partly in transit. Rejects with 413 as soon as it's too long. */
function gatherBody(request: IncomingMessage, limit: number): Promise<Buffer> {
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
    request.on('end', () => resolve(chunks === undefined ? (first ?? nothing) : Buffer.concat(chunks, length)));
    // Also fires when a caller leaves, and after every end, when it changes nothing.
    request.on('close', () => {
      if (!request.complete) reject(cutShort());
    });
    // The caller left while its credential was looked up, so no event will come.
    if (request.destroyed) reject(cutShort());
  });
}

/** Returns a 400 for a body that broke off. */
export function cutShort(): AppError {
  return new AppError('malformed_request', { detail: 'The body is shorter than its Content-Length.' });
}

/** Returns a 413; `limit` in bytes. */
export function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', { detail: `The body must be at most ${limit} bytes.` });
}
