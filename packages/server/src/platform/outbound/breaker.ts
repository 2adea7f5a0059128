/**
 * Stops calls to something that failed several times in a row (docs/design/api-decisioning.md 10, Breaker). Per
 * process; a key names the target and the caller.
 */
export interface Breaker {
  /**
   * Returns true when the target must not be called now. After the pause, the first caller gets false once, as a probe;
   * the others wait for its outcome.
   */
  isOpen(key: string): boolean;
  /** Returns what `isOpen` would, without taking the probe. For callers that won't report an outcome. */
  looksOpen(key: string): boolean;
  succeeded(key: string): void;
  failed(key: string): void;
}

/** closed: calls go through; half_open: a probe is in progress. */
export type BreakerState = 'closed' | 'half_open' | 'open';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly pauseMs: number;
  /** Monotonic ms. */
  readonly now: () => number;
  /** Called when a key changes state. */
  readonly onMove?: (to: BreakerState) => void;
}

/**
 * Maximum keys tracked as failing. Beyond that, the one failing longest is forgotten, because tenants can name as many
 * as they like.
 */
const maxKeys = 10_000;

interface Trouble {
  failures: number;
  state: BreakerState;
  /** Open until this time; 0 when it isn't open. */
  until: number;
}

export function createBreaker({ failures, pauseMs, now, onMove = () => undefined }: BreakerOptions): Breaker {
  /** Only recent failures. */
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
      if (troubles.size > maxKeys) troubles.delete(troubles.keys().next().value ?? key);
      if (trouble.failures < failures) return;
      trouble.until = now() + pauseMs;
      move(trouble, 'open');
    },
  };
}

/** Returns the same breaker for observers: they can't take the probe from callers that could close it. */
export const lookingAt = (breaker: Breaker): Breaker => ({ ...breaker, isOpen: (key) => breaker.looksOpen(key) });
