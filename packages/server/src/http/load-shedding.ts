import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadClass } from '@arbiter/contract';
import { AppError } from '../platform/app-error.ts';

/** Admits a request or refuses it with 503 `overloaded`, before anything else is done for it (docs/design/quality.md T27, R1). */
export interface LoadShedder {
  /** Throws AppError `overloaded`; every admitted request is given back with `leave`. */
  enter(loadClass: LoadClass): void;
  leave(loadClass: LoadClass): void;
  /** Takes one of the class's places for a tenant, of which one tenant may hold only a part. */
  enterTenant(loadClass: LoadClass, tenantId: string): void;
  leaveTenant(loadClass: LoadClass, tenantId: string): void;
  readonly inFlight: () => number;
}

export interface ClassLimits {
  /** Requests of this class in flight at most. */
  readonly own: number;
  /** Requests of all classes in flight above which this class is refused; falls from class to class. */
  readonly total: number;
  /** Of `own`, how many one tenant may hold. */
  readonly perTenant: number;
  /** Delay of the event loop, in milliseconds, above which this class is refused. */
  readonly delayMs: number;
}

/**
 * The classes give way from the bottom. Numbers from the machine of docs/benchmarks.md: at 5,000 decisions/s, 512 in
 * flight are 100 ms of work, and 200 CRUD requests over a pool of 10 connections about as much.
 */
export const defaultLimits: Readonly<Record<LoadClass, ClassLimits>> = {
  health: { own: Infinity, total: Infinity, perTenant: Infinity, delayMs: Infinity },
  inbound: { own: 512, total: 1_400, perTenant: 512, delayMs: 1_500 },
  decision: { own: 512, total: 900, perTenant: 480, delayMs: 700 },
  crud: { own: 200, total: 600, perTenant: 150, delayMs: 350 },
  heavy: { own: 16, total: 300, perTenant: 8, delayMs: 150 },
};

const keptTenants = 1_000;

export function createLoadShedder(
  delayMs: () => number = eventLoopDelay(),
  limits: Readonly<Record<LoadClass, ClassLimits>> = defaultLimits,
): LoadShedder {
  const counts: Record<LoadClass, number> = { health: 0, inbound: 0, decision: 0, crud: 0, heavy: 0 };
  const tenants: Record<LoadClass, Map<string, number>> = {
    health: new Map(),
    inbound: new Map(),
    decision: new Map(),
    crud: new Map(),
    heavy: new Map(),
  };
  let total = 0;
  return {
    enter(loadClass) {
      const limit = limits[loadClass];
      if (counts[loadClass] >= limit.own || total >= limit.total || delayMs() > limit.delayMs) throw overloaded();
      counts[loadClass] += 1;
      total += 1;
    },
    leave(loadClass) {
      counts[loadClass] -= 1;
      total -= 1;
    },
    enterTenant(loadClass, tenantId) {
      const held = tenants[loadClass].get(tenantId) ?? 0;
      if (held >= limits[loadClass].perTenant) throw overloaded();
      tenants[loadClass].set(tenantId, held + 1);
    },
    leaveTenant(loadClass, tenantId) {
      const places = tenants[loadClass];
      const held = places.get(tenantId) ?? 0;
      // A tenant that holds nothing stays listed, while the list is short: it will be back with its next request.
      if (held <= 1 && places.size > keptTenants) places.delete(tenantId);
      else places.set(tenantId, Math.max(0, held - 1));
    },
    inFlight: () => total,
  };
}

function overloaded(): AppError {
  return new AppError('overloaded', {
    detail: 'The server has more work than it can do in time.',
    retryAfterSeconds: 1,
  });
}

const sampleMs = 250;
const resolutionMs = 10;

/** Mean delay of the event loop over the last quarter of a second, in milliseconds, read without a timer of ours. */
export function eventLoopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let readAt = performance.now();
  let count = 0;
  let sumMs = 0;
  let delay = 0;
  return () => {
    const now = performance.now();
    if (now - readAt < sampleMs) return delay;
    // Differences, not resets: a reset loses the tick that follows it, which in a stalled loop is the only one.
    const newCount = histogram.count;
    const newSumMs = newCount === 0 ? 0 : (histogram.mean / 1e6) * newCount;
    delay = newCount === count ? 0 : Math.max(0, (newSumMs - sumMs) / (newCount - count) - resolutionMs);
    count = newCount;
    sumMs = newSumMs;
    readAt = now;
    return delay;
  };
}
