import type { User } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { EnqueueMail } from '../mail/index.ts';
import { endSessions } from '../sessions/index.ts';
import { getUser, lockSigningIn } from '../users/index.ts';
import { remove } from './factors.service.ts';
import { deleteFactor, lockFactor } from './second-factor.store.ts';

/**
 * Takes a user's second factor away, ends the user's sessions and tells the user; nothing happens where none is on. Throws 404, and
 * 403 for one's own: a session that was stolen must not rid itself of it.
 */
export async function resetSecondFactor(tx: Tx, enqueueMail: EnqueueMail, id: string): Promise<User> {
  const user = await getUser(tx, id);
  if (tx.actor.id === user.id) {
    throw new AppError('forbidden', { detail: 'To disable your own second factor, use your password and a code.' });
  }
  const person = await lockSigningIn(tx, user.id);
  const factor = await lockFactor(tx, user.id);
  if (person === undefined || factor === undefined) return user;
  if (factor.enabledAt === null) {
    await deleteFactor(tx, user.id);
    return user;
  }
  await remove(tx, enqueueMail, person, 'reset');
  await endSessions(tx, user.id);
  return getUser(tx, user.id);
}
