/** Looks at the clock so many times before a store counts as down. */
const looks = 6;

/**
 * Rejects when the work takes longer; the work itself ends by its own limits, and its late failure is told to no caller.
 * Time in which this process was too busy to hear an answer is not the store's: each look leaves room for one that has
 * come.
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
