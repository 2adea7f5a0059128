import type { RateLimit } from '@arbiter/contract';
import type { Database } from '../db/index.ts';
import { sweepWindows, takeHit } from './rate-limit.store.ts';

/** One limit applied to one caller. */
export interface Bucket {
  /** Tenant that the window belongs to; null for callers without a credential. */
  readonly tenantId: string | null;
  /** Limit and caller, at most 200 characters: `<operation id>:<window>:<caller>`. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds, rounded up, until the oldest counted call leaves the window. */
  readonly resetSeconds: number;
}

/** Where windows are kept: PostgreSQL, shared by all processes; a Redis store would be another function of this form. */
export interface RateLimitStore {
  /** Counts one call when the window has room for it; a refused call is not counted. One atomic step. */
  take(bucket: Bucket): Promise<RateLimitVerdict>;
}

const nilTenant = '00000000-0000-0000-0000-000000000000';

const takesPerSweep = 100;
const maximumMemos = 10_000;

/** Windows in PostgreSQL. A store that does not answer within `timeoutMs` counts as down. */
export function createRateLimitStore(database: Pick<Database, 'withSystem'>, timeoutMs = 800): RateLimitStore {
  let takes = 0;
  // A full window stays full until its oldest call leaves it, whatever other processes do: until then a refusal needs
  // no database, and a caller who hammers a closed door costs nothing.
  const fullUntil = new Map<string, number>();
  return {
    async take({ tenantId, name, limit, windowSeconds }) {
      const memo = `${tenantId}:${name}`;
      const leftMs = (fullUntil.get(memo) ?? 0) - performance.now();
      if (leftMs > 0) return { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil(leftMs / 1000) };
      takes += 1;
      const sweep = takes % takesPerSweep === 0;
      const work = database.withSystem(
        'rate-limit',
        async (tx) => {
          const taken = await takeHit(tx, { tenantId: tenantId ?? nilTenant, name, limit, windowSeconds });
          if (sweep) await sweepWindows(tx);
          return taken;
        },
        { statementTimeoutMs: timeoutMs },
      );
      const row = await within(work, timeoutMs);
      if (!row.accepted) {
        if (fullUntil.size >= maximumMemos) fullUntil.clear();
        fullUntil.set(memo, performance.now() + row.resetMs);
      } else fullUntil.delete(memo);
      return {
        allowed: row.accepted,
        limit,
        remaining: Math.max(0, limit - row.used),
        resetSeconds: Math.max(1, Math.ceil(row.resetMs / 1000)),
      };
    },
  };
}

/** Rejects when the work takes longer; the work itself ends by its own limits, and its late failure is nobody's. */
async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the store of rate limits did not answer in time')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Which bucket a call of an operation falls into. */
export function bucketOf(
  operationId: string,
  rule: RateLimit,
  caller: { readonly tenantId: string | null; readonly credentialId: string; readonly ip: string },
): Bucket {
  const who = { tenant: 'tenant', credential: caller.credentialId, ip: caller.ip }[rule.per];
  return {
    tenantId: rule.per === 'ip' ? null : caller.tenantId,
    name: `${rule.bucket ?? operationId}:${rule.limit}/${rule.windowSeconds}:${who}`.slice(0, 200),
    limit: rule.limit,
    windowSeconds: rule.windowSeconds,
  };
}
