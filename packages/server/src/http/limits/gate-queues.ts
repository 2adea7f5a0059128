import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoadClass } from '@arbiter/contract';

/** Handles a request that found no place in time. */
export type RefuseGated = (request: IncomingMessage, response: ServerResponse, arrivedAt: number) => void;

/** A route as the gate knows it. */
export interface GatedRoute {
  readonly loadClass: LoadClass;
  readonly refuse: RefuseGated;
}

/** A request that waits at the gate. */
export interface GateEntry {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: GatedRoute;
  /** The credential as the request sent it. */
  readonly caller: string;
  /** Monotonic ms at which it arrived. */
  readonly since: number;
}

/** The queue of callers with nothing in flight. No credential is empty. */
export const newcomers = '';

/**
 * The gate's queues, by class and caller, so that free places go round the callers. Callers with nothing in flight share
 * one queue; otherwise a client that invents a new credential for each request would get most of the places.
 */
export interface GateQueues {
  add(line: string, entry: GateEntry): void;
  /** Removes the first entry of a queue and moves the queue behind the others. */
  take(lines: Map<string, GateEntry[]>, line: string): GateEntry | undefined;
  /** Returns true when requests wait in the queue. */
  has(loadClass: LoadClass, line: string): boolean;
  /** The queues of each class. */
  readonly byClass: ReadonlyMap<LoadClass, Map<string, GateEntry[]>>;
  /** Number of waiting requests. */
  size(): number;
}

export function createGateQueues(): GateQueues {
  const byClass = new Map<LoadClass, Map<string, GateEntry[]>>();
  let waiting = 0;
  return {
    byClass,
    size: () => waiting,
    has: (loadClass, line) => byClass.get(loadClass)?.has(line) === true,
    add(line, entry) {
      const lines = byClass.get(entry.route.loadClass) ?? new Map<string, GateEntry[]>();
      byClass.set(entry.route.loadClass, lines);
      const queue = lines.get(line);
      if (queue === undefined) lines.set(line, [entry]);
      else queue.push(entry);
      waiting++;
    },
    take(lines, line) {
      const entries = lines.get(line);
      const entry = entries?.shift();
      if (entries === undefined || entry === undefined) return undefined;
      lines.delete(line);
      if (entries.length > 0) lines.set(line, entries);
      waiting--;
      return entry;
    },
  };
}
