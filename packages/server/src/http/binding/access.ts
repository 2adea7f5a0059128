import { isSecret, isSignature, needsRequestedWith, type Operation, type SecretAuth } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { AppDependencies } from '../app-dependencies.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { Principal } from '../principal.ts';
import { type AuthFailures, createAuthFailures } from './auth-failures.ts';
import { anonymous, type Caller } from './caller.ts';
import { callerOfPrincipal } from './caller-of-principal.ts';
import { presentedCredential, sessionCookie, unauthorized, WrongCredential } from './credentials.ts';
import { createHasSecret } from './operator-secrets.ts';
import { checkOwnPage, checkRequestedWith } from './request-origin.ts';

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
  const failures = createAuthFailures(deps.clock, metrics);
  return (operation) => {
    const { auth } = operation;
    // Signatures are verified once the body has arrived (receive-body.ts).
    if (auth === 'none' || isSignature(auth)) return createPass(operation, deps.config);
    if (isSecret(auth)) return createCheckSecret(operation, auth, deps.config.secrets, failures);
    return createIdentifyHolder(operation, deps, failures);
  };
}

/** For operations that anyone may call. */
function createPass(operation: Operation, config: AppDependencies['config']): Identify {
  const isGuarded = needsRequestedWith(operation);
  return (request) => {
    checkRequestedWith(operation, request);
    // Only the session's own pages may sign out or sign in as someone else.
    if (isGuarded && hasSession(request)) checkOwnPage(request, config);
    return anonymous;
  };
}

/** For operations whose callers know a secret of the operator. */
function createCheckSecret(
  operation: Operation,
  auth: SecretAuth,
  secrets: AppDependencies['config']['secrets'],
  failures: AuthFailures,
): Identify {
  const hasSecret = createHasSecret(operation, auth, secrets);
  return (request) => {
    if (hasSecret(request.raw)) return anonymous;
    throw failures.count('shared_secret', unauthorized('This call requires a secret set by the operator.'));
  };
}

/** For operations whose callers have a key, a token or a session. */
function createIdentifyHolder(operation: Operation, deps: AppDependencies, failures: AuthFailures): Identify {
  function identify(request: FastifyRequest): Caller | Promise<Caller> {
    const presented = presentedCredential(request.raw);
    if (presented === null) throw failures.count('missing', unauthorized('A credential is required.'));
    const decide = (proven: Principal | null): Caller => {
      if (proven !== null) return callerOfPrincipal(operation, request, proven, deps.config, failures);
      // An ended session doesn't count as an attempt to guess a key.
      throw presented.kind === 'session' ? unauthorized('Your session has expired.') : new WrongCredential();
    };
    const proven = deps.authenticate(presented, () => failures.checkLookUp(request));
    return proven instanceof Promise ? proven.then(decide) : decide(proven);
  }

  return (request) => {
    try {
      const caller = identify(request);
      if (!(caller instanceof Promise)) return caller;
      return caller.catch((error: unknown) => {
        throw failures.countThrown(error, request);
      });
    } catch (error) {
      throw failures.countThrown(error, request);
    }
  };
}

function hasSession({ headers }: FastifyRequest): boolean {
  return typeof headers.cookie === 'string' && headers.cookie.includes(`${sessionCookie}=`);
}
