import type { Failure } from './failure.ts';

/** Connection state: `unavailable` if the server says so, `unreachable` if nothing responds. */
export type Connection = 'well' | 'unavailable' | 'unreachable';

let connection: Connection = 'well';
const listeners = new Set<() => void>();

export function connectionNow(): Connection {
  return connection;
}

/** Calls back after each change. Returns a function that stops it. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Derives the connection state from a call. Other errors are responses like any other. */
export function connectionAfter(failure: Failure | null): Connection | null {
  if (failure === null) return 'well';
  if (failure.kind === 'unreachable') return 'unreachable';
  if (failure.kind === 'foreign') return failure.status >= 502 && failure.status <= 504 ? 'unavailable' : null;
  if (failure.kind === 'refused') return failure.problem.code === 'unavailable' ? 'unavailable' : 'well';
  // Slow and aborted calls and our own bugs say nothing about the server.
  return null;
}

/** Updates the state after a call. */
export function noteConnection(failure: Failure | null): void {
  const next = connectionAfter(failure);
  if (next === null || next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}
