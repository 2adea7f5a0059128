import type { IncomingMessage, ServerResponse } from 'node:http';
// By name: a library's types declare the browser's as a global.
import { performance } from 'node:perf_hooks';
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
 * comes back at once would take the processor from those who are served (docs/adr/0014).
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
  readonly holdMs?: number | undefined;
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
  readonly caller: string;
  readonly since: number;
}

/** The line of callers of whom nothing is in flight; no credential is empty. */
const newcomers = '';

export function createGate({ shedder, routes, serve, arrivals, holdMs = usualHoldMs }: GateOptions): Gate {
  /**
   * By class and caller, so that the places that come free go round the callers. Those of whom nothing is in flight share one
   * line: else whoever sends ever new invented credentials would get most of the places.
   */
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
    const { loadClass } = route;
    const caller = callerOf(request);
    const line = shedder.serves(loadClass, caller) ? caller : newcomers;
    if (queues.get(loadClass)?.has(line) !== true && shedder.hasRoom(loadClass, caller)) {
      serve(request, response);
      return;
    }
    queue(line, { request, response, route, caller, since: performance.now() });
    waiting++;
    tickLater();
  }

  function queue(line: string, entry: Waiting): void {
    const lines = queues.get(entry.route.loadClass) ?? new Map<string, Waiting[]>();
    queues.set(entry.route.loadClass, lines);
    const known = lines.get(line);
    if (known === undefined) lines.set(line, [entry]);
    else known.push(entry);
  }

  /** Takes the first of a line, which then stands behind the other lines. */
  function take(lines: Map<string, Waiting[]>, line: string): Waiting | undefined {
    const entries = lines.get(line);
    const entry = entries?.shift();
    if (entries === undefined || entry === undefined) return undefined;
    lines.delete(line);
    if (entries.length > 0) lines.set(line, entries);
    waiting--;
    return entry;
  }

  /** Lets in who finds a place, one of each line in turn; false when this turn was too short. */
  function pump(isOver: () => boolean): boolean {
    for (const [loadClass, lines] of queues) {
      // A line that is set behind the others comes again in the same loop.
      for (const [line, [first]] of lines) {
        if (shedder.isFull(loadClass)) break;
        if (first === undefined) continue;
        const hasRoom = shedder.hasRoom(loadClass, first.caller);
        // A caller at its limit waits in a line of its own.
        if (!hasRoom && line === first.caller) continue;
        take(lines, line);
        if (!hasRoom) {
          queue(first.caller, first);
          waiting++;
        } else if (!first.request.socket.destroyed) {
          arrivals.set(first.request, first.since);
          serve(first.request, first.response);
        }
        if (isOver()) return false;
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
    for (const lines of queues.values()) {
      for (const [line, entries] of lines) {
        while (entries[0] !== undefined && entries[0].since <= started - holdMs && now - started < allowedMs) {
          const entry = take(lines, line);
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
