import { hash } from 'node:crypto';
import { errorRegistry, type Problem } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { isUuid } from '../../platform/ids.ts';
import { maximumFindings } from '../input/validation.ts';

export const problemMediaType = 'application/problem+json';

const defaultRetrySeconds: Partial<Record<AppError['code'], number>> = {
  rate_limited: 1,
  quota_exceeded: 86_400,
  unavailable: 1,
  overloaded: 1,
  not_configured: 60,
};

/** Returns the seconds for `Retry-After`. Every 429 and 503 has one (docs/design/api-access.md 1). */
export function retryAfterOf(error: AppError): number | null {
  if (error.status !== 429 && error.status !== 503) return null;
  return error.retryAfterSeconds ?? defaultRetrySeconds[error.code] ?? 1;
}

/**
 * Returns the body of an error answer (RFC 9457, docs/design/api-access.md 2). `recommendationId`: for a failed
 * recommend.
 */
export function problemOf(error: AppError, requestId: string, recommendationId: string | null = null): Problem {
  const { title, status } = errorRegistry[error.code];
  const retryAfterSeconds = retryAfterOf(error);
  return {
    ...error.members,
    type: `urn:arbiter:error:${error.code}`,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    code: error.code,
    requestId,
    error: error.detail ?? title,
    errors: error.errors.slice(0, maximumFindings).map((entry) => ({ ...entry })),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(recommendationId === null ? {} : { recommendationId }),
  };
}

/**
 * Returns the `recommendationId` of a failed recommend: the request's id, converted to a UUID when the caller sent
 * another form. Not random, so that two refusals that must look alike have the same answer (docs/design/quality.md T1).
 */
export function attemptId(requestId: string): string {
  const sent = requestId.toLowerCase();
  if (isUuid(sent)) return sent;
  const digits = hash('sha256', requestId, 'hex');
  // UUID version 8 of RFC 9562, for custom formats.
  return [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`]
    .concat(digits.slice(20, 32))
    .join('-');
}

/** Turns an unknown error into an opaque 500. Its details stay in the log under the request id (T36). */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown });
}
