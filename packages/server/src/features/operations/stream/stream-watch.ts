import type { Database } from '../../../db/index.ts';
import { alarmAt } from '../../../platform/deadline.ts';

/** One open stream of events. */
export interface OpenStream {
  /** True once it has to end: a credential of the tenant changed, possibly the stream's own. */
  hasToEnd(): boolean;
  /** Resolves when there may be something new, or the stream has to end. Call it before the read that finds nothing. */
  changed(): Promise<void>;
  /** Waits for `changed`, and not for longer than events may go unnoticed. */
  wait(changed: Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface StreamWatch {
  /** Number of credential changes seen, of any tenant. Read it before waiting for anything else. */
  credentialChanges(): number;
  /** `proven`: the `credentialChanges` when the caller had just been proven. One since then, and the stream ends at once. */
  open(tenantId: string, proven: number): OpenStream;
}

/** While no notification is heard, an event is seen so late at most. */
const lookEveryMs = 2_000;

interface Watcher {
  readonly tenantId: string;
  ended: boolean;
  next: PromiseWithResolvers<void>;
}

/** Wakes the open streams of this process: two subscriptions serve all of them. */
export function createStreamWatch(database: Pick<Database, 'listen'>): StreamWatch {
  const watchers = new Set<Watcher>();
  let changes = 0;

  function wake(watcher: Watcher): void {
    const { next } = watcher;
    watcher.next = Promise.withResolvers();
    next.resolve();
  }

  function wakeAll(tenantId: string | null): void {
    for (const watcher of watchers) if (tenantId === null || watcher.tenantId === tenantId) wake(watcher);
  }

  function endAll(tenantId: string | null): void {
    changes += 1;
    for (const watcher of watchers) if (tenantId === null || watcher.tenantId === tenantId) watcher.ended = true;
    wakeAll(tenantId);
  }

  database.listen('arbiter_stream', wakeAll, { onReconnect: () => wakeAll(null) });
  // A change may have been missed, so readers must authenticate again.
  database.listen('arbiter_credentials', endAll, { onReconnect: () => endAll(null) });

  return {
    credentialChanges: () => changes,
    open(tenantId, proven) {
      const watcher: Watcher = { tenantId, ended: proven !== changes, next: Promise.withResolvers() };
      watchers.add(watcher);
      return {
        hasToEnd: () => watcher.ended,
        changed: () => watcher.next.promise,
        async wait(changed, signal) {
          const alarm = alarmAt(performance.now() + lookEveryMs);
          const left = Promise.withResolvers<void>();
          const leave = (): void => left.resolve();
          signal.addEventListener('abort', leave, { once: true });
          await Promise.race([changed, alarm.rung, left.promise]);
          signal.removeEventListener('abort', leave);
          alarm.cancel();
        },
        close: () => watchers.delete(watcher),
      };
    },
  };
}
