/** Lets one at a time through, in the order of asking. */
export interface Turnstile {
  /** Resolves when it's the caller's turn, to the function that ends the turn. */
  enter(): Promise<() => void>;
}

export function createTurnstile(): Turnstile {
  let last: Promise<void> = Promise.resolve();
  return {
    async enter() {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}
