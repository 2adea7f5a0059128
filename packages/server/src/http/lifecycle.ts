/** Whether the process is on its way out. `main` turns it on SIGTERM, before anything else is closed (quality.md R10). */
export interface Lifecycle {
  readonly draining: () => boolean;
  /** From now on /ready answers 503 and every answer closes its connection; requests are served as before. */
  beginDrain(): void;
}

export function createLifecycle(): Lifecycle {
  let draining = false;
  return {
    draining: () => draining,
    beginDrain() {
      draining = true;
    },
  };
}
