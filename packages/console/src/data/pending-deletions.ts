import { useSyncExternalStore } from 'react';

/** How long a deletion waits for Undo, in milliseconds. */
export const undoMs = 6_000;

let pending: ReadonlyMap<string, () => void> = new Map();
const listeners = new Set<() => void>();

function put(next: ReadonlyMap<string, () => void>): void {
  pending = next;
  for (const listener of listeners) listener();
}

const without = (id: string) => new Map([...pending].filter(([each]) => each !== id));

/**
 * Deletes a record after six seconds, unless it's undone. Until then it's hidden from lists. Leaving the console sends it
 * at once. Returns what undoes it: true if it was in time.
 */
export function deleteLater(id: string, send: () => void): () => boolean {
  const finish = (): void => {
    clearTimeout(timer);
    globalThis.removeEventListener('pagehide', finish);
    if (!pending.has(id)) return;
    put(without(id));
    send();
  };
  const timer = setTimeout(finish, undoMs);
  globalThis.addEventListener('pagehide', finish);
  put(new Map(pending).set(id, finish));
  return () => {
    const isInTime = pending.has(id);
    clearTimeout(timer);
    globalThis.removeEventListener('pagehide', finish);
    put(without(id));
    return isInTime;
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** IDs of records whose deletion waits. */
export const usePendingDeletions = (): ReadonlyMap<string, () => void> =>
  useSyncExternalStore(subscribe, () => pending);
