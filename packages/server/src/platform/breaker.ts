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
  /** What `isOpen` would say, without taking the probe: for who asks and does not tell what came of it. */
  looksOpen(key: string): boolean;
  succeeded(key: string): void;
  failed(key: string): void;
}

/** closed: it is asked; half_open: a probe is under way. */
export type BreakerState = 'closed' | 'half_open' | 'open';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly pauseMs: number;
  /** Monotonic ms. */
  readonly now: () => number;
  /** Told when a key comes into another state. */
  readonly onMove?: (to: BreakerState) => void;
}

/** So many keys are known to be in trouble; of more the one longest in it is forgotten, since tenants name as many as they like. */
const mostKeys = 10_000;

interface Trouble {
  failures: number;
  state: BreakerState;
  /** Until then it is open; 0: it is not. */
  until: number;
}

export function createBreaker({ failures, pauseMs, now, onMove = () => undefined }: BreakerOptions): Breaker {
  /** Only what failed lately. */
  const troubles = new Map<string, Trouble>();
  function move(trouble: Trouble, to: BreakerState): void {
    if (trouble.state === to) return;
    trouble.state = to;
    onMove(to);
  }
  return {
    isOpen(key) {
      const trouble = troubles.get(key);
      if (trouble === undefined || trouble.until === 0) return false;
      const at = now();
      if (at < trouble.until) return true;
      // A probe of which nothing is heard is followed by another after a further pause.
      trouble.until = at + pauseMs;
      move(trouble, 'half_open');
      return false;
    },
    looksOpen(key) {
      const trouble = troubles.get(key);
      return trouble !== undefined && trouble.until !== 0 && now() < trouble.until;
    },
    succeeded(key) {
      const trouble = troubles.get(key);
      if (trouble === undefined) return;
      troubles.delete(key);
      move(trouble, 'closed');
    },
    failed(key) {
      const trouble = troubles.get(key) ?? { failures: 0, until: 0, state: 'closed' };
      trouble.failures += 1;
      troubles.set(key, trouble);
      if (troubles.size > mostKeys) troubles.delete(troubles.keys().next().value ?? key);
      if (trouble.failures < failures) return;
      trouble.until = now() + pauseMs;
      move(trouble, 'open');
    },
  };
}

/** The same breaker for who only looks: it takes no probe from those who would close it. */
export const lookingAt = (breaker: Breaker): Breaker => ({ ...breaker, isOpen: (key) => breaker.looksOpen(key) });
