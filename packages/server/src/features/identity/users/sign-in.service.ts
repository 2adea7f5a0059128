import type { Role } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { SessionHolder } from '../sessions/index.ts';
import { selectHolder } from './sign-in.store.ts';
import type { UserRole } from './users.store.ts';

/**
 * Returns a person's role: a member, created by a directory, can only read until an admin changes that
 * (docs/design/api-access.md 4.4).
 */
export const roleOfUser = (role: UserRole): Role => (role === 'member' ? 'viewer' : role);

/**
 * Returns a session's user; undefined when the session, the person or the tenant no longer exists. Needs a system
 * transaction.
 */
export async function readSessionHolder(
  tx: Tx,
  session: { readonly tenantId: string; readonly userId: string; readonly sessionId: string },
): Promise<SessionHolder | undefined> {
  const row = await selectHolder(tx, session);
  return row === undefined ? undefined : { name: row.name, role: roleOfUser(row.role), endsAt: row.endsAt };
}
