import { AppError } from '../../../platform/app-error.ts';
import { SourceError } from '../../../platform/sources/source-error.ts';

/** Why a run failed. */
export interface RunError {
  readonly code: string;
  readonly message: string;
}

/** The source was read only in part. `isPassing`: another attempt may work. */
export class SourceFailed extends Error {
  readonly error: RunError;
  readonly isPassing: boolean;
  constructor(error: RunError, isPassing: boolean, cause: unknown) {
    super(`the source failed: ${error.code}`, { cause });
    this.error = error;
    this.isPassing = isPassing;
  }
}

/** Reasons of connectors (docs/design/api-catalogue.md 14.2). Our own words: a remote's text may hold anything. */
const reasons: Readonly<Record<string, string>> = {
  missing_config: 'The connector lacks required settings. Test it to see which.',
  coming_soon: "This connector type isn't available yet.",
  driver_missing: "The driver of this type isn't installed on the server.",
  blocked_address: 'The address of the source is not allowed.',
  dns_failed: 'The host of the source was not found.',
  connect_timeout: 'The source did not answer in time.',
  connection_refused: 'The source refused the connection.',
  tls_failed: 'The source could not be reached securely.',
  auth_failed: 'The source rejected the credentials.',
  permission_denied: 'The credentials lack the permission to read the source.',
  not_found: 'The source has no such table, file or resource.',
  rate_limited: 'The source limits requests. Run the pipeline less often.',
  unexpected_response: 'The source answered in an unexpected way.',
  parse_failed: 'The source has rows that can not be read.',
  circuit_open: 'The source failed several times in a row. Test the connector.',
};
const passing: ReadonlySet<string> = new Set([
  ...['dns_failed', 'connect_timeout', 'connection_refused', 'rate_limited', 'circuit_open'],
]);

/** Returns the reason of a reader's error; null if it states none. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('reason' in error) || typeof error.reason !== 'string') return null;
  return Object.hasOwn(reasons, error.reason) ? error.reason : null;
}

/** Turns an error of a reader into what the run shows. Errors of our own database pass through. */
export function sourceFailure(cause: unknown): unknown {
  if (cause instanceof AppError || cause instanceof SourceFailed) return cause;
  const reason = reasonOf(cause);
  if (reason === null) {
    return new SourceFailed({ code: 'source_failed', message: 'The source failed while it was read.' }, true, cause);
  }
  const driver = cause instanceof SourceError ? cause.driver : undefined;
  const message = `${reasons[reason] ?? ''}${driver === undefined ? '' : ` Ask the operator to install ${driver}.`}`;
  return new SourceFailed({ code: reason, message }, passing.has(reason), cause);
}
