import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { AppError } from '../app-error.ts';
import { lazyPackages } from '../packages/lazy-packages.ts';
import { mayReach, parseNetworks } from './outbound-addresses.ts';
import { OutboundError } from './outbound-error.ts';
import { guardedLookup, resolveAll } from './outbound-lookup.ts';
import { mayUsePort } from './outbound-ports.ts';
import { forbiddenHeaders } from './outbound-rules.ts';

export interface OutboundOptions {
  /** Private networks that may be reached (OUTBOUND_ALLOW_CIDRS). */
  readonly allowNetworks?: readonly string[];
  /** Allow http as well as https (OUTBOUND_HTTP_OK, for development). */
  readonly allowHttp?: boolean;
  /** Resolves all addresses of a name. Tests pass their own. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

export interface OutboundCall {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds for the whole call. Default 5,000. */
  readonly timeoutMs?: number;
  /** Maximum bytes of the answer to read. Default 64 KiB. */
  readonly maxBytes?: number;
  /**
   * Allow any port, not only the protocol's and those from 1024 on. For https only, whose greeting no other service
   * understands. For destinations and identity providers, whose owners choose their ports.
   */
  readonly anyPort?: boolean;
}

/** The head of an answer, and its body as it arrives. */
export interface OutboundStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** HTTP to addresses that a tenant chose. */
export interface Outbound {
  /**
   * Makes one request, without following redirects. Judges the port, resolves the name once, judges every address, and
   * connects to a judged one. Throws OutboundError.
   */
  call(url: string, options?: OutboundCall): Promise<OutboundAnswer>;
  /**
   * Like `call`, for answers of any size. `timeoutMs` is for the head, and for each pause in the body. Leaving the body's
   * loop ends the call. Throws OutboundError, and so does the body.
   */
  open(
    url: string,
    options?: Omit<OutboundCall, 'maxBytes'> & { readonly signal?: AbortSignal },
  ): Promise<OutboundStream>;
  close(): Promise<void>;
}

/**
 * Per destination. A call that waits for a connection spends its own time, so a destination that answers in time would
 * look slow to those behind: hundreds of decisions may call a webhook at once.
 */
const maxConnections = 256;
const defaultTimeoutMs = 5_000;
const defaultMaxBytes = 64 * 1024;

export function createOutbound(options: OutboundOptions = {}): Outbound {
  const allowed = parseNetworks(options.allowNetworks ?? []);
  const resolve = options.resolve ?? resolveAll;
  let agent: Agent | null = null;
  const createAgent = (): Agent =>
    new (lazyPackages.undici().Agent)({
      connect: { lookup: guardedLookup(resolve, (address) => mayReach(address, allowed)) },
      connections: maxConnections,
      pipelining: 1,
    });
  const targetOf = (url: string, call: OutboundCall): URL => {
    const target = readUrl(url, options.allowHttp ?? false);
    if (!isPortOpen(target, call.anyPort ?? false)) throw new OutboundError('forbidden_port');
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    // The agent asks for no name when the host is an address already.
    if (isIP(literal) !== 0 && !mayReach(literal, allowed)) throw new OutboundError('forbidden_address');
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (forbiddenHeaders.test(name) || /[\r\n\0]/.test(value)) {
        throw new AppError('validation_failed', { detail: `The header ${name} can't be sent.` });
      }
    }
    return target;
  };
  const send = (url: string, call: OutboundCall, signal: AbortSignal) => {
    const target = targetOf(url, call);
    agent ??= createAgent();
    return lazyPackages.undici().request(target, {
      dispatcher: agent,
      method: call.method ?? 'GET',
      headers: { ...call.headers, 'accept-encoding': 'identity' },
      body: call.body ?? null,
      signal,
      headersTimeout: call.timeoutMs ?? defaultTimeoutMs,
      bodyTimeout: call.timeoutMs ?? defaultTimeoutMs,
    });
  };
  return {
    async call(url, call = {}) {
      const signal = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
      try {
        const answer = await send(url, call, signal);
        const body = await readUpTo(answer.body, call.maxBytes ?? defaultMaxBytes);
        return { status: answer.statusCode, headers: singleHeaders(answer.headers), body };
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    async open(url, { signal = new AbortController().signal, ...call } = {}) {
      try {
        const answer = await send(url, call, signal);
        return {
          status: answer.statusCode,
          headers: singleHeaders(answer.headers),
          body: withFailures(answer.body, signal),
        };
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    close: async () => agent?.close(),
  };
}

async function* withFailures(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw failureOf(error, signal);
  }
}

function readUrl(text: string, allowHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') throw new OutboundError('forbidden_url');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) throw new OutboundError('forbidden_url');
  return url;
}

function isPortOpen(target: URL, anyPort: boolean): boolean {
  const isSecure = target.protocol === 'https:';
  // The URL leaves out the port that its protocol has anyway.
  if (target.port === '' || (anyPort && isSecure && target.port !== '0')) return true;
  return mayUsePort(isSecure ? 'https' : 'http', Number(target.port));
}

async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop destroys the stream.
  for await (const part of body) {
    size += part.byteLength;
    if (size > maxBytes) throw new OutboundError('too_large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function failureOf(error: unknown, signal: AbortSignal): Error {
  if (error instanceof AppError) return error;
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof OutboundError) return each;
  }
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
  const isLate = signal.aborted || (typeof code === 'string' && /TIMEOUT|TIMEDOUT/.test(code));
  return new OutboundError(isLate ? 'timeout' : 'failed', error);
}
