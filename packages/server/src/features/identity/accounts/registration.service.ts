import { isMailAddress } from '../../../config/mail-settings.ts';
import { DatabaseError, systemActor, type Tx } from '../../../db/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { selectPendingRegistration, voidLink } from '../sessions/index.ts';
import { createTenant, getTenant, isLivingTenant } from '../tenants/index.ts';
import { createPerson, emailKey, lockUserByEmail, type Membership, selectMemberships } from '../users/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';
import { claimTenant } from './registration.store.ts';

/** What a person enters to sign up. */
export interface Registration {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly tenantName?: string | undefined;
}

/** The same with the hash of the password. */
export interface PreparedRegistration extends Omit<Registration, 'password'> {
  readonly passwordHash: string;
}

type RegistrationDependencies = Pick<AccountDependencies, 'database' | 'enqueueMail' | 'links' | 'signUp'>;

const registrant = systemActor('registration');

/** A label for a tenant that was given none, of at most 100 characters. */
export const defaultTenantName = (name: string): string => {
  const label = "'s workspace";
  return `${[...name].slice(0, 100 - label.length).join('')}${label}`;
};

/**
 * Prepares a registration with its password hashed, before anything looks at the address. Throws 403
 * `registration_disabled`, 400 for an address that can't receive email, and 503 `not_configured` when links or email
 * aren't possible.
 */
export async function prepareRegistration(
  deps: Pick<AccountDependencies, 'enqueueMail' | 'links' | 'passwords' | 'signUp'>,
  { password, ...given }: Registration,
): Promise<PreparedRegistration> {
  if (!deps.signUp.isOpen)
    throw new AppError('registration_disabled', { detail: 'Sign-up is disabled on this server.' });
  deps.links.assertConfigured();
  deps.enqueueMail.assertConfigured();
  if (!isMailAddress(given.email)) throw invalid('/email', 'must be an address we can send email to');
  return { ...given, passwordHash: await deps.passwords.hash(password) };
}

/**
 * Signs up (docs/design/api-access.md 4.2, 22). A new address gets its own tenant with the person as its admin, who
 * can't sign in before following the emailed link. A registered but unverified address gets another link, which carries
 * this registration: the followed link decides which one counts. A verified address gets an email that says so.
 */
export async function register(
  deps: RegistrationDependencies,
  given: PreparedRegistration,
  terms: RequestTerms,
): Promise<void> {
  const { database } = deps;
  const memberships = await database.withSystem(
    'registration',
    (tx) => selectMemberships(tx, given.email, null),
    terms,
  );
  const known = memberships.find(isOwned);
  if (known !== undefined) {
    const tell = (tx: Tx) => deps.enqueueMail(tx, { kind: 'registration_known', to: known.email });
    await database.withTenant(known.tenantId, registrant, tell, terms);
    return;
  }
  const tenantId =
    memberships.find(isPending)?.tenantId ??
    (await database.withSystem('registration', (tx) => claimTenant(tx, emailKey(given.email), newId()), terms));
  const work = (tx: Tx) => registerInside(tx, deps, given);
  try {
    await database.withTenant(tenantId, registrant, work, terms);
  } catch (error) {
    // Another registration of the address was faster. The second attempt finds it.
    if (!(error instanceof DatabaseError) || error.kind !== 'unique') throw error;
    await database.withTenant(tenantId, registrant, work, terms);
  }
}

/**
 * Returns true when the address's owner has this account, by verification or the operator's word. An address that a
 * tenant only claims, through its directory or single sign-on, doesn't prevent signing up: otherwise any tenant could
 * lock out the address's owner.
 */
const isOwned = ({ emailVerifiedAt, addressProven, source }: Membership): boolean =>
  emailVerifiedAt !== null && (addressProven || source === 'bootstrap');

const isPending = ({ emailVerifiedAt, source, deactivatedAt }: Membership): boolean =>
  emailVerifiedAt === null && source === 'registration' && deactivatedAt === null;

async function registerInside(
  tx: Tx,
  { enqueueMail, links, signUp }: RegistrationDependencies,
  { name, email, tenantName = defaultTenantName(name), passwordHash }: PreparedRegistration,
): Promise<void> {
  if (!(await isLivingTenant(tx))) {
    const wanted = { name: tenantName, isPlayground: signUp.makesPlaygrounds, bootstrapName: null };
    await createTenant(tx, wanted, signUp.onTenantCreated);
  }
  const known = await lockUserByEmail(tx, email);
  // Verified since we looked: the owner has an account, and this registration must not change it.
  if (known !== undefined && known.emailVerifiedAt !== null) {
    return enqueueMail(tx, { kind: 'registration_known', to: known.email });
  }
  const { id } =
    known ?? (await createPerson(tx, { email, name, role: 'admin', source: 'registration', verified: false }));
  const given = { name, tenantName, passwordHash };
  const { token } = await links.issue(tx, { userId: id, purpose: 'verification', given });
  await enqueueMail(tx, { kind: 'verification', to: known?.email ?? email, name, token });
}

/**
 * Emails the link of an address's newest registration again, in each tenant where it's unverified. The new link
 * replaces that registration's earlier one. Does nothing for other addresses.
 */
export async function resendVerification(
  { database, links, enqueueMail }: Pick<AccountDependencies, 'database' | 'links' | 'enqueueMail'>,
  email: string,
  terms: RequestTerms,
): Promise<void> {
  const memberships = await database.withSystem('registration', (tx) => selectMemberships(tx, email, null), terms);
  for (const { tenantId } of memberships.filter(isPending)) {
    await database.withTenant(
      tenantId,
      registrant,
      async (tx) => {
        const user = await lockUserByEmail(tx, email);
        if (user === undefined || user.emailVerifiedAt !== null || user.deactivatedAt !== null) return;
        const pending = await selectPendingRegistration(tx, user.id);
        if (pending?.passwordHash == null) return;
        const given = {
          name: pending.givenName ?? user.name,
          tenantName: pending.givenTenantName ?? (await getTenant(tx)).name,
          passwordHash: pending.passwordHash,
        };
        await voidLink(tx, pending.id);
        const { token } = await links.issue(tx, { userId: user.id, purpose: 'verification', given });
        await enqueueMail(tx, { kind: 'verification', to: user.email, name: given.name, token });
      },
      terms,
    );
  }
}
