/** The one clock of the server. No other code of the server reads the time (docs/adr/0065). */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Sets the clock by a database instant (epoch ms) that was read after `sentAt` (monotonic ms). Absent when the clock
   * is set manually; it then replaces the database's clock too.
   */
  follow?(instant: number, sentAt: number): void;
}

/** A clock that follows the database's. */
export interface FollowingClock extends Clock {
  follow(instant: number, sentAt: number): void;
  /** Returns false until the clock has read the database's time once. Until then it's the process's own clock. */
  follows(): boolean;
}

/** `own`: the process's clock, epoch ms. `elapsed`: monotonic ms. */
export function createFollowingClock(own: () => number, elapsed: () => number): FollowingClock {
  let offset: number | null = null;
  return {
    now: () => (offset === null ? own() : Math.floor(elapsed() + offset)),
    follows: () => offset !== null,
    follow(instant, sentAt) {
      // The database read its clock at some point of the trip. An offset that fits is better than one from a slow trip.
      const earliest = instant - elapsed();
      const latest = instant - sentAt;
      offset = offset === null ? (earliest + latest) / 2 : Math.min(Math.max(offset, earliest), latest);
    },
  };
}

/** Clock of this process: steps and errors of the machine's own clock don't reach it. */
export const systemClock = createFollowingClock(
  () => Date.now(),
  () => performance.now(),
);

/** Returns the instant to use when the database has just reported one: that instant, or the manually set clock's. */
export function instantFrom(clock: Clock, told: Date, sentAt: number): number {
  if (clock.follow === undefined) return clock.now();
  const instant = told.getTime();
  clock.follow(instant, sentAt);
  return instant;
}
