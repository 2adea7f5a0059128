import type { IncomingMessage, ServerResponse } from 'node:http';
// Imported by name, because a library's types declare the browser's as a global.
import { performance } from 'node:perf_hooks';
import { afterThisTurn, oneTurn } from '../../platform/turns.ts';
import { createGateQueues, type GatedRoute, type GateEntry, type GateQueues, newcomers } from './gate-queues.ts';
import type { LoadShedder } from './load-shedding.ts';

/** Serves a request once it's admitted. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The first stop of every request, before it's routed, read or authenticated. While its class is full, a request waits
 * here, where it costs only memory, and is refused when no place comes free. Refusing immediately would let clients
 * that retry immediately take the processor from requests being served (docs/adr/0014).
 */
export interface Gate {
  enter(request: IncomingMessage, response: ServerResponse): void;
  /** Number of waiting requests. */
  waiting(): number;
}

export interface GateOptions {
  readonly shedder: LoadShedder;
  /** Routes by `METHOD /path`. Requests to other paths pass. */
  readonly routes: ReadonlyMap<string, GatedRoute>;
  readonly serve: Serve;
  /** Receives the monotonic ms of arrival of requests that had to wait before being served. */
  readonly arrivals: WeakMap<IncomingMessage, number>;
  /** For tests: maximum milliseconds a request waits. */
  readonly holdMs?: number | undefined;
}

/** A refusal comes within 100 ms (docs/design/quality.md R1). The difference is for a busy event loop. */
export const defaultHoldMs = 70;
const tickMs = 5;
/**
 * Share of all time that may be spent on refusing, plus a larger share of the event loop's idle time. Accepting the
 * refused requests costs two or three times as much again. On a slow machine or under many callers, refusals come later
 * instead of reducing throughput.
 */
const refusingShare = 0.05;
const refusingShareOfIdle = 0.5;
/** Refusing time that may be saved up for a burst. */
const maxSavedMs = 4;

export function createGate({ shedder, routes, serve, arrivals, holdMs = defaultHoldMs }: GateOptions): Gate {
  const queues = createGateQueues();
  const refuseLate = createRefuseLate(queues, holdMs);
  const pump = createPump(queues, shedder, (entry) => {
    arrivals.set(entry.request, entry.since);
    serve(entry.request, entry.response);
  });
  let pumping = false;
  let ticking = false;

  function work(): void {
    pumping = false;
    const isOver = oneTurn();
    // Places first: a request that finds one isn't refused.
    if (!pump(isOver) || !refuseLate(isOver)) pumpLater();
  }

  function pumpLater(): void {
    if (pumping) return;
    pumping = true;
    afterThisTurn(work);
  }

  function tickLater(): void {
    if (ticking) return;
    ticking = true;
    setTimeout(() => {
      ticking = false;
      if (queues.size() === 0) return;
      pumpLater();
      tickLater();
    }, tickMs);
  }

  shedder.onRoom(() => {
    if (queues.size() > 0) pumpLater();
  });
  return {
    waiting: () => queues.size(),
    enter(request, response) {
      const route = routes.get(routeKey(request));
      // A request behind others of its pipeline is judged when its turn on the connection comes.
      if (route === undefined || response.socket === null) {
        serve(request, response);
        return;
      }
      const { loadClass } = route;
      const caller = callerOf(request);
      const line = shedder.serves(loadClass, caller) ? caller : newcomers;
      if (!queues.has(loadClass, line) && shedder.hasRoom(loadClass, caller)) {
        serve(request, response);
        return;
      }
      queues.add(line, { request, response, route, caller, since: performance.now() });
      tickLater();
    },
  };
}

/** Part of the gate's work. Returns false when this turn was too short for it. */
type Step = (isOver: () => boolean) => boolean;

/** Admits requests that find a place, one per queue in turn. */
function createPump(queues: GateQueues, shedder: LoadShedder, admit: (entry: GateEntry) => void): Step {
  return (isOver) => {
    for (const [loadClass, lines] of queues.byClass) {
      // A queue moved behind the others comes up again in the same loop.
      for (const [line, [first]] of lines) {
        if (shedder.isFull(loadClass)) break;
        if (first === undefined) continue;
        const hasRoom = shedder.hasRoom(loadClass, first.caller);
        // A caller at its limit waits in its own queue.
        if (!hasRoom && line === first.caller) continue;
        queues.take(lines, line);
        if (!hasRoom) queues.add(first.caller, first);
        else if (!first.request.socket.destroyed) admit(first);
        if (isOver()) return false;
      }
    }
    return true;
  };
}

/** Refuses requests that waited long enough, as far as the time for refusing lasts. */
function createRefuseLate(queues: GateQueues, holdMs: number): Step {
  /** Milliseconds that may be spent on refusing, and when they were computed. */
  let allowedMs = maxSavedMs;
  let paidAt = performance.now();
  /** Idle milliseconds of the event loop at that time. */
  let idleUntil = 0;
  return (isOver) => {
    const started = performance.now();
    const { idle } = performance.eventLoopUtilization();
    const earnedMs = (started - paidAt) * refusingShare + (idle - idleUntil) * refusingShareOfIdle;
    allowedMs = Math.min(maxSavedMs, allowedMs + earnedMs);
    let now = started;
    for (const lines of queues.byClass.values()) {
      for (const [line, entries] of lines) {
        while (entries[0] !== undefined && entries[0].since <= started - holdMs && now - started < allowedMs) {
          const entry = queues.take(lines, line);
          if (entry !== undefined && !entry.request.socket.destroyed) {
            entry.route.refuse(entry.request, entry.response, entry.since);
          }
          now = performance.now();
        }
      }
    }
    allowedMs -= now - started;
    paidAt = started;
    idleUntil = idle;
    return !isOver();
  };
}

function routeKey({ method, url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return `${method} ${end < 0 ? url : url.slice(0, end)}`;
}

/** Returns the credential as the request sent it; empty for none. */
export function callerOf({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'];
  return headers.authorization ?? (typeof key === 'string' ? key : undefined) ?? headers.cookie ?? '';
}
