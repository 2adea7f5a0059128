// Time as this process could see it. On a machine that has no turn for a test, every answer seems late: what the
// measuring process itself stood still does not count.

const tickMs = 20;
/** Less is the ordinary lateness of a timer on a busy machine, which must not stretch the bars bit by bit. */
const standstillMs = 100;
let lastTick = performance.now();
let stalledMs = 0;

/** How long the process has stood still up to now: what arrives first after a standstill is measured rightly. */
function pendingMs(now: number): number {
  const lateMs = now - lastTick - tickMs;
  return lateMs < standstillMs ? 0 : lateMs;
}

setInterval(() => {
  const now = performance.now();
  stalledMs += pendingMs(now);
  lastTick = now;
}, tickMs).unref();

/** Starts to measure; each call of the result says the milliseconds since then, without those of standstills. */
export function stopwatch(): () => number {
  const began = performance.now();
  const stalledBefore = stalledMs + pendingMs(began);
  return () => {
    const now = performance.now();
    return Math.max(0, now - began - (stalledMs + pendingMs(now) - stalledBefore));
  };
}
