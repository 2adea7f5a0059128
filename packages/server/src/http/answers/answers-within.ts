/** How often to check the clock before a store counts as down. */
const looks = 6;

/**
 * Rejects when the work takes longer than the limit. The work itself ends by its own limits, and nobody sees its late
 * failure. Time when this process was too busy to read an answer isn't the store's fault: each check leaves room for an
 * answer that has arrived.
 */
export async function answersWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const lookAgain = (looksLeft: number): void => {
      timer = setTimeout(() => {
        if (looksLeft > 0) lookAgain(looksLeft - 1);
        else reject(new Error('the rate limit store did not respond in time'));
      }, timeoutMs / looks);
    };
    lookAgain(looks - 1);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
