import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ExtraHeaders } from '../answers/send.ts';
import { callerOf } from '../limits/gate.ts';
import { requestIdOf } from '../request-id.ts';
import type { Cors } from './cors.ts';

/** State of a request while it's served. Ends up in the log line and the metrics. */
export interface RequestState {
  readonly requestId: string;
  /** Monotonic ms at which the request arrived. */
  readonly startedAt: number;
  extra: ExtraHeaders | null;
  /** The credential as the request sent it. */
  readonly caller: string;
  /** Holds a place of its load class. */
  isAdmitted: boolean;
  /** The tenant whose place the request holds. */
  admittedAs: string | null;
  /** Returns the place of an event stream; null when the request holds none. */
  leaveStream: (() => void) | null;
  tenantId: string | null;
  credentialId: string | null;
}

export type CreateRequestState = (request: FastifyRequest) => RequestState;

/** `arrivals`: monotonic ms at which requests arrived that had to wait at the gate. */
export function requestStates(arrivals: WeakMap<IncomingMessage, number>, cors: Cors): CreateRequestState {
  return (request) => ({
    requestId: requestIdOf(request.raw),
    startedAt: arrivals.get(request.raw) ?? performance.now(),
    extra: cors.headersFor(request),
    caller: callerOf(request.raw),
    isAdmitted: false,
    admittedAs: null,
    leaveStream: null,
    tenantId: null,
    credentialId: null,
  });
}

export function addHeaders(state: RequestState, headers: ExtraHeaders): void {
  state.extra = state.extra === null ? { ...headers } : { ...state.extra, ...headers };
}
