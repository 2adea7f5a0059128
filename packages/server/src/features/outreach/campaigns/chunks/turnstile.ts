/** Lets one caller through at a time, in order. */
export interface Turnstile {
  /** Waits for the caller's turn. Resolves to a function that ends it. */
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
