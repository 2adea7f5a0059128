/** Keeps from asking those who have not answered lately. One for a process. */
export interface Breaker {
  /** False: it is open. True for one call a pause, whose outcome decides whether it closes; `now`: monotonic ms. */
  mayCall(name: string, now: number): boolean;
  succeeded(name: string): void;
  failed(name: string, now: number): void;
}

interface Failing {
  inARow: number;
  /** Monotonic ms from which a probe may go out. */
  probeAt: number;
}

/** Opens for `pauseMs` after `failures` failures in a row; then one probe goes out, and the others wait for it. */
export function createBreaker({ failures, pauseMs }: { readonly failures: number; readonly pauseMs: number }): Breaker {
  // Holds only those who failed last, so it is as small as the trouble.
  const failing = new Map<string, Failing>();
  return {
    mayCall(name, now) {
      const known = failing.get(name);
      if (known === undefined || known.inARow < failures) return true;
      if (now < known.probeAt) return false;
      // Should the probe never come back, the next goes out a pause later.
      known.probeAt = now + pauseMs;
      return true;
    },
    succeeded: (name) => void failing.delete(name),
    failed(name, now) {
      const known = failing.get(name) ?? { inARow: 0, probeAt: 0 };
      known.inARow += 1;
      known.probeAt = now + pauseMs;
      failing.set(name, known);
    },
  };
}
