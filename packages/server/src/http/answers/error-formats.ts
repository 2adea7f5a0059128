import { type CronError, type ErrorFormat, type OAuthError, type ScimError, scimErrorSchema } from '@arbiter/contract';
import type { AppError } from '../../platform/app-error.ts';
import type { WholeAnswer } from './answer.ts';
import { errorPage, pageHeaders } from './form-page.ts';
import { problemMediaType, problemOf, retryAfterOf } from './problem.ts';

/** One way to write an error answer. */
interface Format {
  readonly mediaType: string;
  /** Returns a text to send unchanged, or anything else to send as JSON. */
  readonly body: (error: AppError, requestId: string, recommendationId: string | null) => object | string;
  /** Scheme in the challenge of a 401 (RFC 9110 section 11.6.1). */
  readonly challenge: string;
}

const formats: Readonly<Record<ErrorFormat, Format>> = {
  problem: { mediaType: problemMediaType, body: problemOf, challenge: 'Bearer' },
  oauth: { mediaType: 'application/json', body: oauthError, challenge: 'Basic realm="arbiter"' },
  scim: { mediaType: 'application/scim+json', body: scimError, challenge: 'Bearer' },
  cron: { mediaType: 'application/json', body: cronError, challenge: 'Bearer' },
  page: { mediaType: 'text/html; charset=utf-8', body: errorPage, challenge: 'Bearer' },
};

/** Returns an error's answer in the operation's format. `recommendationId`: for a failed recommend. */
export function errorAnswer(
  error: AppError,
  requestId: string,
  format: ErrorFormat,
  recommendationId: string | null = null,
): WholeAnswer {
  const { mediaType, body, challenge } = formats[format];
  const retryAfter = retryAfterOf(error);
  const payload = body(error, requestId, recommendationId);
  return {
    status: error.status,
    headers: {
      'content-type': mediaType,
      ...(format === 'page' ? pageHeaders : {}),
      ...error.headers,
      ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
      ...(error.status === 401 ? { 'www-authenticate': error.headers?.['www-authenticate'] ?? challenge } : {}),
    },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  };
}

const textOf = (error: AppError): string => error.detail ?? error.message;

/** RFC 6749 section 5.2. `formatCode` is the standard's own word where the registry's code is too coarse. */
function oauthError(error: AppError): OAuthError {
  return { error: error.formatCode ?? oauthCodeOf(error), error_description: textOf(error) };
}

function oauthCodeOf({ status }: AppError): string {
  if (status === 429) return 'rate_limit_exceeded';
  if (status === 401) return 'invalid_client';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** RFC 7644 section 3.12. */
function scimError(error: AppError): ScimError {
  const scimType = error.formatCode ?? scimTypes[error.code];
  return {
    schemas: [scimErrorSchema],
    status: String(error.status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: textOf(error),
  };
}

/** RFC 7644 section 3.12 words for errors found before a handler runs. */
const scimTypes: Partial<Record<AppError['code'], string>> = {
  malformed_json: 'invalidSyntax',
  malformed_request: 'invalidSyntax',
  validation_failed: 'invalidValue',
};

function cronError(error: AppError, requestId: string): CronError {
  return error.status < 500 ? { error: error.code } : { ...error.members, error: error.code, requestId };
}
