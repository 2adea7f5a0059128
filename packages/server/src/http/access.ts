import type { Operation, Role } from '@arbiter/contract';
import { needsRequestedWith } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../db/tx.ts';
import { AppError } from '../platform/app-error.ts';
import { sameSecret } from '../platform/crypto.ts';
import type { AppDependencies } from './app-dependencies.ts';
import {
  bearerToken,
  checkTenantHeader,
  effectiveRole,
  opensTheApi,
  presentedCredential,
  reaches,
  unauthorized,
  WrongCredential,
} from './credentials.ts';
import type { AuthFailure, HttpMetrics } from './metrics.ts';
import type { Principal } from './principal.ts';
import { createWrongCredentials } from './wrong-credentials.ts';

/** Who calls, once steps 3 to 6 of the order of checks have passed. */
export interface Caller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly role: Role;
  readonly credentialId: string;
}

/** Caller of an open operation. */
export const nobody: Caller = {
  tenantId: '',
  actor: { id: 'anonymous', name: 'anonymous', role: 'viewer' },
  role: 'viewer',
  credentialId: '',
};

/** Who sent a request. Answers without a promise in the hot case, a key known to the cache; throws, or rejects, AppError. */
export type Identify = (operation: Operation, request: FastifyRequest) => Caller | Promise<Caller>;

/**
 * Steps 3 to 6 of the order of checks (api-access.md 3): credential 401, tenant 403, `X-Requested-With` 403, role and
 * scope 403.
 */
export function createIdentify(deps: AppDependencies, metrics: HttpMetrics): Identify {
  const wrongCredentials = createWrongCredentials(deps.clock);

  function refuse(kind: AuthFailure, error: AppError): AppError {
    metrics.authFailed(kind);
    return error;
  }

  function refuseCredential(thrown: unknown, request: FastifyRequest): unknown {
    if (!(thrown instanceof WrongCredential)) {
      return thrown instanceof AppError && thrown.code === 'unauthorized' ? refuse('conflicting', thrown) : thrown;
    }
    const retryAfterSeconds = wrongCredentials.count(request.ip);
    return refuse('wrong', retryAfterSeconds === null ? thrown : tooMany(retryAfterSeconds));
  }

  function tooMany(retryAfterSeconds: number): AppError {
    return new AppError('rate_limited', { detail: 'Too many wrong credentials.', retryAfterSeconds });
  }

  /** Behind the limit of an address, keys that this process knows pass; of others only a few are looked up. */
  function checkLookUp(request: FastifyRequest): void {
    const retryAfterSeconds = wrongCredentials.takeLookUp(request.ip);
    if (retryAfterSeconds !== null) throw refuse('wrong', tooMany(retryAfterSeconds));
  }

  function admit(operation: Operation, request: FastifyRequest, principal: Principal): Caller {
    try {
      checkTenantHeader(request.raw, principal.tenantId);
    } catch (error) {
      throw error instanceof AppError && error.code === 'tenant_mismatch' ? refuse('tenant_mismatch', error) : error;
    }
    checkRequestedWith(operation, request);
    const role = effectiveRole(request.raw, principal);
    if (!opensTheApi(principal)) throw new AppError('forbidden', { detail: 'The credential has no scope for this.' });
    if (operation.role !== null && !reaches(role, operation.role)) {
      throw new AppError('forbidden', { detail: `This needs the role ${operation.role}.` });
    }
    const actor = role === principal.actor.role ? principal.actor : { ...principal.actor, role };
    return { tenantId: principal.tenantId, actor, role, credentialId: principal.credentialId };
  }

  function prove(request: FastifyRequest): Principal | null | Promise<Principal | null> {
    const presented = presentedCredential(request.raw);
    if (presented === null) throw refuse('missing', unauthorized('A credential is required.'));
    return deps.authenticate(presented, () => checkLookUp(request));
  }

  function identifyHolder(operation: Operation, request: FastifyRequest, proven: Principal | null): Caller {
    if (proven === null) throw new WrongCredential();
    return admit(operation, request, proven);
  }

  async function identifyLater(
    operation: Operation,
    request: FastifyRequest,
    proven: Promise<Principal | null>,
  ): Promise<Caller> {
    try {
      return identifyHolder(operation, request, await proven);
    } catch (error) {
      throw refuseCredential(error, request);
    }
  }

  return (operation, request) => {
    if (operation.auth === 'none') {
      checkRequestedWith(operation, request);
      return nobody;
    }
    if (operation.auth === 'metricsToken') {
      if (!isMetricsToken(deps.config.metricsToken, request.headers.authorization)) {
        throw refuse('metrics_token', unauthorized('The metrics token is required.'));
      }
      return nobody;
    }
    try {
      const proven = prove(request);
      if (proven instanceof Promise) return identifyLater(operation, request, proven);
      return identifyHolder(operation, request, proven);
    } catch (error) {
      throw refuseCredential(error, request);
    }
  };
}

/** `X-Requested-With`, present and not blank, on every unsafe operation that is not exempt (T32). */
function checkRequestedWith(operation: Operation, request: FastifyRequest): void {
  if (!needsRequestedWith(operation)) return;
  const sent = request.headers['x-requested-with'];
  if (typeof sent !== 'string' || sent.trim() === '') {
    throw new AppError('csrf_header_required', {
      detail: 'The header X-Requested-With is required; any value will do.',
    });
  }
}

function isMetricsToken(token: string | null, header: string | undefined): boolean {
  return sameSecret(token, header === undefined ? null : bearerToken(header));
}
