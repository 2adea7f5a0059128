// Measures time as this process could observe it. On a machine that gives a test no turn, every response seems late, so
// stalls of the measuring process don't count.

const tickMs = 20;
/** A shorter delay is the usual lateness of a timer on a busy machine, and must not stretch the limits. */
const standstillMs = 100;
let lastTick = performance.now();
let stalledMs = 0;

/** Returns how long the process has been stalled, so that the first event after a stall is measured correctly. */
function pendingMs(now: number): number {
  const lateMs = now - lastTick - tickMs;
  return lateMs < standstillMs ? 0 : lateMs;
}

setInterval(() => {
  const now = performance.now();
  stalledMs += pendingMs(now);
  lastTick = now;
}, tickMs).unref();

/** Starts measuring. Calling the result returns the milliseconds since then, without stalls. */
export function stopwatch(): () => number {
  const began = performance.now();
  const stalledBefore = stalledMs + pendingMs(began);
  return () => {
    const now = performance.now();
    return Math.max(0, now - began - (stalledMs + pendingMs(now) - stalledBefore));
  };
}
