import type { RateLimit } from '@arbiter/contract';
import type { Database } from '../../db/index.ts';
import { answersWithin } from '../answers/answers-within.ts';
import { networkOf } from '../binding/caller-network.ts';
import { sweepWindows, takeCalls, type WindowCount } from './rate-limit.store.ts';

/** One limit applied to one caller. */
export interface Bucket {
  /** The window's tenant; null for callers without a credential. */
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

/** Stores windows shared by all processes: PostgreSQL, or Redis (rate-limit.redis.ts). */
export interface RateLimitStore {
  /**
   * Counts one call if the window has room; a refused call isn't counted. Atomic. `weight`: counts as that many calls,
   * all or none. A weight above the limit never fits.
   */
  take(bucket: Bucket, weight?: number): Promise<RateLimitVerdict>;
}

const nilTenant = '00000000-0000-0000-0000-000000000000';

const takesPerSweep = 100;
const maximumMemos = 10_000;
/** Maximum windows counted in one statement. */
const maxWindows = 100;

/** A call that has not been counted yet. */
interface WaitingCall {
  readonly bucket: Bucket;
  readonly weight: number;
  readonly resolve: (verdict: RateLimitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

/** The calls of one statement: all of one item have the same window. */
type CallBatch = readonly (readonly WaitingCall[])[];

/**
 * Creates windows in PostgreSQL. Give `database` its own connections, so that counting never waits for other work.
 * Calls that arrive while a statement is in flight are counted together by the next one, so any number of them costs
 * two round trips. A store that doesn't answer within `timeoutMs` counts as down, and waiting calls are refused.
 */
export function createRateLimitStore(database: Pick<Database, 'withSystem'>, timeoutMs = 900): RateLimitStore {
  const full = createFullWindows();
  const takeBatch = createTakeBatch(database, timeoutMs);
  /** Uncounted calls, by window. */
  const waiting = new Map<string, WaitingCall[]>();
  let counting = false;

  async function count(): Promise<void> {
    counting = true;
    while (waiting.size > 0) {
      const batch = nextBatch(waiting);
      const started = performance.now();
      try {
        const taken = await takeBatch(batch);
        for (const calls of batch) {
          const { tenantId, name } = calls[0]!.bucket;
          const key = keyOf(tenantId, name);
          settle(calls, taken.get(key)!, (isFull, resetMs) => full.set(key, isFull, resetMs));
        }
      } catch (error) {
        for (const call of batch.flat()) call.reject(error);
        // When the store is down, everyone has waited long enough. A single lost round trip says nothing about the
        // next.
        if (performance.now() - started < timeoutMs / 2) continue;
        const behind = [...waiting.values()].flat();
        waiting.clear();
        for (const call of behind) call.reject(error);
      }
    }
    counting = false;
  }

  return {
    async take(bucket, weight = 1) {
      const { tenantId, name, limit, windowSeconds } = bucket;
      if (weight > limit) return { allowed: false, limit, remaining: 0, resetSeconds: windowSeconds };
      const key = keyOf(tenantId, name);
      const leftMs = full.leftMs(key);
      if (leftMs > 0) return { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil(leftMs / 1000) };
      const verdict = new Promise<RateLimitVerdict>((resolve, reject) => {
        const call = { bucket, weight, resolve, reject };
        const calls = waiting.get(key);
        if (calls === undefined) waiting.set(key, [call]);
        else calls.push(call);
      });
      if (!counting) void count();
      return verdict;
    },
  };
}

/**
 * Remembers full windows. A full window stays full until its oldest call leaves it, whatever other processes do. Until
 * then a refusal needs no database, so a client that keeps retrying costs nothing.
 */
function createFullWindows() {
  const fullUntil = new Map<string, number>();
  return {
    /** Milliseconds for which the window stays full; 0 or less when it may have room. */
    leftMs: (key: string): number => (fullUntil.get(key) ?? 0) - performance.now(),
    set(key: string, isFull: boolean, resetMs: number): void {
      if (!isFull) {
        fullUntil.delete(key);
        return;
      }
      if (fullUntil.size >= maximumMemos) fullUntil.clear();
      fullUntil.set(key, performance.now() + resetMs);
    },
  };
}

/** Removes the calls to count next from `waiting`. */
function nextBatch(waiting: Map<string, WaitingCall[]>): CallBatch {
  const keys = [...waiting.keys()].slice(0, maxWindows);
  return keys.map((key) => {
    const calls = waiting.get(key)!;
    const next = countedTogether(calls);
    waiting.delete(key);
    if (next.length < calls.length) waiting.set(key, calls.slice(next.length));
    return next;
  });
}

/** Returns the first calls of a window, to be counted together. A call with a weight is counted alone. */
function countedTogether(calls: readonly WaitingCall[]): readonly WaitingCall[] {
  const heavy = calls.findIndex(({ weight }) => weight > 1);
  return calls.slice(0, heavy === -1 ? calls.length : Math.max(1, heavy));
}

/** Creates the statement that counts a batch. Resolves to what each window granted, by its key. */
function createTakeBatch(database: Pick<Database, 'withSystem'>, timeoutMs: number) {
  let takes = 0;
  return async (batch: CallBatch): Promise<ReadonlyMap<string, WindowCount>> => {
    const before = takes;
    for (const calls of batch) takes += calls.length;
    const sweep = Math.floor(takes / takesPerSweep) > Math.floor(before / takesPerSweep);
    const windows = batch.map((calls) => {
      const { bucket, weight } = calls[0]!;
      const counted = calls.length * weight;
      return { ...bucket, tenantId: bucket.tenantId ?? nilTenant, calls: counted, fewest: weight };
    });
    const work = database.withSystem(
      'rate-limit',
      async (tx) => {
        const taken = await takeCalls(tx, windows);
        if (sweep) await sweepWindows(tx);
        return taken;
      },
      { statementTimeoutMs: timeoutMs },
    );
    const rows = await answersWithin(work, timeoutMs);
    return new Map(rows.map((row) => [keyOf(row.tenantId, row.name), row]));
  };
}

/** Gives the calls of one window their verdicts. `remember` hears whether the window is full, and for how long. */
function settle(
  calls: readonly WaitingCall[],
  { used, granted, resetMs }: WindowCount,
  remember: (isFull: boolean, resetMs: number) => void,
): void {
  const { bucket, weight } = calls[0]!;
  const { limit } = bucket;
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  if (weight > 1) {
    // A window without room for this weight may have room for a smaller one.
    const allowed = granted === weight;
    calls[0]!.resolve({ allowed, limit, remaining: allowed ? limit - used : 0, resetSeconds });
    return;
  }
  remember(granted < calls.length, resetMs);
  for (const [i, call] of calls.entries()) {
    const allowed = i < granted;
    const remaining = allowed ? Math.max(0, limit - (used - granted + i + 1)) : 0;
    call.resolve({ allowed, limit, remaining, resetSeconds });
  }
}

const keyOf = (tenantId: string | null, name: string): string => `${tenantId ?? nilTenant}:${name}`;

/** Returns the bucket that counts a call of an operation. */
export function bucketOf(
  operationId: string,
  rule: RateLimit,
  caller: { readonly tenantId: string | null; readonly credentialId: string; readonly ip: string },
): Bucket {
  const who = { tenant: 'tenant', credential: caller.credentialId, ip: networkOf(caller.ip) }[rule.per];
  return {
    tenantId: rule.per === 'ip' ? null : caller.tenantId,
    name: `${rule.bucket ?? operationId}:${rule.limit}/${rule.windowSeconds}:${who}`.slice(0, 200),
    limit: rule.limit,
    windowSeconds: rule.windowSeconds,
  };
}
