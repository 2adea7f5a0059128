/** The one clock of the server. Tests pass their own; no other code of the server reads the time (docs/design/architecture.md 2). */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
