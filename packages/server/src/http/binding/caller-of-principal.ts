import type { Operation, Role } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import type { Principal } from '../principal.ts';
import type { AuthFailures } from './auth-failures.ts';
import type { Caller } from './caller.ts';
import { checkTenantHeader, effectiveRole, opensTheApi, reaches, WrongCredential } from './credentials.ts';
import { checkOwnPage, checkRequestedWith, type OwnOrigins } from './request-origin.ts';

/**
 * Returns what a proven principal acts as in an operation. Throws AppError when the operation isn't for it: tenant 403,
 * `X-Requested-With` 403, role and scope 403.
 */
export function callerOfPrincipal(
  operation: Operation,
  request: FastifyRequest,
  principal: Principal,
  own: OwnOrigins,
  failures: AuthFailures,
): Caller {
  try {
    checkTenantHeader(request.raw, principal.tenantId);
  } catch (error) {
    throw error instanceof AppError && error.code === 'tenant_mismatch'
      ? failures.count('tenant_mismatch', error)
      : error;
  }
  // docs/design/api-access.md 22: SCIM takes keys and sessions.
  if (operation.auth === 'scim' && principal.kind === 'accessToken') throw new WrongCredential();
  if (principal.kind === 'session' && operation.method !== 'GET') checkOwnPage(request, own);
  checkRequestedWith(operation, request);
  const role = effectiveRole(request.raw, principal);
  checkPermission(operation, principal, role);
  const person = role === principal.actor.role ? principal.actor : { ...principal.actor, role };
  // A directory acts for itself, not for the person whose key it uses.
  const actor = operation.auth === 'scim' ? { ...person, id: 'scim' } : person;
  const { tenantId, credentialId, setCookie } = principal;
  return setCookie === undefined
    ? { tenantId, actor, role, credentialId }
    : { tenantId, actor, role, credentialId, setCookie };
}

/** Throws 403 `forbidden` when the kind of credential, its scopes or its role don't open the operation. */
function checkPermission(operation: Operation, principal: Principal, role: Role): void {
  const isSession = principal.kind === 'session';
  if (operation.auth === 'session' && !isSession) {
    throw new AppError('forbidden', {
      detail: 'This call needs a user session; API keys and tokens are not accepted.',
    });
  }
  const isOpen = operation.auth === 'scim' && !isSession ? principal.scopes.includes('scim') : opensTheApi(principal);
  if (!isOpen) throw new AppError('forbidden', { detail: "The credential doesn't have the required scope." });
  if (operation.auth === 'scim' && isSession && role !== 'admin') {
    throw new AppError('forbidden', { detail: 'This requires the admin role.' });
  }
  if (operation.role !== null && !reaches(role, operation.role)) {
    throw new AppError('forbidden', { detail: `This requires the ${operation.role} role.` });
  }
}
