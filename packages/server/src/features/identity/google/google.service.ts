import { type Actor, type Database, DatabaseError, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import type { OidcPerson } from '../../../platform/oidc.ts';
import { actorOf, claimTenant, defaultTenantName, openSession, type SignUp } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type Identity, linkIdentity, selectPlacesOf, selectSubjectOf } from '../identities/index.ts';
import type { EnqueueMail } from '../mail/index.ts';
import { endSessions, type Sessions } from '../sessions/index.ts';
import { requiresSso } from '../sso/index.ts';
import { createTenant } from '../tenants/index.ts';
import {
  createPerson,
  deleteUnprovenPassword,
  lockSigningIn,
  type SigningIn,
  selectByLastLogin,
  selectMemberships,
  updateVerified,
} from '../users/index.ts';

/** What a sign-in with Google opens: a member's session, or their own tenant. */

export interface EntranceDependencies {
  readonly database: Pick<Database, 'withTenant' | 'withSystem'>;
  readonly sessions: Sessions;
  /** Strangers become admins of a tenant of their own, as by registration. */
  readonly signUp: SignUp;
  readonly enqueueMail: EnqueueMail;
}

/** From the request, for the service's own transactions. */
export interface GoogleRequestTerms {
  readonly requestId: string;
  readonly until: number;
}

/** Someone for whom Google has vouched, with a verified address. */
export interface GooglePerson extends Identity {
  readonly email: string;
  readonly name: string;
}

const forbidden = (detail: string) => new AppError('forbidden', { detail });

const longestName = 100;

/** The person of Google's answer. Throws 403 when Google does not vouch for an address. */
export function vouchedFor({ issuer, subject, email, emailVerified, name }: OidcPerson): GooglePerson {
  if (email === null || emailVerified !== true) throw forbidden("Google hasn't verified this email address.");
  return { issuer, subject, email, name: (name ?? email).slice(0, longestName) };
}

const nobody: Actor = systemActor('google');

/**
 * Signs in the person Google vouches for (docs/design/api-access.md 4.2, 22): a user linked by subject; otherwise links
 * the verified user with this address; otherwise creates a tenant. Of several memberships, uses the last used one.
 * Returns the session's `Set-Cookie`. Throws 403 `sso_required`, `registration_disabled` or `forbidden`.
 */
export async function enterByGoogle(
  deps: EntranceDependencies,
  person: GooglePerson,
  terms: GoogleRequestTerms,
): Promise<string> {
  deps.sessions.assertConfigured();
  try {
    return await findOrSettle(deps, person, terms);
  } catch (error) {
    // Another first sign-in of the same person was faster; the second attempt finds what it created.
    if (!(error instanceof DatabaseError) || error.kind !== 'unique') throw error;
    return findOrSettle(deps, person, terms);
  }
}

async function findOrSettle(
  deps: EntranceDependencies,
  person: GooglePerson,
  terms: GoogleRequestTerms,
): Promise<string> {
  const { linked, byAddress } = await deps.database.withSystem(
    'google',
    async (tx) => ({
      linked: await selectByLastLogin(tx, await selectPlacesOf(tx, person.issuer, person.subject)),
      byAddress: await selectMemberships(tx, person.email, null),
    }),
    terms,
  );
  const [place] = linked;
  if (place !== undefined) {
    return enter(deps, place.tenantId, (tx) => recognize(tx, place.id), terms);
  }
  // A directory or a single sign-on of some tenant may call an address verified that was never proven to us: such a
  // membership comes after those that were.
  const inOrder = byAddress.toSorted((a, b) => Number(b.addressProven) - Number(a.addressProven));
  for (const { tenantId, id } of inOrder) {
    const isMeant = await deps.database.withTenant(tenantId, nobody, (tx) => isVerified(tx, id), terms);
    if (!isMeant) continue;
    const cookie = await enter(deps, tenantId, (tx) => adopt(tx, id, person), terms);
    // Lets the person switch between them without a password (docs/design/api-settled.md "Access and console").
    for (const other of inOrder.filter((each) => each.addressProven && each.tenantId !== tenantId)) {
      await deps.database.withTenant(other.tenantId, nobody, (tx) => linkToo(tx, other.id, person), terms);
    }
    return cookie;
  }
  return settle(deps, person, terms);
}

/** Anyone may have typed an unverified address: its row is never linked, and its password never opens a linked one. */
async function isVerified(tx: Tx, id: string): Promise<boolean> {
  return (await lockSigningIn(tx, id))?.emailVerifiedAt != null;
}

/** In a tenant with this person: finds the user, then opens the session as that user, whom the audit log names. */
async function enter(
  { database, sessions }: EntranceDependencies,
  tenantId: string,
  find: (tx: Tx) => Promise<SigningIn | AppError>,
  terms: GoogleRequestTerms,
): Promise<string> {
  const found = await database.withTenant(tenantId, nobody, find, terms);
  if (found instanceof AppError) throw found;
  return open({ database, sessions }, tenantId, found, terms);
}

async function open(
  { database, sessions }: Pick<EntranceDependencies, 'database' | 'sessions'>,
  tenantId: string,
  person: SigningIn,
  terms: GoogleRequestTerms,
): Promise<string> {
  const { cookie } = await database.withTenant(
    tenantId,
    actorOf(person),
    async (tx) => {
      const current = await lockSigningIn(tx, person.id);
      if (current === undefined || current.deactivatedAt !== null) throw forbidden('This user is deactivated.');
      return openSession(tx, sessions, current, 'google');
    },
    terms,
  );
  if (cookie === null) throw new Error('an opened session has a cookie');
  return cookie;
}

/** Returns a user who may enter, or the refusal, to be thrown after its audit row is committed. */
async function recognize(tx: Tx, id: string): Promise<SigningIn | AppError> {
  const person = await lockSigningIn(tx, id);
  if (person === undefined) throw new Error('an identity has a user');
  if (person.deactivatedAt !== null) return refuse(tx, person, forbidden('This user is deactivated.'));
  if (await requiresSso(tx)) {
    const detail = 'This tenant uses single sign-on.';
    return refuse(tx, person, new AppError('sso_required', { detail }));
  }
  return person;
}

/** Links the user with this address. */
async function adopt(tx: Tx, id: string, identity: GooglePerson): Promise<SigningIn | AppError> {
  const person = await recognize(tx, id);
  if (person instanceof AppError) return person;
  // Read again now that nobody else can change the user.
  const subject = await selectSubjectOf(tx, identity.issuer, id);
  if (subject === identity.subject) return person;
  if (subject !== undefined) {
    return refuse(tx, person, forbidden('This email address belongs to a different Google account.'));
  }
  await linkIdentity(tx, person, identity);
  // Whoever set it doesn't own the address; the owner is here now.
  if (await deleteUnprovenPassword(tx, id)) await endSessions(tx, id);
  await updateVerified(tx, id, null);
  return person;
}

/** Links another membership whose address its owner has proven, if Google may open it. */
async function linkToo(tx: Tx, id: string, identity: GooglePerson): Promise<void> {
  const person = await lockSigningIn(tx, id);
  const isOpen = person?.emailVerifiedAt != null && person.deactivatedAt === null && !(await requiresSso(tx));
  if (!isOpen || (await selectSubjectOf(tx, identity.issuer, id)) !== undefined) return;
  await linkIdentity(tx, person, identity);
}

async function refuse(tx: Tx, { id, name }: SigningIn, refusal: AppError): Promise<AppError> {
  await recordAudit(tx, { action: 'login_failed', entityType: 'user', entityId: id, entityName: name });
  return refusal;
}

/** A tenant of the stranger's own, with the stranger as its admin. */
async function settle(deps: EntranceDependencies, identity: GooglePerson, terms: GoogleRequestTerms): Promise<string> {
  const { signUp, enqueueMail } = deps;
  if (!signUp.isOpen) throw new AppError('registration_disabled', { detail: 'Registration is disabled.' });
  const { email, name, issuer, subject } = identity;
  // Two first sign-ins at once create one tenant: the second writer finds the first, and starts over.
  const tenantId = await deps.database.withSystem(
    'google',
    (tx) => claimTenant(tx, `google:${issuer}:${subject}`, newId()),
    terms,
  );
  const createdPerson = await deps.database.withTenant(
    tenantId,
    nobody,
    async (tx) => {
      const tenantName = defaultTenantName(name);
      const tenant = { name: tenantName, isPlayground: signUp.makesPlaygrounds, bootstrapName: null };
      await createTenant(tx, tenant, signUp.onTenantCreated);
      const wanted = { email, name, role: 'admin', source: 'google', verified: true, addressProven: true } as const;
      const { id } = await createPerson(tx, wanted);
      await linkIdentity(tx, { id, name }, identity);
      await enqueueMail(tx, { kind: 'welcome', to: email, name, tenantName });
      return lockSigningIn(tx, id);
    },
    terms,
  );
  if (createdPerson === undefined) throw new Error('the user was just created');
  return open(deps, tenantId, createdPerson, terms);
}
