/** The largest of the numbers added lately. Reading it changes nothing, so any number of readers see the same. */
export interface RecentMaximum {
  add(value: number): void;
  /** 0 when nothing was added lately. */
  read(): number;
}

/**
 * Keeps each number for at least `periodMs` and at most twice as long. `elapsedMs`: a monotonic clock.
 */
export function createRecentMaximum(periodMs: number, elapsedMs: () => number): RecentMaximum {
  let period = Math.floor(elapsedMs() / periodMs);
  let current = 0;
  let before = 0;
  function moveOn(): void {
    const now = Math.floor(elapsedMs() / periodMs);
    if (now === period) return;
    before = now === period + 1 ? current : 0;
    current = 0;
    period = now;
  }
  return {
    add(value) {
      moveOn();
      current = Math.max(current, value);
    },
    read() {
      moveOn();
      return Math.max(current, before);
    },
  };
}
