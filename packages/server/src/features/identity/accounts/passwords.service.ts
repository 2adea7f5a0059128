import { createHash } from 'node:crypto';
import type { Database, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import type { RateLimitStore } from '../../../http/limits/rate-limit.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isEmail } from '../../../platform/formats.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessions, type FoundLink, type LinkPurpose, type Links, voidLinks } from '../sessions/index.ts';
import { getTenant } from '../tenants/index.ts';
import {
  emailKey,
  lockUser,
  mailAddressOf,
  selectMemberships,
  type UserRow,
  updateFailures,
  updateVerified,
  upsertPassword,
} from '../users/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';

/** Passwords that are set by a mailed link (docs/design/api-access.md 4.2, 22). */

const visitor = systemActor('password-reset');

const perAddress = { limit: 5, windowSeconds: 3_600 } as const;
const storeDownRetrySeconds = 5;

/**
 * Counts a call that emails an address, known or not: five an hour, whoever calls (docs/design/api-access.md 17).
 * Throws 429, also when counting fails. `what` names the window.
 */
export async function countMailTo(limits: RateLimitStore, what: string, email: string): Promise<void> {
  const { limit, windowSeconds } = perAddress;
  // No table of limits contains the address itself, and callers can't choose the key's length.
  const who = createHash('sha256').update(emailKey(email)).digest('base64url');
  const name = `${what}:${limit}/${windowSeconds}:${who}`;
  let verdict: Awaited<ReturnType<RateLimitStore['take']>>;
  try {
    verdict = await limits.take({ tenantId: null, name, limit, windowSeconds });
  } catch (cause) {
    const detail = "Rate limits can't be checked right now. Try again in a moment.";
    throw new AppError('rate_limited', { detail, retryAfterSeconds: storeDownRetrySeconds, cause });
  }
  if (verdict.allowed) return;
  const detail = `At most ${limit} calls for one address in ${windowSeconds} seconds.`;
  throw new AppError('rate_limited', { detail, retryAfterSeconds: verdict.resetSeconds });
}

/** Emails a link for each of the address's tenants where its user is active. Each replaces the earlier one. */
export async function forgotPassword(
  { database, links, enqueueMail }: Pick<AccountDependencies, 'database' | 'links' | 'enqueueMail'>,
  email: string,
  terms: RequestTerms,
): Promise<void> {
  const memberships = await database.withSystem('password-reset', (tx) => selectMemberships(tx, email, null), terms);
  for (const { tenantId, id } of memberships) {
    await database.withTenant(
      tenantId,
      visitor,
      async (tx) => {
        const user = await lockUser(tx, id);
        // A directory's user name may not be an email address. Then answer as for an unknown address.
        if (user === undefined || user.deactivatedAt !== null || !isEmail(mailAddressOf(user))) return;
        const { token } = await links.issue(tx, { userId: id, purpose: 'reset' });
        await enqueueMail(tx, {
          kind: 'reset',
          to: mailAddressOf(user),
          tenantName: (await getTenant(tx)).name,
          token,
        });
      },
      terms,
    );
  }
}

const tokenInvalid = () => new AppError('token_invalid', { detail: 'This link is invalid, expired or already used.' });

/**
 * Returns the tenant of a usable token. Call it before hashing the password, so that made-up tokens cost no hash.
 * Throws 400 `token_invalid`.
 */
export async function placeOfToken(
  database: Database,
  links: Links,
  purpose: LinkPurpose,
  token: string,
): Promise<string> {
  const tenantId = await links.placeOf(database, purpose, token);
  if (tenantId === null) throw tokenInvalid();
  return tenantId;
}

/** The link of a token, with its user, both locked. Throws 400 `token_invalid` unless it may be used now. */
export async function lockUsable(
  tx: Tx,
  links: Links,
  purpose: LinkPurpose,
  token: string,
): Promise<{ readonly link: FoundLink; readonly user: UserRow }> {
  const link = await links.lock(tx, purpose, token);
  if (link === undefined || link.usedAt !== null || link.voidedAt !== null || link.expiresAt <= tx.now) {
    throw tokenInvalid();
  }
  const user = await lockUser(tx, link.userId);
  if (user === undefined || user.deactivatedAt !== null) throw tokenInvalid();
  return { link, user };
}

/**
 * Sets a new password by the link that was mailed: proves the address, ends all sessions and the lock, and voids every other
 * link of the user, registrations that wait included. Throws 400 `token_invalid`.
 */
export async function resetPassword(
  { database, links, passwords }: Pick<AccountDependencies, 'database' | 'links' | 'passwords'>,
  given: { readonly token: string; readonly password: string },
  terms: RequestTerms,
): Promise<void> {
  const tenantId = await placeOfToken(database, links, 'reset', given.token);
  const passwordHash = await passwords.hash(given.password);
  await database.withTenant(
    tenantId,
    visitor,
    async (tx) => {
      const { link, user } = await lockUsable(tx, links, 'reset', given.token);
      await links.use(tx, link);
      await voidLinks(tx, user.id);
      await upsertPassword(tx, user.id, passwordHash);
      await updateVerified(tx, user.id, null);
      await updateFailures(tx, user.id, 0, null);
      await endSessions(tx, user.id);
      await recordAudit(tx, {
        action: 'password_reset',
        entityType: 'user',
        entityId: user.id,
        entityName: user.name,
        secretsGiven: ['password'],
        actor: { id: user.id, name: user.name, role: 'viewer' },
      });
    },
    terms,
  );
}
