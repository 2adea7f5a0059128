import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Outbound, OutboundAnswer, OutboundCall } from '../outbound/outbound.ts';
import { asSourceError, SourceError, statusReason } from './source-error.ts';

/** An answer of an API. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface HttpRequest extends Pick<OutboundCall, 'method' | 'headers' | 'body'> {
  readonly url: string;
  readonly signal: AbortSignal;
}

const maxTries = 4;
const maxBytes = 32 * 1024 * 1024;
const maxPlainBytes = 128 * 1024 * 1024;
const timeoutMs = 30_000;
const firstPauseMs = 500;
const longestPauseMs = 60_000;

function pauseOf(headers: Readonly<Record<string, string>>, attempt: number): number {
  const seconds = Number(headers['retry-after']);
  const wanted = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : firstPauseMs * 2 ** attempt;
  return Math.min(wanted, longestPauseMs);
}

interface RequestOptions {
  readonly tries?: number;
}

/**
 * Requests JSON. Tries 429 and 5xx three more times, after `Retry-After` (docs/design/api-catalogue.md 14.3). Redirects
 * are failures. Throws SourceError.
 */
export async function requestJson(
  outbound: Outbound,
  request: HttpRequest,
  options: RequestOptions = {},
): Promise<HttpAnswer> {
  const { status, headers, body } = await requestBytes(outbound, request, options);
  return { status, headers, body: status === 204 ? null : parseJson(body) };
}

/** Like `requestJson`, for text in UTF-8. */
export async function requestText(
  outbound: Outbound,
  request: HttpRequest,
  options: RequestOptions = {},
): Promise<string> {
  return decode((await requestBytes(outbound, request, options)).body);
}

async function requestBytes(
  outbound: Outbound,
  { url, signal, ...call }: HttpRequest,
  { tries = maxTries }: RequestOptions,
): Promise<OutboundAnswer> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const answer = await outbound.call(url, { ...call, timeoutMs, maxBytes: maxBytes }).catch((error: unknown) => {
      throw asSourceError(error);
    });
    const { status, headers } = answer;
    const reason = status >= 300 && status < 400 ? 'unexpected_response' : statusReason(status);
    if (reason === null) return { ...answer, body: plainBody(answer) };
    if (attempt === tries || (status !== 429 && status < 500)) throw new SourceError(reason, { cause: status });
    await sleep(pauseOf(headers, attempt), null, { signal });
  }
}

/** Some servers compress whatever they're asked for. */
function plainBody({ headers, body }: OutboundAnswer): Buffer {
  if (headers['content-encoding'] !== 'gzip') return body;
  try {
    return gunzipSync(body, { maxOutputLength: maxPlainBytes });
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new SourceError('parse_failed', { cause });
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(decode(body));
  } catch (cause) {
    throw new SourceError('parse_failed', { cause });
  }
}

/** HEAD, or GET where that isn't supported. Redirects count as success and aren't followed. Throws SourceError. */
export async function probeHttp(
  outbound: Outbound,
  url: string,
  { headers, timeoutMs: limitMs }: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<void> {
  const statusOf = (method: 'HEAD' | 'GET') =>
    outbound.open(url, { method, headers, timeoutMs: limitMs, signal: AbortSignal.timeout(limitMs) }).then(
      async ({ status, body }) => {
        for await (const _part of body) break;
        return status;
      },
      (error: unknown) => {
        throw asSourceError(error);
      },
    );
  const first = await statusOf('HEAD');
  const reason = statusReason(first === 405 || first === 501 ? await statusOf('GET') : first);
  if (reason !== null) throw new SourceError(reason);
}
