import type { RateLimitStore } from '../../../http/limits/rate-limit.ts';
import type { NotifierDeps } from './notifier.ts';

/** When to retry a message while counting isn't possible. */
const uncountedSeconds = 5;

/**
 * Limits the addresses that one tenant's destinations email per minute, over all processes; 0: no limit. A message to
 * several addresses goes to all of them or waits. While counting isn't possible, nothing is sent.
 */
export function createMailCounter(
  limits: RateLimitStore,
  perMinute: number,
  onError: (error: unknown) => void,
): NonNullable<NotifierDeps['countMails']> {
  return async (tenantId, addresses) => {
    if (perMinute === 0) return null;
    const bucket = { tenantId, name: `ops-mail:${perMinute}/60`, limit: perMinute, windowSeconds: 60 };
    try {
      const { allowed, resetSeconds } = await limits.take(bucket, addresses);
      return allowed ? null : resetSeconds;
    } catch (error) {
      onError(error);
      return uncountedSeconds;
    }
  };
}
