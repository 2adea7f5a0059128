import type { Membership as ShownMembership } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { endSession, selectSession, sessionIdOf } from '../sessions/index.ts';
import { type Membership, selectMemberships, selectSigningIn } from '../users/index.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { type Entrance, tryGoogle, tryMembership } from './sign-in.service.ts';

type TenantCaller = Pick<RequestFacts, 'tenantId' | 'actor' | 'credentialId' | 'requestId' | 'until'>;

/**
 * Returns the tenants of a session's person (docs/design/api-settled.md "Access and console"): those with an account
 * whose address was verified by an emailed link or by Google, if the session's account is one and it was opened with a
 * password or Google; otherwise only its own tenant. A hostile tenant's directory can create an account for anyone's
 * address, which must not grant anything.
 */
export async function listTenants(database: Database, caller: TenantCaller): Promise<ShownMembership[]> {
  const { current, all } = await membershipsOf(database, caller);
  return all.map(({ tenantId, tenantName, isPlayground, role }) => ({
    id: tenantId,
    name: tenantName,
    isPlayground,
    role,
    current: tenantId === current.tenantId,
  }));
}

async function membershipsOf(
  database: Database,
  { tenantId, actor, credentialId, requestId, until }: TenantCaller,
): Promise<{ readonly current: Membership; readonly all: readonly Membership[] }> {
  const terms = { requestId, until };
  const sessionId = sessionIdOf(credentialId);
  const here = await database.withTenant(
    tenantId,
    actor,
    async (tx) => ({
      person: await selectSigningIn(tx, actor.id),
      session: sessionId === null ? undefined : await selectSession(tx, sessionId),
    }),
    terms,
  );
  const { person, session } = here;
  if (person === undefined || session === undefined) throw ended();
  const found = await database.withSystem('tenants', (tx) => selectMemberships(tx, person.email, null), terms);
  const own = await database.withSystem('tenants', (tx) => selectMemberships(tx, person.email, tenantId), terms);
  const [current] = own;
  if (current === undefined) throw ended();
  const isProven = person.addressProven && (session.method === 'password' || session.method === 'google');
  if (!isProven) return { current, all: [current] };
  const others = found.filter(
    (each) => each.addressProven && each.emailVerifiedAt !== null && each.deactivatedAt === null,
  );
  return { current, all: others.some((each) => each.tenantId === tenantId) ? others : [current, ...others] };
}

const ended = () => new AppError('unauthorized', { detail: 'Your session has expired.' });

/**
 * Opens a session in another of the user's tenants, by the password of the account there, or without one when the same Google
 * user signs in to both; lock, second factor and single sign-on of that tenant apply. The session here ends. Throws 400
 * `reference_not_found` for a tenant that isn't in `listTenants`, and what a sign-in throws.
 */
export async function switchTenant(
  deps: AccountDependencies,
  caller: TenantCaller,
  to: { readonly tenantId: string; readonly password?: string },
): Promise<Entrance> {
  const { database } = deps;
  const { current, all } = await membershipsOf(database, caller);
  const target = all.find(({ tenantId }) => tenantId === to.tenantId);
  if (target === undefined || target.tenantId === current.tenantId) {
    const entry = { path: '/tenantId', message: 'must be another tenant of yours' };
    throw new AppError('reference_not_found', { detail: `${entry.path} ${entry.message}`, errors: [entry] });
  }
  const terms = { requestId: caller.requestId, until: caller.until };
  const outcome = await (to.password === undefined
    ? switchByGoogle(deps, current, target, terms)
    : tryMembership(deps, target, to.password, terms));
  if (outcome instanceof AppError) throw outcome;
  // If another step follows, the switch isn't done yet, and the current session continues.
  const sessionId = sessionIdOf(caller.credentialId);
  if (outcome.cookie !== null && sessionId !== null) {
    await database.withTenant(caller.tenantId, caller.actor, (tx) => endSession(tx, sessionId), terms);
  }
  return outcome;
}

async function switchByGoogle(
  deps: AccountDependencies,
  current: Membership,
  target: Membership,
  terms: Pick<TenantCaller, 'requestId' | 'until'>,
): Promise<Entrance | AppError> {
  const [here, there] = [current, target].map(({ tenantId, id }) => ({ tenantId, userId: id }));
  if (!(await deps.signIn.isSameGoogleUser(here!, there!))) throw invalid('/password', 'is required');
  return tryGoogle(deps, target, terms);
}
