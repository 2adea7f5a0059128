/**
 * Resolves or rejects like the promise, or rejects with the signal's reason when the signal aborts first. `Promise.race` with
 * a promise that lasts would hold the result of each round until that promise settles.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    const arrive = (): void => {
      signal.removeEventListener('abort', leave);
      resolve(promise);
    };
    promise.then(arrive, arrive);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
