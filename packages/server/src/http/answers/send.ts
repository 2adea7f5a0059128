import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { connectionLimits } from '../connections.ts';
import { type Answer, jsonHeaders, type WholeAnswer } from './answer.ts';
import { isChunks, writeChunks } from './streamed-answer.ts';

/** Headers of an answer besides its own. */
export type ExtraHeaders = Record<string, string>;

/** Headers and cookies of a response. */
export interface AnswerHeaders {
  readonly requestId: string;
  /** Null in the common case. */
  readonly extra: ExtraHeaders | null;
}

/**
 * Sends an answer past Fastify's own sending, which would parse and measure again what we already know. Head and body
 * go out as two parts of one system call; joined first, they'd be copied into a new string.
 */
export function sendAnswer(reply: FastifyReply, answer: WholeAnswer, envelope: AnswerHeaders): void {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return;
  const { body } = answer;
  const bytes = bytesOf(body);
  raw.writeHead(answer.status, headersOf(answer, bytes, envelope));
  if (body === null || raw.req.method === 'HEAD') {
    raw.end();
    return;
  }
  raw.cork();
  raw.flushHeaders();
  // As many bytes as characters means all ASCII, which Node writes faster under this name. `end` uncorks.
  if (typeof body === 'string' && bytes === body.length) raw.end(body, 'latin1');
  else raw.end(body);
}

/**
 * Sends an answer whose bytes are produced while it's sent. Resolves when all are out. Rejects when its source fails:
 * the client sees the connection break, because the status is already sent.
 */
export async function sendChunks(reply: FastifyReply, answer: Answer, envelope: AnswerHeaders): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed || !isChunks(answer.body)) return;
  raw.writeHead(answer.status, headersOf(answer, null, envelope));
  if (raw.req.method === 'HEAD') raw.end();
  else await writeChunks(raw, answer.body, connectionLimits.writeDeadlineMs);
}

/**
 * Returns both cookies. If they have the same name, the answer's own wins: signing in as someone else must not keep
 * the earlier session.
 */
function cookiesOf(renewed: string, given: string): string | string[] {
  const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf('='));
  return nameOf(renewed) === nameOf(given) ? given : [renewed, given];
}

function bytesOf(body: WholeAnswer['body']): number {
  if (body === null) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

function headersOf(answer: Answer, bytes: number | null, { requestId, extra }: AnswerHeaders): OutgoingHttpHeaders {
  // One object of one shape for nearly every answer.
  if (answer.headers === jsonHeaders && extra === null && bytes !== null) {
    return {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      'content-type': jsonHeaders['content-type'],
      'content-length': bytes,
    };
  }
  const headers: OutgoingHttpHeaders = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  for (const name in extra) headers[name] = extra[name]!;
  for (const name in answer.headers) headers[name] = answer.headers[name]!;
  const renewed = extra?.['set-cookie'];
  const given = answer.headers['set-cookie'];
  if (renewed !== undefined && given !== undefined) headers['set-cookie'] = cookiesOf(renewed, given);
  if (answer.status !== 204 && answer.status !== 304 && bytes !== null) headers['content-length'] = bytes;
  return headers;
}

const lingerMs = 1_000;
const lingerBytes = 4 * 1024 * 1024;

/**
 * Sends a 413 and closes. The connection stays open until the caller has stopped sending, for a moment and a few bytes
 * at most: if we closed at once, the caller's unread bytes would make the kernel reset the connection and the answer
 * would be lost (RFC 9112 section 9.6).
 */
export function sendAndLinger(reply: FastifyReply, answer: WholeAnswer, envelope: AnswerHeaders): void {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return;
  raw.writeHead(answer.status, { ...headersOf(answer, bytesOf(answer.body), envelope), connection: 'close' });
  raw.write(answer.body ?? '');
  linger(raw);
}

function linger(response: ServerResponse): void {
  const { req: request } = response;
  if (request.complete) {
    response.end();
    return;
  }
  let seen = 0;
  const timer = setTimeout(done, lingerMs);
  function done(): void {
    clearTimeout(timer);
    request.off('data', onData).off('end', done).off('close', done).off('error', done);
    response.end();
    request.destroy();
  }
  function onData(chunk: Buffer): void {
    seen += chunk.length;
    if (seen > lingerBytes) done();
  }
  request.on('data', onData).on('end', done).on('close', done).on('error', done);
  request.resume();
}
