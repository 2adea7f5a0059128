import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadClass } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';

/** Admits a request or throws 503 `overloaded`, before any other work on it (docs/design/quality.md T27, R1). */
export interface LoadShedder {
  /**
   * Throws AppError `overloaded`. Return every admitted request with `leave`. `caller`: the unproven credential of the
   * request; empty for none.
   */
  enter(loadClass: LoadClass, caller: string): void;
  leave(loadClass: LoadClass, caller: string): void;
  /** Returns true when `enter` would admit the request. */
  hasRoom(loadClass: LoadClass, caller: string): boolean;
  /** Returns true while a request of the caller is in flight. */
  serves(loadClass: LoadClass, caller: string): boolean;
  /** Returns true when the class has no room for anyone. */
  isFull(loadClass: LoadClass): boolean;
  /** Takes one of the class's places for a tenant. One tenant may hold only part of them. */
  enterTenant(loadClass: LoadClass, tenantId: string): void;
  leaveTenant(loadClass: LoadClass, tenantId: string): void;
  /** Calls `listener` whenever a slot is freed. */
  onRoom(listener: () => void): void;
  readonly inFlight: () => number;
}

export interface ClassLimits {
  /** Maximum requests of this class in flight. */
  readonly own: number;
  /** Total requests in flight above which this class is shed. Decreases from class to class. */
  readonly total: number;
  /** How many of `own` one tenant, and one credential, may hold. */
  readonly perTenant: number;
  /** Event loop delay in milliseconds above which this class is shed. */
  readonly delayMs: number;
}

/**
 * Lower classes are shed first. Numbers from the machine in docs/benchmarks.md: at 4,000 decisions/s, 320 in flight are
 * 80 ms of work; further requests wait at the gate (`gate.ts`), where they cost nothing. 200 CRUD requests over a pool
 * of 10 connections are about as much work.
 */
export const defaultLimits: Readonly<Record<LoadClass, ClassLimits>> = {
  health: { own: Infinity, total: Infinity, perTenant: Infinity, delayMs: Infinity },
  inbound: { own: 512, total: 1_400, perTenant: 512, delayMs: 1_500 },
  decision: { own: 320, total: 900, perTenant: 288, delayMs: 700 },
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
  /** Requests in flight by credential. Callers without one aren't listed. */
  const callers: Record<LoadClass, Map<string, number>> = {
    health: new Map(),
    inbound: new Map(),
    decision: new Map(),
    crud: new Map(),
    heavy: new Map(),
  };
  const listeners: (() => void)[] = [];
  let total = 0;

  function isFull(loadClass: LoadClass): boolean {
    const limit = limits[loadClass];
    return counts[loadClass] >= limit.own || total >= limit.total || delayMs() > limit.delayMs;
  }

  function hasRoom(loadClass: LoadClass, caller: string): boolean {
    if (isFull(loadClass)) return false;
    return caller === '' || (callers[loadClass].get(caller) ?? 0) < limits[loadClass].perTenant;
  }

  return {
    enter(loadClass, caller) {
      if (!hasRoom(loadClass, caller)) throw overloaded();
      counts[loadClass] += 1;
      total += 1;
      if (caller !== '') callers[loadClass].set(caller, (callers[loadClass].get(caller) ?? 0) + 1);
    },
    leave(loadClass, caller) {
      counts[loadClass] -= 1;
      total -= 1;
      if (caller !== '') {
        const left = (callers[loadClass].get(caller) ?? 0) - 1;
        if (left > 0) callers[loadClass].set(caller, left);
        else callers[loadClass].delete(caller);
      }
      for (const listener of listeners) listener();
    },
    hasRoom,
    serves: (loadClass, caller) => callers[loadClass].has(caller),
    isFull,
    onRoom(listener) {
      listeners.push(listener);
    },
    enterTenant(loadClass, tenantId) {
      const inUse = tenants[loadClass].get(tenantId) ?? 0;
      if (inUse >= limits[loadClass].perTenant) throw overloaded();
      tenants[loadClass].set(tenantId, inUse + 1);
    },
    leaveTenant(loadClass, tenantId) {
      const places = tenants[loadClass];
      const inUse = places.get(tenantId) ?? 0;
      // While the list is short, keep a tenant that holds nothing: it'll be back with its next request.
      if (inUse <= 1 && places.size > keptTenants) places.delete(tenantId);
      else places.set(tenantId, Math.max(0, inUse - 1));
    },
    inFlight: () => total,
  };
}

/** Returns a 503 for a request that isn't admitted. */
export function overloaded(): AppError {
  return new AppError('overloaded', {
    detail: 'The server is overloaded. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}

const sampleMs = 250;
const resolutionMs = 10;

/** Returns the mean event loop delay over the last quarter of a second in milliseconds, without a timer of our own. */
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
    // Use differences, not resets: a reset loses the next tick, which in a stalled loop is the only one.
    const newCount = histogram.count;
    const newSumMs = newCount === 0 ? 0 : (histogram.mean / 1e6) * newCount;
    delay = newCount === count ? 0 : Math.max(0, (newSumMs - sumMs) / (newCount - count) - resolutionMs);
    count = newCount;
    sumMs = newSumMs;
    readAt = now;
    return delay;
  };
}
