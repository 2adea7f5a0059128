import type { RateLimitStore } from '../../../http/limits/rate-limit.ts';
import type { NotifierDeps } from './notifier.ts';

/** How soon a message comes again when mails cannot be counted. */
const uncountedSeconds = 5;

/**
 * Bounds the addresses to which the destinations of one tenant mail in a minute, over all processes; 0: no bound. A message to
 * several addresses goes to all of them or waits. While nobody can count, nothing is sent.
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
