import type { Failure } from './failure.ts';

/** Whether the server answers: `unavailable` when it says that it cannot, `unreachable` when nothing answers. */
export type Connection = 'well' | 'unavailable' | 'unreachable';

let connection: Connection = 'well';
const listeners = new Set<() => void>();

export function connectionNow(): Connection {
  return connection;
}

/** Calls back after each change; answers with what ends that. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What an answer, or the lack of one, says of the connection. A refusal for other reasons is an answer like any other. */
export function connectionAfter(failure: Failure | null): Connection | null {
  if (failure === null) return 'well';
  if (failure.kind === 'unreachable') return 'unreachable';
  if (failure.kind === 'foreign') return failure.status >= 502 && failure.status <= 504 ? 'unavailable' : null;
  if (failure.kind === 'refused') return failure.problem.code === 'unavailable' ? 'unavailable' : 'well';
  // A slow call, an abandoned one and our own mistakes say nothing about the server.
  return null;
}

/** Learns from a call. */
export function noteConnection(failure: Failure | null): void {
  const next = connectionAfter(failure);
  if (next === null || next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}
