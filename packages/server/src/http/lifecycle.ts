/**
 * Whether the process is on its way out, and which answers end their connection. `main` begins the drain on SIGTERM, before
 * anything else is closed (docs/design/quality.md R10).
 */
export interface Lifecycle {
  readonly draining: () => boolean;
  /** To be asked once for each answer: whether the connection ends with it. */
  readonly closesConnection: () => boolean;
  /** The next so many answers end their connections, so that the clients come back by way of the port. */
  closeConnections(count: number): void;
  /** From now on /ready answers 503 and every answer closes its connection; requests are served as before. */
  beginDrain(): void;
  /** Calls `listener` when the drain begins, at once when it has; the answer takes it back. */
  onDrain(listener: () => void): () => void;
}

export function createLifecycle(): Lifecycle {
  let draining = false;
  let toClose = 0;
  const listeners = new Set<() => void>();
  return {
    draining: () => draining,
    closesConnection() {
      if (draining) return true;
      if (toClose === 0) return false;
      toClose -= 1;
      return true;
    },
    closeConnections(count) {
      toClose = count;
    },
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
