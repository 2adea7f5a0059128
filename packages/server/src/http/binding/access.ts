import type { Operation, Role } from '@arbiter/contract';
import { isSecret, isSignature, needsRequestedWith } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { AuthFailure, HttpMetrics } from '../metrics.ts';
import type { Principal } from '../principal.ts';
import { networkOf } from './caller-network.ts';
import {
  checkTenantHeader,
  effectiveRole,
  isOwnOrigin,
  opensTheApi,
  presentedCredential,
  reaches,
  sessionCookie,
  unauthorized,
  WrongCredential,
} from './credentials.ts';
import { createHasSecret } from './operator-secrets.ts';
import { createWrongCredentials } from './wrong-credentials.ts';

/** The proven caller, once steps 3 to 6 of the order of checks have passed. */
export interface Caller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly role: Role;
  readonly credentialId: string;
  /** `Set-Cookie` for every answer to this call. */
  readonly setCookie?: string;
}

/** The caller of an operation that is open, or whose secret or signature doesn't name a person. */
export const anonymous: Caller = {
  tenantId: '',
  actor: { id: 'anonymous', name: 'anonymous', role: 'viewer' },
  role: 'viewer',
  credentialId: '',
};

/**
 * Identifies the sender of a request. Returns synchronously in the hot case, a cached key. Throws, or rejects with,
 * AppError.
 */
export type Identify = (request: FastifyRequest) => Caller | Promise<Caller>;

/**
 * Creates steps 3 to 6 of the order of checks (docs/design/api-access.md 3): credential 401, tenant 403,
 * `X-Requested-With` 403, role and scope 403. Throws when an operation names a variable that the configuration doesn't
 * know.
 */
export function createIdentify(deps: AppDependencies, metrics: HttpMetrics): (operation: Operation) => Identify {
  const wrongCredentials = createWrongCredentials(deps.clock);

  function refuse(kind: AuthFailure, error: AppError): AppError {
    metrics.authFailed(kind);
    return error;
  }

  function refuseCredential(thrown: unknown, request: FastifyRequest): unknown {
    if (!(thrown instanceof WrongCredential)) {
      return thrown instanceof AppError && thrown.code === 'unauthorized' ? refuse('conflicting', thrown) : thrown;
    }
    const retryAfterSeconds = wrongCredentials.count(networkOf(request.ip));
    return refuse('wrong', retryAfterSeconds === null ? thrown : tooMany(retryAfterSeconds));
  }

  function tooMany(retryAfterSeconds: number): AppError {
    return new AppError('rate_limited', {
      detail: 'Too many invalid credentials. Try again later.',
      retryAfterSeconds,
    });
  }

  /** Past an address's limit, keys that this process knows still pass; only a few others are looked up. */
  function checkLookUp(request: FastifyRequest): void {
    const retryAfterSeconds = wrongCredentials.takeLookUp(networkOf(request.ip));
    if (retryAfterSeconds !== null) throw refuse('wrong', tooMany(retryAfterSeconds));
  }

  function admit(operation: Operation, request: FastifyRequest, principal: Principal): Caller {
    try {
      checkTenantHeader(request.raw, principal.tenantId);
    } catch (error) {
      throw error instanceof AppError && error.code === 'tenant_mismatch' ? refuse('tenant_mismatch', error) : error;
    }
    // docs/design/api-access.md 22: SCIM takes keys and sessions.
    if (operation.auth === 'scim' && principal.kind === 'accessToken') throw new WrongCredential();
    const isSession = principal.kind === 'session';
    if (isSession && operation.method !== 'GET') checkOwnPage(request);
    checkRequestedWith(operation, request);
    const role = effectiveRole(request.raw, principal);
    if (operation.auth === 'session' && !isSession) {
      throw new AppError('forbidden', {
        detail: 'This call needs a user session; API keys and tokens are not accepted.',
      });
    }
    const isOpen = operation.auth === 'scim' && !isSession ? principal.scopes.includes('scim') : opensTheApi(principal);
    if (!isOpen) throw new AppError('forbidden', { detail: "The credential doesn't have the required scope." });
    if (operation.auth === 'scim' && isSession && role !== 'admin') {
      throw new AppError('forbidden', { detail: 'This requires the role admin.' });
    }
    if (operation.role !== null && !reaches(role, operation.role)) {
      throw new AppError('forbidden', { detail: `This requires the role ${operation.role}.` });
    }
    const person = role === principal.actor.role ? principal.actor : { ...principal.actor, role };
    // A directory acts for itself, not for the person whose key it uses.
    const actor = operation.auth === 'scim' ? { ...person, id: 'scim' } : person;
    const { tenantId, credentialId, setCookie } = principal;
    return setCookie === undefined
      ? { tenantId, actor, role, credentialId }
      : { tenantId, actor, role, credentialId, setCookie };
  }

  /** A page of another site must not act with a visitor's session (docs/design/quality.md T32). */
  function checkOwnPage(request: FastifyRequest): void {
    if (isOwnOrigin(request.raw, deps.config) && hasRequestedWith(request)) return;
    throw new AppError('csrf_header_required', {
      detail: "Calls with a session must come from Arbiter's own pages, with the header X-Requested-With.",
    });
  }

  function identifyHolder(operation: Operation, request: FastifyRequest): Caller | Promise<Caller> {
    const presented = presentedCredential(request.raw);
    if (presented === null) throw refuse('missing', unauthorized('A credential is required.'));
    const decide = (proven: Principal | null): Caller => {
      if (proven !== null) return admit(operation, request, proven);
      // An ended session doesn't count as an attempt to guess a key.
      throw presented.kind === 'session' ? unauthorized('Your session has expired.') : new WrongCredential();
    };
    const proven = deps.authenticate(presented, () => checkLookUp(request));
    return proven instanceof Promise ? proven.then(decide) : decide(proven);
  }

  return (operation) => {
    const { auth } = operation;
    // Signatures are verified once the body has arrived, see binder.ts.
    if (auth === 'none' || isSignature(auth)) {
      const isGuarded = needsRequestedWith(operation);
      return (request) => {
        checkRequestedWith(operation, request);
        // Only the session's own pages may sign out or sign in as somebody else.
        if (isGuarded && holdsSession(request)) checkOwnPage(request);
        return anonymous;
      };
    }
    if (isSecret(auth)) {
      const hasSecret = createHasSecret(operation, auth, deps.config.secrets);
      return (request) => {
        if (!hasSecret(request.raw))
          throw refuse('shared_secret', unauthorized('This call requires a secret set by the operator.'));
        return anonymous;
      };
    }
    return (request) => {
      try {
        const caller = identifyHolder(operation, request);
        if (!(caller instanceof Promise)) return caller;
        return caller.catch((error: unknown) => {
          throw refuseCredential(error, request);
        });
      } catch (error) {
        throw refuseCredential(error, request);
      }
    };
  };
}

/** Requires a non-blank `X-Requested-With` on every unsafe operation that isn't exempt (T32). */
function checkRequestedWith(operation: Operation, request: FastifyRequest): void {
  if (!needsRequestedWith(operation)) return;
  if (!hasRequestedWith(request)) {
    throw new AppError('csrf_header_required', {
      detail: 'The header X-Requested-With is required; it can have any value.',
    });
  }
}

function holdsSession({ headers }: FastifyRequest): boolean {
  return typeof headers.cookie === 'string' && headers.cookie.includes(`${sessionCookie}=`);
}

function hasRequestedWith({ headers }: FastifyRequest): boolean {
  const sent = headers['x-requested-with'];
  return typeof sent === 'string' && sent.trim() !== '';
}
