import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/time/clock.ts';
import type { AuthFailure, HttpMetrics } from '../metrics.ts';
import { networkOf } from './caller-network.ts';
import { WrongCredential } from './credentials.ts';
import { createWrongCredentials } from './wrong-credentials.ts';

/** Counts refused credentials, in the metrics and per address. */
export interface AuthFailures {
  /** Counts the failure and returns it. */
  count(kind: AuthFailure, error: AppError): AppError;
  /** Counts what identifying the caller threw. Returns what the caller gets: the error, or 429 `rate_limited`. */
  countThrown(thrown: unknown, request: FastifyRequest): unknown;
  /**
   * Call it before a credential is looked up in the database. Past an address's limit, keys that this process knows
   * still pass; only a few others are looked up, and the rest get 429 `rate_limited`.
   */
  checkLookUp(request: FastifyRequest): void;
}

export function createAuthFailures(clock: Clock, metrics: HttpMetrics): AuthFailures {
  const wrongCredentials = createWrongCredentials(clock);

  function count(kind: AuthFailure, error: AppError): AppError {
    metrics.authFailed(kind);
    return error;
  }

  return {
    count,
    countThrown(thrown, request) {
      if (!(thrown instanceof WrongCredential)) {
        return thrown instanceof AppError && thrown.code === 'unauthorized' ? count('conflicting', thrown) : thrown;
      }
      const retryAfterSeconds = wrongCredentials.count(networkOf(request.ip));
      return count('wrong', retryAfterSeconds === null ? thrown : tooMany(retryAfterSeconds));
    },
    checkLookUp(request) {
      const retryAfterSeconds = wrongCredentials.takeLookUp(networkOf(request.ip));
      if (retryAfterSeconds !== null) throw count('wrong', tooMany(retryAfterSeconds));
    },
  };
}

function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', {
    detail: 'Too many invalid credentials. Try again later.',
    retryAfterSeconds,
  });
}
