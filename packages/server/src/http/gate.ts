import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoadClass } from '@arbiter/contract';
import { afterThisTurn, oneTurn } from '../platform/turns.ts';
import type { LoadShedder } from './load-shedding.ts';

/** What is done with a request that found no place in time. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, arrivedAt: number) => void;

/** A route as the gate knows it. */
export interface GatedRoute {
  readonly loadClass: LoadClass;
  readonly refuse: Refuse;
}

/** What serves a request once it is let in. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The first that a request meets, before it is routed, read or proven. While its class is full it waits here, where it
 * costs nothing but its memory, and is refused when no place came free: a refusal that is given at once to a caller who
 * comes back at once would take the processor from those who are served (docs/adr/0014-what-a-request-costs.md).
 */
export interface Gate {
  enter(request: IncomingMessage, response: ServerResponse): void;
  /** Requests that wait. */
  waiting(): number;
}

export interface GateOptions {
  readonly shedder: LoadShedder;
  /** Routes by `METHOD /path`; requests to other paths pass. */
  readonly routes: ReadonlyMap<string, GatedRoute>;
  readonly serve: Serve;
  /** Takes the monotonic ms at which those came in that had to wait and are served now. */
  readonly arrivals: WeakMap<IncomingMessage, number>;
  /** Tests: ms that a request waits at most. */
  readonly holdMs?: number;
}

/** A refusal comes within 100 ms (docs/design/quality.md R1); the rest is for a busy event loop. */
export const usualHoldMs = 70;
const tickMs = 5;
/**
 * What may be spent on refusing: a part of all time, and more of the time in which the event loop had nothing to do. To take
 * the refused requests in costs two or three times as much again. Where a machine is so slow, or callers are so many, that
 * this is too little, refusals come later and goodput stays.
 */
const refusingShare = 0.05;
const refusingShareOfIdle = 0.5;
/** Refusing that may be saved up for a burst. */
const mostSavedMs = 4;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: GatedRoute;
  readonly since: number;
}

export function createGate({ shedder, routes, serve, arrivals, holdMs = usualHoldMs }: GateOptions): Gate {
  /** By class and caller, so that the places that come free go round the callers. */
  const queues = new Map<LoadClass, Map<string, Waiting[]>>();
  let waiting = 0;
  /** Milliseconds that may be spent on refusing, and when they were counted. */
  let allowedMs = mostSavedMs;
  let paidAt = performance.now();
  /** Milliseconds that the event loop had been idle then. */
  let idleUntil = 0;
  let pumping = false;
  let ticking = false;

  function enter(request: IncomingMessage, response: ServerResponse): void {
    const route = routes.get(routeKey(request));
    // One that stands behind others of its pipeline is judged when its turn on the connection has come.
    if (route === undefined || response.socket === null) {
      serve(request, response);
      return;
    }
    const caller = callerOf(request);
    const queue = queues.get(route.loadClass)?.get(caller);
    if (queue === undefined && shedder.hasRoom(route.loadClass, caller)) {
      serve(request, response);
      return;
    }
    const entry: Waiting = { request, response, route, since: performance.now() };
    if (queue === undefined) callersOf(route.loadClass).set(caller, [entry]);
    else queue.push(entry);
    waiting++;
    tickLater();
  }

  function callersOf(loadClass: LoadClass): Map<string, Waiting[]> {
    const callers = queues.get(loadClass) ?? new Map<string, Waiting[]>();
    queues.set(loadClass, callers);
    return callers;
  }

  function take(callers: Map<string, Waiting[]>, caller: string, queue: Waiting[]): Waiting | undefined {
    const entry = queue.shift();
    if (queue.length === 0) callers.delete(caller);
    if (entry !== undefined) waiting--;
    return entry;
  }

  /** Lets in who finds a place, one of each caller in turn. */
  function pump(isOver: () => boolean): boolean {
    for (const [loadClass, callers] of queues) {
      for (let isGoing = true; isGoing; ) {
        isGoing = false;
        for (const [caller, queue] of callers) {
          if (shedder.isFull(loadClass)) break;
          if (!shedder.hasRoom(loadClass, caller)) continue;
          const entry = take(callers, caller, queue);
          if (entry !== undefined && !entry.request.socket.destroyed) {
            arrivals.set(entry.request, entry.since);
            serve(entry.request, entry.response);
          }
          if (isOver()) return false;
          isGoing = true;
        }
      }
    }
    return true;
  }

  /** Refuses who has waited long enough, for as long as may be spent on it; false when this turn was too short. */
  function refuseLate(isOver: () => boolean): boolean {
    const started = performance.now();
    const { idle } = performance.eventLoopUtilization();
    const earnedMs = (started - paidAt) * refusingShare + (idle - idleUntil) * refusingShareOfIdle;
    allowedMs = Math.min(mostSavedMs, allowedMs + earnedMs);
    let now = started;
    for (const callers of queues.values()) {
      for (const [caller, queue] of callers) {
        while (queue[0] !== undefined && queue[0].since <= started - holdMs && now - started < allowedMs) {
          const entry = take(callers, caller, queue);
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
  }

  function work(): void {
    pumping = false;
    const isOver = oneTurn();
    // Places first: who finds one is not refused.
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
      if (waiting === 0) return;
      pumpLater();
      tickLater();
    }, tickMs);
  }

  shedder.onRoom(() => {
    if (waiting > 0) pumpLater();
  });
  return { enter, waiting: () => waiting };
}

function routeKey({ method, url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return `${method} ${end < 0 ? url : url.slice(0, end)}`;
}

/** What a request presents as its credential, as it stands there; empty for nothing. */
export function callerOf({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'];
  return headers.authorization ?? (typeof key === 'string' ? key : undefined) ?? headers.cookie ?? '';
}
