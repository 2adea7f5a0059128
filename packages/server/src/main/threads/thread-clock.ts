/** Monotonic ms, the same in all threads, whose own clocks begin at different instants. */
export const threadClock = (): number => performance.timeOrigin + performance.now();
