/** How long one piece of work may keep the event loop, when others wait for it (quality.md law 2). */
const holdMs = 8;

/**
 * For long work in pieces: to be awaited after each of them. Gives the event loop away when it was held for 8 ms, and
 * costs next to nothing otherwise.
 */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < holdMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
