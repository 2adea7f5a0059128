import type { ErrorCode } from '@arbiter/contract/core/errors';
import type { Problem } from '@arbiter/contract/core/problem';
import { ApiError } from '@arbiter/sdk/caller';

/** Outcome of a failed call. */
export type Failure =
  /** Arbiter returned an error with a code of the registry. */
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** Something else responded: a proxy's page, another server. */
  | { readonly kind: 'foreign'; readonly status: number }
  /** No response: no network, or nothing listens. A write may or may not have taken effect. */
  | { readonly kind: 'unreachable' }
  /** Timeout. A write may or may not have taken effect. */
  | { readonly kind: 'timeout' }
  /** The caller aborted it. */
  | { readonly kind: 'abandoned' }
  /** A bug in the console. */
  | { readonly kind: 'defect'; readonly text: string };

/** Classifies what `send` threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, problem } = error;
    // Gateways use the same media type for errors. Anything that isn't in our format didn't come from Arbiter.
    const isOurs = problem !== null && typeof problem.code === 'string' && Array.isArray(problem.errors);
    return isOurs ? { kind: 'refused', status, problem } : { kind: 'foreign', status };
  }
  if (error instanceof Error && error.name === 'TimeoutError') return { kind: 'timeout' };
  if (error instanceof Error && error.name === 'AbortError') return { kind: 'abandoned' };
  // `fetch` throws a TypeError for every network failure, with different messages per browser. So does reading a property of
  // undefined, but those messages are known.
  if (error instanceof TypeError && !/is not|undefined|null|params\./i.test(error.message))
    return { kind: 'unreachable' };
  return { kind: 'defect', text: error instanceof Error ? error.message : String(error) };
}

/** Returns the error code; null for other failures. */
export function codeOf(failure: Failure | null): ErrorCode | null {
  return failure?.kind === 'refused' ? failure.problem.code : null;
}

/** Whether the same call may succeed later without changes. */
export function passes(failure: Failure): boolean {
  if (failure.kind === 'unreachable' || failure.kind === 'timeout') return true;
  if (failure.kind === 'foreign') return failure.status >= 502 && failure.status <= 504;
  return (
    failure.kind === 'refused' && (failure.problem.code === 'unavailable' || failure.problem.code === 'overloaded')
  );
}

/** Whether the session has ended: a 401 that isn't about a wrong password. */
export function endsSession(failure: Failure): boolean {
  return codeOf(failure) === 'unauthorized';
}
