import type { SignedIn } from '@arbiter/contract';
import { type Actor, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import type { EnqueueMail } from '../mail/index.ts';
import { type Sessions, type SignInMethod, selectPendingRegistration } from '../sessions/index.ts';
import { getTenant } from '../tenants/index.ts';
import {
  lockSigningIn,
  type Membership,
  mailAddressOf,
  roleOfUser,
  type SigningIn,
  selectMemberships,
  selectSigningIn,
  updateFailures,
  updateLastLogin,
} from '../users/index.ts';
import type { AccountDependencies, RequestTerms, SignInPorts } from './accounts.ports.ts';

/** The result of a sign-in: an answer, and the cookie when a session was opened. */
export interface Entrance {
  readonly answer: SignedIn;
  /** Value of `Set-Cookie`; null when another step follows. */
  readonly cookie: string | null;
}

/** Wrong passwords in a row that lock a user, and for how long. */
const maxFailures = 5;
const lockMs = 15 * 60_000;

/** The same for every reason, so that nobody learns which addresses exist (docs/design/quality.md T29). */
export const invalidCredentials = () =>
  new AppError('invalid_credentials', { detail: 'The email or password is wrong.' });

export const actorOf = ({ id, name, role }: Pick<SigningIn, 'id' | 'name' | 'role'>): Actor => ({
  id,
  name,
  role: roleOfUser(role),
});

export const isLocked = (tx: Tx, { lockedUntil }: SigningIn): boolean => lockedUntil !== null && lockedUntil > tx.now;

/**
 * Signs in with email and password (docs/design/api-access.md 4.2, 22). Without a tenant, tries every membership of the
 * address, most recently used first; the first that accepts the password wins, and a miss counts on each one tried. An
 * unknown address costs as much work as a known one.
 */
export async function signInByPassword(
  deps: AccountDependencies,
  given: { readonly email: string; readonly password: string; readonly tenantId: string | null },
  terms: RequestTerms,
): Promise<Entrance> {
  deps.sessions.assertConfigured();
  const { database } = deps;
  const tenantId = given.tenantId === null || isUuid(given.tenantId) ? given.tenantId : newId();
  const memberships = await database.withSystem('login', (tx) => selectMemberships(tx, given.email, tenantId), terms);
  let refusal = invalidCredentials();
  // An unknown address takes the same path as a known one: the same transactions, and one hash.
  const candidates = memberships.length === 0 ? [{ tenantId: newId(), id: newId() }] : memberships;
  for (const membership of candidates) {
    const outcome = await tryMembership(deps, membership, given.password, terms);
    if (!(outcome instanceof AppError)) return outcome;
    // A right password that isn't enough is more informative than a wrong one.
    if (outcome.code !== 'invalid_credentials') refusal = outcome;
  }
  throw refusal;
}

/** Signs in to one account with its password. Returns the error, to throw once its count is committed. */
export async function tryMembership(
  { database, passwords, sessions, signIn, enqueueMail }: AccountDependencies,
  { tenantId, id }: Pick<Membership, 'tenantId' | 'id'>,
  password: string,
  terms: RequestTerms,
): Promise<Entrance | AppError> {
  const nobody = systemActor('sign-in');
  const before = await database.withTenant(tenantId, nobody, (tx) => readPerson(tx, id), terms);
  const isRight = await passwords.verify(before?.passwordHash ?? null, password);
  const work = async (tx: Tx): Promise<Entrance | AppError> => {
    const person = await lockPerson(tx, id);
    // Failures of deactivated users aren't counted: a lock must not replace the deactivation (docs/design/quality.md
    // T11).
    if (before === undefined || person === undefined || person.deactivatedAt !== null) return failedSignIn(tx, person);
    if (!isRight || person.passwordHash !== before.passwordHash) return missed(tx, person, enqueueMail);
    return admit(tx, { sessions, signIn }, person, 'password');
  };
  return database.withTenant(tenantId, nobody, work, terms);
}

/** Returns what blocks a verified, active person; otherwise the result of the sign-in. */
async function admit(
  tx: Tx,
  ports: Pick<AccountDependencies, 'sessions' | 'signIn'>,
  person: SigningIn,
  method: SignInMethod,
): Promise<Entrance | AppError> {
  if (isLocked(tx, person)) return failedSignIn(tx, person);
  if (person.emailVerifiedAt === null) {
    return new AppError('email_not_verified', {
      detail: 'Verify your email address first: follow the link we sent you.',
    });
  }
  if (await ports.signIn.requiresSso(tx)) {
    return new AppError('sso_required', { detail: 'Passwords are disabled for this tenant. Use single sign-on.' });
  }
  return enter(tx, ports, person, method);
}

/** Signs in to the account of a Google user verified elsewhere. Returns the error once it's audited. */
export async function tryGoogle(
  { database, sessions, signIn }: Pick<AccountDependencies, 'database' | 'sessions' | 'signIn'>,
  { tenantId, id }: Pick<Membership, 'tenantId' | 'id'>,
  terms: RequestTerms,
): Promise<Entrance | AppError> {
  return database.withTenant(
    tenantId,
    systemActor('sign-in'),
    async (tx) => {
      const person = await lockSigningIn(tx, id);
      if (person === undefined || person.deactivatedAt !== null) return failedSignIn(tx, person);
      return admit(tx, { sessions, signIn }, person, 'google');
    },
    terms,
  );
}

/** An address that was never verified has the password of its newest registration (docs/design/api-access.md 22). */
async function withPending(tx: Tx, person: SigningIn | undefined): Promise<SigningIn | undefined> {
  if (person === undefined || person.emailVerifiedAt !== null) return person;
  const pending = await selectPendingRegistration(tx, person.id);
  return pending === undefined ? person : { ...person, passwordHash: pending.passwordHash };
}

const readPerson = async (tx: Tx, id: string) => withPending(tx, await selectSigningIn(tx, id));
const lockPerson = async (tx: Tx, id: string) => withPending(tx, await lockSigningIn(tx, id));

/** Notes that a known person was refused. */
async function failedSignIn(tx: Tx, person: SigningIn | undefined): Promise<AppError> {
  if (person !== undefined) await recordFailure(tx, person);
  return invalidCredentials();
}

const recordFailure = (tx: Tx, { id, name }: SigningIn): Promise<void> =>
  recordAudit(tx, { action: 'login_failed', entityType: 'user', entityId: id, entityName: name });

/**
 * Counts a wrong password, or another wrong proof. The fifth in a row locks the user for 15 minutes and emails the
 * owner. Nothing is counted during the lock, so it isn't extended. The caller holds the user's row. `passwordKnown`:
 * the password was right, but the second factor wasn't. Returns the error, to throw once this is committed.
 */
export async function missed(
  tx: Tx,
  person: SigningIn,
  enqueueMail: EnqueueMail,
  { passwordKnown = false }: { readonly passwordKnown?: boolean } = {},
): Promise<AppError> {
  await recordFailure(tx, person);
  if (isLocked(tx, person)) return invalidCredentials();
  const failed = person.failedLogins + 1;
  if (failed < maxFailures) {
    await updateFailures(tx, person.id, failed, person.lockedUntil);
    return invalidCredentials();
  }
  const until = new Date(tx.now.getTime() + lockMs);
  await updateFailures(tx, person.id, 0, until);
  await tellOwner(tx, person, { until, passwordKnown }, enqueueMail);
  return invalidCredentials();
}

/** The lock must work even when email can't be sent: no key to seal it with, or a user whose name isn't an address. */
async function tellOwner(
  tx: Tx,
  person: SigningIn,
  lock: { readonly until: Date; readonly passwordKnown: boolean },
  enqueueMail: EnqueueMail,
): Promise<void> {
  const { name: tenantName } = await getTenant(tx);
  const until = lock.until.toISOString();
  const known = lock.passwordKnown ? ({ passwordKnown: true } as const) : {};
  try {
    await enqueueMail(tx, { kind: 'locked', to: mailAddressOf(person), tenantName, until, ...known });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * Continues after a correct password: another step if the person needs one, otherwise the session. The caller holds the
 * user's row, and has checked lock, deactivation, verification and single sign-on.
 */
export async function enter(
  tx: Tx,
  ports: { readonly sessions: Sessions; readonly signIn: Pick<SignInPorts, 'furtherStep'> },
  person: SigningIn,
  method: SignInMethod,
): Promise<Entrance> {
  const step = await ports.signIn.furtherStep(tx, person);
  if (step !== null) return { answer: step, cookie: null };
  return openSession(tx, ports.sessions, person, method);
}

/**
 * Opens the session of a fully verified person: resets counts, and records and audits the sign-in as the person's own
 * action.
 */
export async function openSession(
  tx: Tx,
  sessions: Sessions,
  person: Pick<SigningIn, 'id' | 'name' | 'email' | 'role'>,
  method: SignInMethod,
): Promise<Entrance> {
  const { id, name, email, role } = person;
  await updateLastLogin(tx, id);
  const session = await sessions.startSession(tx, { userId: id, method });
  await recordAudit(tx, {
    action: 'login',
    entityType: 'user',
    entityId: id,
    entityName: name,
    after: { method, sessionId: session.id },
    actor: actorOf(person),
  });
  const tenant = await getTenant(tx);
  return {
    answer: {
      user: { id, name, email, role },
      tenant: { id: tenant.id, name: tenant.name, isPlayground: tenant.isPlayground },
      expiresAt: session.expiresAt.toISOString(),
    },
    cookie: session.cookie,
  };
}
