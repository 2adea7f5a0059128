import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { type Identity, linkIdentity, selectSubjectOf, selectUserOf } from '../identities/index.ts';
import { voidLinks } from '../sessions/index.ts';
import { createPerson, lockSigningIn, type SigningIn, selectIdByEmail, updateVouched } from '../users/index.ts';
import { parseAddress } from './addresses.rules.ts';
import type { SsoSettings } from './sso-config.rules.ts';
import { lockConfig } from './sso-config.store.ts';

/** The person, according to the tenant's provider. */
export interface Claimed extends Identity {
  readonly email: string | null;
  /** Null when the provider doesn't say. */
  readonly emailVerified: boolean | null;
  readonly name: string | null;
}

/** The tenant's signed-in user, locked until the transaction ends. */
export interface Recognized {
  readonly person: SigningIn;
  /** True when this sign-in created the user. */
  readonly created: boolean;
}

/** The same as for invited people. */
const longestName = 255;

const forbidden = (detail: string) => new AppError('forbidden', { detail });

/**
 * Finds the user of a verified identity: by issuer and subject; otherwise links the verified or invited user with that
 * address; otherwise creates a user, if the tenant allows it (docs/design/api-access.md 22 "SSO"). An address alone
 * never opens an account that belongs to another subject of the issuer, or whose own address isn't verified. Returns
 * the 403 to throw once its audit row is committed.
 */
export async function recognize(tx: Tx, settings: SsoSettings, claimed: Claimed): Promise<Recognized | AppError> {
  const domain = claimed.email === null ? null : (parseAddress(claimed.email)?.domain ?? null);
  const { allowedDomains } = settings;
  if (allowedDomains.length > 0 && (domain === null || !allowedDomains.includes(domain))) {
    return forbidden('Email addresses of this domain are not allowed to sign in.');
  }
  const known = await selectUserOf(tx, claimed.issuer, claimed.subject);
  if (known !== undefined) return admit(tx, known);
  // One at a time, so that two first sign-ins of one person find or create the same user.
  await lockConfig(tx);
  const meanwhile = await selectUserOf(tx, claimed.issuer, claimed.subject);
  if (meanwhile !== undefined) return admit(tx, meanwhile);
  if (claimed.email === null || domain === null) return forbidden('The identity provider sent no email address.');
  // A provider for the tenant's own domains may leave it out. Any other must confirm it.
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
  // Someone who signed up hasn't verified the address, and has chosen a password (docs/design/api-access.md 22).
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
 * Invited people can come in through the tenant's provider: where that's the only way in, the emailed link opens
 * nothing. There's no password yet, and the link can no longer set one.
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
