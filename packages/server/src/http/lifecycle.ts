/**
 * Whether the process is on its way out. `main` turns it on SIGTERM, before anything else is closed
 * (docs/design/quality.md R10).
 */
export interface Lifecycle {
  readonly draining: () => boolean;
  /** From now on /ready answers 503 and every answer closes its connection; requests are served as before. */
  beginDrain(): void;
  /** Calls `listener` when the drain begins, at once when it has; the answer takes it back. */
  onDrain(listener: () => void): () => void;
}

export function createLifecycle(): Lifecycle {
  let draining = false;
  const listeners = new Set<() => void>();
  return {
    draining: () => draining,
    beginDrain() {
      draining = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
    onDrain(listener) {
      if (draining) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
