import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { type Identity, linkIdentity, selectSubjectOf, selectUserOf } from '../identities/index.ts';
import { voidLinks } from '../sessions/index.ts';
import { createPerson, lockSigningIn, type SigningIn, selectIdByEmail, updateVouched } from '../users/index.ts';
import { parseAddress } from './addresses.rules.ts';
import type { SsoSettings } from './sso-config.rules.ts';
import { lockConfig } from './sso-config.store.ts';

/** Who signed in, as the tenant's provider says. */
export interface Claimed extends Identity {
  readonly email: string | null;
  /** Null when the provider does not say. */
  readonly emailVerified: boolean | null;
  readonly name: string | null;
}

/** The user of the tenant who signed in, locked until the transaction ends. */
export interface Recognized {
  readonly person: SigningIn;
  /** True when this sign-in made the user. */
  readonly created: boolean;
}

/** As for people who are invited. */
const longestName = 255;

const forbidden = (detail: string) => new AppError('forbidden', { detail });

/**
 * Finds the user of a proven identity: by issuer and subject; else the verified or invited user with that address is linked; else a
 * stranger becomes a user, where the tenant wants that (docs/design/api-access.md 22 "SSO"). An address alone never opens an
 * account that another subject of the issuer has, or whose own address nobody has proven. Answers with the 403 to be thrown
 * once its audit row is committed.
 */
export async function recognize(tx: Tx, settings: SsoSettings, claimed: Claimed): Promise<Recognized | AppError> {
  const domain = claimed.email === null ? null : (parseAddress(claimed.email)?.domain ?? null);
  const { allowedDomains } = settings;
  if (allowedDomains.length > 0 && (domain === null || !allowedDomains.includes(domain))) {
    return forbidden('Email addresses of this domain are not allowed to sign in.');
  }
  const known = await selectUserOf(tx, claimed.issuer, claimed.subject);
  if (known !== undefined) return admit(tx, known);
  // One at a time: two first sign-ins of one person find or make one user.
  await lockConfig(tx);
  const meanwhile = await selectUserOf(tx, claimed.issuer, claimed.subject);
  if (meanwhile !== undefined) return admit(tx, meanwhile);
  if (claimed.email === null || domain === null) return forbidden('The identity provider sent no email address.');
  // A provider of one's own domains need not say what goes without saying; any other must.
  if (!(claimed.emailVerified ?? allowedDomains.length > 0)) return forbidden('The email address is not verified.');
  const holder = await selectIdByEmail(tx, claimed.email);
  return holder === undefined
    ? provision(tx, settings, { ...claimed, email: claimed.email })
    : link(tx, holder, claimed);
}

async function admit(tx: Tx, userId: string): Promise<Recognized | AppError> {
  const person = await lockSigningIn(tx, userId);
  if (person === undefined) throw new Error('an identity has a user');
  return person.deactivatedAt === null ? { person, created: false } : refuse(tx, person, 'This user is deactivated.');
}

async function link(tx: Tx, userId: string, claimed: Claimed): Promise<Recognized | AppError> {
  const person = await lockSigningIn(tx, userId);
  if (person === undefined) throw new Error('an address belongs to a user');
  if (person.deactivatedAt !== null) return refuse(tx, person, 'This user is deactivated.');
  // Whoever signed up has not proven the address, and has chosen a password (docs/design/api-access.md 22).
  const isInvited = person.emailVerifiedAt === null && person.source === 'invite';
  if (person.emailVerifiedAt === null && !isInvited) return refuse(tx, person, 'Verify your email address first.');
  if ((await selectSubjectOf(tx, claimed.issuer, person.id)) !== undefined) {
    return refuse(tx, person, 'This email address belongs to a different person at the identity provider.');
  }
  if (isInvited) await join(tx, person);
  await linkIdentity(tx, person, claimed);
  return { person, created: false };
}

/**
 * Whom the tenant has invited comes in by its own provider: where that is the only way in, the mailed link opens nothing. There is
 * no password yet, and the link sets none any more.
 */
async function join(tx: Tx, person: SigningIn): Promise<void> {
  await updateVouched(tx, person.id);
  await voidLinks(tx, person.id);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: person.id,
    entityName: person.name,
    before: { emailVerifiedAt: null },
    after: { emailVerifiedAt: tx.now },
  });
}

async function provision(
  tx: Tx,
  settings: SsoSettings,
  claimed: Claimed & { readonly email: string },
): Promise<Recognized | AppError> {
  if (!settings.autoProvision) return forbidden('There is no account for this person.');
  const { email } = claimed;
  const name = (claimed.name ?? email).slice(0, longestName);
  const { id } = await createPerson(tx, { email, name, role: settings.defaultRole, source: 'sso', verified: true });
  const person = await lockSigningIn(tx, id);
  if (person === undefined) throw new Error('the user was just created');
  await linkIdentity(tx, person, claimed);
  return { person, created: true };
}

/** Notes that a known user was refused (docs/design/api-access.md 4.2). */
async function refuse(tx: Tx, { id, name }: SigningIn, detail: string): Promise<AppError> {
  await recordAudit(tx, { action: 'login_failed', entityType: 'user', entityId: id, entityName: name });
  return forbidden(detail);
}
