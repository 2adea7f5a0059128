import { type Database, systemActor } from '../../../db/index.ts';
import type { Links } from '../sessions/index.ts';
import { lockSigningIn, selectIdByEmail } from '../users/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';
import { openSession } from './sign-in.service.ts';

/**
 * Creates a link that signs in a user once, within ten minutes, for the operator to pass on (docs/design/api-settled.md
 * "Access and console"). Returns its path and query; null when the tenant has no such active user.
 */
export async function makeSignInLink(
  database: Pick<Database, 'withTenant'>,
  links: Links,
  { tenantId, email }: { readonly tenantId: string; readonly email: string },
): Promise<{ readonly path: string; readonly expiresAt: Date } | null> {
  return database.withTenant(tenantId, systemActor('sign-in-link'), async (tx) => {
    const id = await selectIdByEmail(tx, email);
    const person = id === undefined ? undefined : await lockSigningIn(tx, id);
    if (person === undefined || person.deactivatedAt !== null) return null;
    const { token, expiresAt } = await links.issue(tx, { userId: person.id, purpose: 'sign_in' });
    return { path: `/first-run?token=${token}`, expiresAt };
  });
}

/** Follows such a link: the cookie of a session; null when the link is unknown, used or too old. */
export async function enterByLink(
  { database, links, sessions }: Pick<AccountDependencies, 'database' | 'links' | 'sessions'>,
  token: string,
  terms: RequestTerms,
): Promise<string | null> {
  const tenantId = await links.placeOf(database, 'sign_in', token);
  if (tenantId === null) return null;
  return database.withTenant(
    tenantId,
    systemActor('sign-in-link'),
    async (tx) => {
      const link = await links.lock(tx, 'sign_in', token);
      if (link === undefined || link.usedAt !== null || link.voidedAt !== null || link.expiresAt <= tx.now) return null;
      const person = await lockSigningIn(tx, link.userId);
      if (person === undefined || person.deactivatedAt !== null) return null;
      await links.use(tx, link);
      return (await openSession(tx, sessions, person, 'link')).cookie;
    },
    terms,
  );
}
