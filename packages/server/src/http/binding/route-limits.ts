import type { Operation, RateLimit } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { AppDependencies } from '../app-dependencies.ts';
import { limitsOf, takeLimits } from '../limits/limits.ts';
import type { RateLimitStore } from '../limits/rate-limit.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { Caller } from './caller.ts';
import { addHeaders, type RequestState } from './request-state.ts';

/** Counts a request against its limits. Rejects with 429 `rate_limited` when one is used up. */
export type CountRequest = (
  request: FastifyRequest,
  caller: Caller,
  state: RequestState,
  /** Once it's read. */
  body?: unknown,
) => Promise<void>;

/** The limits of one operation, by the point at which a request counts. */
export interface RouteLimits {
  /** Once the caller is known; null without such limits. */
  readonly onArrival: CountRequest | null;
  /** Once the input is valid (`countsValid`, `countsItems`); null without such limits. */
  readonly onValidInput: CountRequest | null;
  /** When the handler has found what it looked for (`countsFound`). */
  readonly onFound: CountRequest;
}

export function createRouteLimits(
  operation: Operation,
  config: AppDependencies['config'],
  store: RateLimitStore,
  metrics: HttpMetrics,
): RouteLimits {
  const countAgainst =
    (limits: readonly RateLimit[]): CountRequest =>
    (request, caller, state, body) => {
      const announce = (headers: Readonly<Record<string, string>>): void => addHeaders(state, headers);
      return takeLimits(operation, limits, { ...caller, ip: request.ip }, store, metrics, announce, body);
    };
  const all = limitsOf(operation, config);
  const needsInput = ({ countsValid, countsItems }: RateLimit): boolean =>
    countsValid === true || countsItems !== undefined;
  const ofFound = all.filter(({ countsFound }) => countsFound === true);
  const ofArrival = all.filter((limit) => !needsInput(limit) && limit.countsFound !== true);
  const ofValidInput = all.filter(needsInput);
  return {
    onArrival: ofArrival.length === 0 ? null : countAgainst(ofArrival),
    onValidInput: ofValidInput.length === 0 ? null : countAgainst(ofValidInput),
    onFound: countAgainst(ofFound),
  };
}
