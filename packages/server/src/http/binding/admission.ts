import { namesTenant, type Operation } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import type { LoadShedder } from '../limits/load-shedding.ts';
import type { Identify } from './access.ts';
import { anonymous, type Caller } from './caller.ts';
import { addHeaders, type RequestState } from './request-state.ts';
import type { RouteLimits } from './route-limits.ts';

/** Maximum headers of a request; more is 400 (docs/design/quality.md T33). */
const maximumHeaders = 128;

/** The checks of an operation that come before its body is read (docs/design/api-access.md 3). */
export interface Admission {
  /**
   * Takes a place of the operation's load class and one of the tenant, and returns the caller. Rejects with AppError;
   * the places taken until then are noted in `state`.
   */
  enter(request: FastifyRequest, state: RequestState): Promise<Caller>;
  /** Returns the places that the request holds. */
  leave(state: RequestState): void;
}

export function createAdmission(
  { auth, loadClass }: Operation,
  identify: Identify,
  { onArrival: countArrival }: RouteLimits,
  shedder: LoadShedder,
): Admission {
  const isOpen = !namesTenant(auth);
  return {
    async enter(request, state) {
      shedder.enter(loadClass, state.caller);
      state.isAdmitted = true;
      if (request.raw.rawHeaders.length > 2 * maximumHeaders) {
        throw new AppError('malformed_request', { detail: `A request can have at most ${maximumHeaders} headers.` });
      }
      if (isOpen && countArrival !== null) await countArrival(request, anonymous, state);
      const identified = identify(request);
      const caller = identified instanceof Promise ? await identified : identified;
      if (isOpen) return caller;
      state.tenantId = caller.tenantId;
      state.credentialId = caller.credentialId;
      if (caller.setCookie !== undefined) addHeaders(state, { 'set-cookie': caller.setCookie });
      if (countArrival !== null) await countArrival(request, caller, state);
      shedder.enterTenant(loadClass, caller.tenantId);
      state.admittedAs = caller.tenantId;
      return caller;
    },
    leave({ admittedAs, isAdmitted, caller }) {
      if (admittedAs !== null) shedder.leaveTenant(loadClass, admittedAs);
      if (isAdmitted) shedder.leave(loadClass, caller);
    },
  };
}
