import type { Invited, User } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { voidLinks } from '../sessions/index.ts';
import { getTenant } from '../tenants/index.ts';
import {
  createPerson,
  getUser,
  lockSigningIn,
  lockUser,
  roleOfUser,
  type UserRole,
  type UserRow,
  updateVerified,
  upsertPassword,
} from '../users/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';
import { countMailTo, lockUsable, placeOfToken } from './passwords.service.ts';
import { type Entrance, enter } from './sign-in.service.ts';

type InvitationDependencies = Pick<AccountDependencies, 'links' | 'enqueueMail'>;

/**
 * Creates a user who may sign in after following the emailed link. Throws 409 `duplicate_email`, 503 `not_configured`.
 */
export async function invite(
  tx: Tx,
  deps: InvitationDependencies,
  wanted: { readonly email: string; readonly name?: string; readonly role?: UserRole },
): Promise<Invited> {
  deps.links.assertConfigured();
  const { email, name = email, role = 'viewer' } = wanted;
  const user = await createPerson(tx, { email, name, role, source: 'invite', verified: false });
  await mailInvitation(tx, deps, user);
  return { ...(await getUser(tx, user.id)), message: 'We emailed an invitation. The link is valid for seven days.' };
}

/**
 * Emails another link, which replaces the earlier one. Throws 404, 409 when the user has accepted or is deactivated,
 * and 429 when the address was emailed too often: anyone can have a tenant, and could flood others with its
 * invitations.
 */
export async function inviteAgain(
  tx: Tx,
  deps: InvitationDependencies & Pick<AccountDependencies, 'rateLimits'>,
  id: string,
): Promise<User> {
  deps.links.assertConfigured();
  const user = isUuid(id) ? await lockUser(tx, id) : undefined;
  if (user === undefined) throw new AppError('not_found', { detail: 'This user does not exist.' });
  if (user.emailVerifiedAt !== null || user.deactivatedAt !== null || user.source !== 'invite') {
    throw new AppError('invalid_transition', {
      detail: 'This user has already accepted the invitation.',
    });
  }
  await countMailTo(deps.rateLimits, 'users.resendInvite', user.email);
  await mailInvitation(tx, deps, user);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: user.id,
    entityName: user.name,
    secretsGiven: ['invitation'],
  });
  return getUser(tx, id);
}

async function mailInvitation(tx: Tx, { links, enqueueMail }: InvitationDependencies, user: UserRow): Promise<void> {
  const { token } = await links.issue(tx, { userId: user.id, purpose: 'invitation' });
  await enqueueMail(tx, {
    kind: 'invitation',
    to: user.email,
    tenantName: (await getTenant(tx)).name,
    invitedBy: isUuid(tx.actor.id) ? tx.actor.name : null,
    token,
  });
}

/**
 * Accepts an invitation: the password is set, the address proven, and the person signed in as by password. Throws 400
 * `token_invalid` and 403 `sso_required`.
 */
export async function acceptInvitation(
  deps: AccountDependencies,
  given: { readonly token: string; readonly name?: string; readonly password: string },
  terms: RequestTerms,
): Promise<Entrance> {
  const { database, links, passwords, sessions, signIn } = deps;
  sessions.assertConfigured();
  const tenantId = await placeOfToken(database, links, 'invitation', given.token);
  const passwordHash = await passwords.hash(given.password);
  // Only the link identifies the person. The audit rows name the user.
  const person = await database.withTenant(
    tenantId,
    { id: 'system:invitation', name: 'system', role: 'viewer' },
    async (tx) => (await lockUsable(tx, links, 'invitation', given.token)).user,
    terms,
  );
  const actor = { id: person.id, name: given.name ?? person.name, role: roleOfUser(person.role) };
  return database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      const { link, user } = await lockUsable(tx, links, 'invitation', given.token);
      if (await signIn.requiresSso(tx)) {
        throw new AppError('sso_required', { detail: 'This tenant uses single sign-on.' });
      }
      await links.use(tx, link);
      await voidLinks(tx, user.id);
      await upsertPassword(tx, user.id, passwordHash);
      await updateVerified(tx, user.id, given.name ?? null);
      const joined = await lockSigningIn(tx, user.id);
      if (joined === undefined) throw new Error('the user was just read');
      await recordAudit(tx, {
        action: 'update',
        entityType: 'user',
        entityId: user.id,
        entityName: joined.name,
        before: user,
        after: { ...user, name: joined.name, emailVerifiedAt: joined.emailVerifiedAt, addressProven: true },
        secretsGiven: ['password'],
      });
      return enter(tx, { sessions, signIn }, joined, 'password');
    },
    terms,
  );
}
