/**
 * Keeps what failed several times in a row from being asked again at once (docs/design/api-decisioning.md 10, Breaker). Per
 * process; keys say what is asked, and for whom.
 */
export interface Breaker {
  /**
   * True: it is not to be asked now. After the pause the first who asks is told false once, as a probe; the others wait for
   * what comes of it.
   */
  isOpen(key: string): boolean;
  succeeded(key: string): void;
  failed(key: string): void;
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly pauseMs: number;
  /** Monotonic ms. */
  readonly now: () => number;
}

interface Trouble {
  failures: number;
  /** Until then it is open; 0: it is not. */
  until: number;
}

export function createBreaker({ failures, pauseMs, now }: BreakerOptions): Breaker {
  /** Only what failed lately. */
  const troubles = new Map<string, Trouble>();
  return {
    isOpen(key) {
      const trouble = troubles.get(key);
      if (trouble === undefined || trouble.until === 0) return false;
      const at = now();
      if (at < trouble.until) return true;
      // A probe of which nothing is heard is followed by another after a further pause.
      trouble.until = at + pauseMs;
      return false;
    },
    succeeded: (key) => void troubles.delete(key),
    failed(key) {
      const trouble = troubles.get(key) ?? { failures: 0, until: 0 };
      trouble.failures += 1;
      if (trouble.failures >= failures) trouble.until = now() + pauseMs;
      troubles.set(key, trouble);
    },
  };
}
