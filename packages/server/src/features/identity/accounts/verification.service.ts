import { systemActor, type Tx } from '../../../db/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type FoundLink, voidLinks } from '../sessions/index.ts';
import { getTenant, renameTenant } from '../tenants/index.ts';
import { lockUser, type UserRow, updateVerified, upsertPassword } from '../users/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';

/** The result of following the link: the query of `/login`. */
export type Verified = { readonly verified: 'true' } | { readonly error: 'invalid-token' | 'expired-token' };

const verified: Verified = { verified: 'true' };
const invalid: Verified = { error: 'invalid-token' };

const visitor = systemActor('verification');

/**
 * Proves an address by the link that was mailed to it (docs/design/api-access.md 4.2). Name, password and tenant name of this
 * link's registration count from now on; all other registrations of the address are void (22, "Squatting"). Following the
 * link again changes nothing.
 */
export async function verifyAddress(
  { database, links }: Pick<AccountDependencies, 'database' | 'links'>,
  token: string,
  terms: RequestTerms,
): Promise<Verified> {
  const tenantId = await links.placeOf(database, 'verification', token);
  if (tenantId === null) return invalid;
  return database.withTenant(
    tenantId,
    visitor,
    async (tx): Promise<Verified> => {
      const link = await links.lock(tx, 'verification', token);
      const user = link === undefined ? undefined : await lockUser(tx, link.userId);
      if (link === undefined || user === undefined || user.deactivatedAt !== null) return invalid;
      if (link.usedAt !== null) return user.emailVerifiedAt === null ? invalid : verified;
      if (link.voidedAt !== null) return invalid;
      // Verified in another way in the meantime: the registration's data must not change the account.
      if (user.emailVerifiedAt !== null) return verified;
      if (link.expiresAt <= tx.now) return { error: 'expired-token' };
      await links.use(tx, link);
      await voidLinks(tx, user.id, 'verification');
      await settle(tx, user, link);
      return verified;
    },
    terms,
  );
}

/** Applies the data that came with the link to the user. */
async function settle(tx: Tx, user: UserRow, { givenName, givenTenantName, passwordHash }: FoundLink): Promise<void> {
  await updateVerified(tx, user.id, givenName);
  if (passwordHash !== null) await upsertPassword(tx, user.id, passwordHash);
  if (givenTenantName !== null && (await getTenant(tx)).name !== givenTenantName)
    await renameTenant(tx, givenTenantName);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: user.id,
    entityName: givenName ?? user.name,
    before: user,
    after: {
      ...user,
      name: givenName ?? user.name,
      emailVerifiedAt: user.emailVerifiedAt ?? tx.now,
      addressProven: true,
    },
    secretsGiven: ['password'],
  });
}
