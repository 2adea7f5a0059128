/**
 * Tells whether the process is shutting down, and which answers end their connection. `main` begins the drain on
 * SIGTERM, before it closes anything else (docs/design/quality.md R10).
 */
export interface Lifecycle {
  readonly draining: () => boolean;
  /** Call once per answer. Returns whether the connection ends with it. */
  readonly closesConnection: () => boolean;
  /** Makes the next `count` answers end their connections, so that the clients reconnect through the port. */
  closeConnections(count: number): void;
  /** From now on /ready answers 503 and every answer closes its connection. Requests are still served. */
  beginDrain(): void;
  /** Calls `listener` when the drain begins, or immediately if it already has. Returns a function to unsubscribe. */
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
