import { lookup as resolveName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { AppError } from '../app-error.ts';
import { mayReach, parseNetworks } from './outbound-addresses.ts';
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
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
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

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Why a call wasn't made or didn't finish. Never contains the other side's text (docs/design/quality.md T8). */
export type OutboundFailure =
  | 'forbidden_url'
  | 'forbidden_port'
  | 'forbidden_address'
  | 'unresolved'
  | 'timeout'
  | 'too_large'
  | 'failed';

/** An outbound call without an answer. */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, cause?: unknown) {
    super(`outbound call: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
    this.reason = reason;
  }
}

/** HTTP to addresses that a tenant chose. */
export interface Outbound {
  /**
   * Makes one request, without following redirects. Judges the port, resolves the name once, judges every address, and
   * connects to a judged one. Throws OutboundError.
   */
  call(url: string, options?: OutboundCall): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

/**
 * Per destination. A call that waits for a connection spends its own time, so a destination that answers in time would
 * look slow to those behind: hundreds of decisions may call a webhook at once.
 */
const mostConnections = 256;
const defaultTimeoutMs = 5_000;
const defaultMaxBytes = 64 * 1024;

export function createOutbound(options: OutboundOptions = {}): Outbound {
  const allowed = parseNetworks(options.allowNetworks ?? []);
  const resolve = options.resolve ?? resolveAll;
  const agent = new Agent({
    connect: { lookup: guardedLookup(resolve, (address) => mayReach(address, allowed)) },
    connections: mostConnections,
    pipelining: 1,
  });
  return {
    async call(url, call = {}) {
      const target = readUrl(url, options.allowHttp ?? false);
      if (!isPortOpen(target, call.anyPort ?? false)) throw new OutboundError('forbidden_port');
      const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
      // The agent asks for no name when the host is an address already.
      if (isIP(literal) !== 0 && !mayReach(literal, allowed)) throw new OutboundError('forbidden_address');
      for (const [name, value] of Object.entries(call.headers ?? {})) {
        if (forbiddenHeaders.test(name) || /[\r\n\0]/.test(value)) {
          throw new AppError('validation_failed', { detail: `header ${name} can't be sent` });
        }
      }
      const signal = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
      try {
        const answer = await request(target, {
          dispatcher: agent,
          method: call.method ?? 'GET',
          headers: { ...call.headers, 'accept-encoding': 'identity' },
          body: call.body ?? null,
          signal,
          headersTimeout: call.timeoutMs ?? defaultTimeoutMs,
          bodyTimeout: call.timeoutMs ?? defaultTimeoutMs,
        });
        const body = await readUpTo(answer.body, call.maxBytes ?? defaultMaxBytes);
        return { status: answer.statusCode, headers: singleHeaders(answer.headers), body };
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    close: () => agent.close(),
  };
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

async function resolveAll(name: string): Promise<readonly string[]> {
  return (await resolveName(name, { all: true, verbatim: true })).map(({ address }) => address);
}

/** A `lookup` for the socket: one forbidden address among those of the name forbids the name. */
function guardedLookup(
  resolve: (name: string) => Promise<readonly string[]>,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (name, lookupOptions, callback) => {
    resolve(name).then(
      (addresses) => {
        const first = addresses[0];
        if (first === undefined) return callback(new OutboundError('unresolved'), '', 0);
        if (!addresses.every(isAllowed)) return callback(new OutboundError('forbidden_address'), '', 0);
        if (lookupOptions.all === true) {
          return callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        }
        callback(null, first, isIP(first));
      },
      (error: unknown) => callback(new OutboundError('unresolved', error), '', 0),
    );
  };
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

function failureOf(error: unknown, signal: AbortSignal): OutboundError {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof OutboundError) return each;
  }
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
  const isLate = signal.aborted || (typeof code === 'string' && /TIMEOUT|TIMEDOUT/.test(code));
  return new OutboundError(isLate ? 'timeout' : 'failed', error);
}
