import type { IncomingMessage } from 'node:http';
import type { WholeAnswer } from '../answers/answer.ts';
import type { ExtraHeaders } from '../answers/send.ts';

const exposed =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotent-Replay, X-Decision-Quota-Remaining, ' +
  'X-Unknown-Properties, Preference-Applied, ETag';
const allowedHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-API-Key, X-Confirm-Delete, X-Request-Id, ' +
  'X-Requested-With, X-Tenant-Id, X-User-Role';
const preflightSeconds = 600;

/** The part of a Node or Fastify request that CORS needs. */
type PreflightRequest = Pick<IncomingMessage, 'headers' | 'method'>;

export interface Cors {
  /** Returns the CORS headers of an answer as a new object; null while the list is empty. */
  headersFor(request: PreflightRequest): ExtraHeaders | null;
  /** Returns the answer to a preflight; null when the request isn't a preflight for this server. */
  preflight(request: PreflightRequest, methods: readonly string[]): WholeAnswer | null;
}

/** Creates CORS for exact origins, with credentials. Without origins it does nothing (docs/design/api-access.md 1). */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  const originOf = (request: PreflightRequest): string | null => {
    const { origin } = request.headers;
    return typeof origin === 'string' && allowed.has(origin) ? origin : null;
  };
  return {
    headersFor(request) {
      if (allowed.size === 0) return null;
      const headers: ExtraHeaders = { vary: 'Origin' };
      const origin = originOf(request);
      if (origin === null) return headers;
      headers['access-control-allow-origin'] = origin;
      headers['access-control-allow-credentials'] = 'true';
      headers['access-control-expose-headers'] = exposed;
      return headers;
    },
    preflight(request, methods) {
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return null;
      if (originOf(request) === null) return null;
      return {
        status: 204,
        headers: {
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': allowedHeaders,
          'access-control-max-age': String(preflightSeconds),
        },
        body: null,
      };
    },
  };
}
