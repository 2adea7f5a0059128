import { namesTenant, type Operation, type RateLimit } from '@arbiter/contract';
import { AppError, invalid } from '../../platform/app-error.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { Caller } from '../binding/caller.ts';
import type { HttpMetrics } from '../metrics.ts';
import { bucketOf, type RateLimitStore, type RateLimitVerdict } from './rate-limit.ts';

/** Retry-After when the store doesn't answer. Until then, limited routes answer 503 and all others work (T19). */
const storeDownRetrySeconds = 5;

/** Returns an operation's limits: its own, those the configuration sets for it, or the default per credential. */
export function limitsOf(
  operation: Operation,
  config: Pick<AppDependencies['config'], 'recommendRatePerMinute' | 'rateLimitDefaultPerMinute'>,
): readonly RateLimit[] {
  const own = [...(operation.rateLimits ?? [])];
  if (operation.rateLimitSetting !== undefined && config.recommendRatePerMinute > 0) {
    const limit = { limit: config.recommendRatePerMinute, windowSeconds: 60, per: 'tenant' } as const;
    const items = operation.rateLimitItems;
    own.push(items === undefined ? limit : { ...limit, bucket: items.bucket, countsItems: items.list });
  }
  if (own.length === 0 && namesTenant(operation.auth) && config.rateLimitDefaultPerMinute > 0) {
    own.push({ limit: config.rateLimitDefaultPerMinute, windowSeconds: 60, per: 'credential' });
  }
  return own;
}

/**
 * Takes a call from each limit, in order, or as many as the body has items. Announces the RateLimit headers of the tightest
 * one. Throws 429 `rate_limited`, also when the store is down; `announce` still gets the headers. Throws 400
 * `validation_failed` for more items than a limit allows in its whole window.
 */
export async function takeLimits(
  operation: Operation,
  limits: readonly RateLimit[],
  caller: Caller & { readonly ip: string },
  store: RateLimitStore,
  metrics: HttpMetrics,
  announce: (headers: Readonly<Record<string, string>>) => void,
  body: unknown,
): Promise<void> {
  let tightest: RateLimitVerdict | null = null;
  for (const limit of limits) {
    const calls = callsOf(limit, body);
    // Waiting wouldn't help: the call never fits into a window.
    if (calls > limit.limit && limit.countsItems !== undefined) throw tooManyItems(limit, limit.countsItems, calls);
    let verdict: RateLimitVerdict;
    try {
      verdict = await store.take(
        bucketOf(operation.id, limit, { ...caller, tenantId: caller.tenantId || null }),
        calls,
      );
    } catch (cause) {
      metrics.rateLimited(operation.path);
      const detail = "Rate limits can't be checked right now. Try again in a moment.";
      throw new AppError('rate_limited', { detail, retryAfterSeconds: storeDownRetrySeconds, cause });
    }
    if (tightest === null || verdict.remaining < tightest.remaining) tightest = verdict;
    if (!verdict.allowed) {
      announce(limitHeaders(verdict));
      metrics.rateLimited(operation.path);
      const weight = calls === 1 ? '' : ` This call counts as ${calls}.`;
      const detail = `At most ${limit.limit} calls in ${limit.windowSeconds} seconds.${weight}`;
      throw new AppError('rate_limited', { detail, retryAfterSeconds: verdict.resetSeconds });
    }
  }
  if (tightest !== null) announce(limitHeaders(tightest));
}

function tooManyItems({ limit, windowSeconds }: RateLimit, list: string, items: number): AppError {
  const rule = `each item counts as a call, and the limit is ${limit} calls in ${windowSeconds} seconds`;
  return invalid(`/${list}`, `must have at most ${limit} items, not ${items}: ${rule}`);
}

/** Returns how many calls a request counts as. */
function callsOf({ countsItems }: RateLimit, body: unknown): number {
  if (countsItems === undefined || typeof body !== 'object' || body === null) return 1;
  const items: unknown = Reflect.get(body, countsItems);
  return Array.isArray(items) ? Math.max(1, items.length) : 1;
}

/** The RateLimit headers of an answer. */
export function limitHeaders(verdict: RateLimitVerdict): Readonly<Record<string, string>> {
  return {
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  };
}
