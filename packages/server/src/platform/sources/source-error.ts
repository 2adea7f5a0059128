import type { ConnectorReason } from '@arbiter/contract';
import { OutboundError } from '../outbound/outbound-error.ts';

/** A source that can't be reached or read. Never has the source's own text (docs/design/quality.md T8). */
export class SourceError extends Error {
  readonly reason: Exclude<ConnectorReason, 'ok'>;
  /** Line of a file, from 1. */
  readonly line: number | undefined;
  /** Package of a driver that isn't installed. */
  readonly driver: string | undefined;

  constructor(
    reason: Exclude<ConnectorReason, 'ok'>,
    { line, driver, cause }: { readonly line?: number; readonly driver?: string; readonly cause?: unknown } = {},
  ) {
    super(`source: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'SourceError';
    this.reason = reason;
    this.line = line;
    this.driver = driver;
  }
}

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|ERR_OSSL)/;
const refusedCodes = /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_SOCKET)$/;

/** The code of the innermost cause that has one. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Of a host with several addresses, each of which failed.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const code: unknown = Reflect.get(error, 'code');
  return codeOf(cause) || (typeof code === 'string' ? code : '');
}

/** Returns the reason of a failed connection. */
function connectionReason(error: unknown): SourceError['reason'] {
  if (error instanceof OutboundError && error.reason !== 'failed') {
    if (error.reason === 'unresolved') return 'dns_failed';
    if (error.reason === 'timeout') return 'connect_timeout';
    return error.reason === 'too_large' ? 'unexpected_response' : 'blocked_address';
  }
  const code = codeOf(error);
  if (tlsCodes.test(code)) return 'tls_failed';
  if (refusedCodes.test(code)) return 'connection_refused';
  return /TIMEOUT|TIMEDOUT/.test(code) ? 'connect_timeout' : 'unexpected_response';
}

/** Returns any failure as a SourceError. `reasonOf`: what the driver's own errors mean. */
export function asSourceError(
  error: unknown,
  reasonOf: (error: unknown) => SourceError['reason'] | null = () => null,
): SourceError {
  if (error instanceof SourceError) return error;
  return new SourceError(reasonOf(error) ?? connectionReason(error), { cause: error });
}

/** Returns what a status of an HTTP answer means; null: success, or a redirect. */
export function statusReason(status: number): SourceError['reason'] | null {
  if (status < 400) return null;
  if (status === 401) return 'auth_failed';
  if (status === 403) return 'permission_denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  return 'unexpected_response';
}
