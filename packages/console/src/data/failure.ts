import type { ErrorCode } from '@arbiter/contract/core/errors';
import type { Problem } from '@arbiter/contract/core/problem';
import { ApiError } from '@arbiter/sdk/caller';

/** What became of a call that did not succeed. */
export type Failure =
  /** Arbiter refused or could not: it says why, by a code of the registry. */
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** Something between here and Arbiter answered in its place: a proxy's page, another server. */
  | { readonly kind: 'foreign'; readonly status: number }
  /** No answer: no network, or nothing listens there. Whether a write took effect is not known. */
  | { readonly kind: 'unreachable' }
  /** No answer in time. Whether a write took effect is not known. */
  | { readonly kind: 'timeout' }
  /** Nobody waits for it any more. */
  | { readonly kind: 'abandoned' }
  /** A mistake of the console's own. */
  | { readonly kind: 'defect'; readonly text: string };

/** Tells the failures of a call apart by what `send` threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, problem } = error;
    // Gateways have problems of their own, in the same media type: what is not of our form did not come from Arbiter.
    const isOurs = problem !== null && typeof problem.code === 'string' && Array.isArray(problem.errors);
    return isOurs ? { kind: 'refused', status, problem } : { kind: 'foreign', status };
  }
  if (error instanceof Error && error.name === 'TimeoutError') return { kind: 'timeout' };
  if (error instanceof Error && error.name === 'AbortError') return { kind: 'abandoned' };
  // `fetch` throws a TypeError for every failure of the network, and its words differ from browser to browser. So does a
  // program that reads a property of nothing, but its words are known.
  if (error instanceof TypeError && !/is not|undefined|null|params\./i.test(error.message))
    return { kind: 'unreachable' };
  return { kind: 'defect', text: error instanceof Error ? error.message : String(error) };
}

/** The code of a refusal; null for every other failure. */
export function codeOf(failure: Failure | null): ErrorCode | null {
  return failure?.kind === 'refused' ? failure.problem.code : null;
}

/** True when the same call may succeed later although nothing is changed about it. */
export function passes(failure: Failure): boolean {
  if (failure.kind === 'unreachable' || failure.kind === 'timeout') return true;
  if (failure.kind === 'foreign') return failure.status >= 502 && failure.status <= 504;
  return (
    failure.kind === 'refused' && (failure.problem.code === 'unavailable' || failure.problem.code === 'overloaded')
  );
}

/** True when the session has ended or was ended: a 401 that is not about a password just typed. */
export function endsSession(failure: Failure): boolean {
  return codeOf(failure) === 'unauthorized';
}
