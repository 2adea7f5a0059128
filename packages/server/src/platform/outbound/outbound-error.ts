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
