import type { User } from '@arbiter/contract';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { endSessions, sessionIdOf, voidLinks } from '../sessions/index.ts';
import { changePerson, lockSigningIn, selectSigningIn, updateFailures, upsertPassword } from '../users/index.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { isLocked, missed } from './sign-in.service.ts';

type SelfCaller = Pick<RequestFacts, 'tenantId' | 'actor' | 'credentialId' | 'requestId' | 'until'>;

/** What people can change about themselves. */
export interface SelfChange {
  readonly name?: string;
  readonly currentPassword?: string;
  readonly newPassword?: string;
}

/**
 * Changes name and password of the signed-in person (docs/design/api-access.md 5.2, 22). A new password needs the current one and
 * ends the other sessions and all mailed links; a wrong one is 400 at `/currentPassword` and counts as a failed sign-in.
 */
export async function changeSelf(
  { database, passwords, enqueueMail }: Pick<AccountDependencies, 'database' | 'passwords' | 'enqueueMail'>,
  { tenantId, actor, credentialId, requestId, until }: SelfCaller,
  { name, currentPassword, newPassword }: SelfChange,
): Promise<User> {
  const terms = { requestId, until };
  if (newPassword === undefined && currentPassword !== undefined) throw invalid('/newPassword', 'is required');
  if (newPassword !== undefined && currentPassword === undefined) throw invalid('/currentPassword', 'is required');
  if (newPassword === undefined || currentPassword === undefined) {
    return database.withTenant(
      tenantId,
      actor,
      (tx) => changePerson(tx, actor.id, name === undefined ? {} : { name }),
      terms,
    );
  }
  const before = await database.withTenant(tenantId, actor, (tx) => selectSigningIn(tx, actor.id), terms);
  const isRight = await passwords.verify(before?.passwordHash ?? null, currentPassword);
  const passwordHash = isRight ? await passwords.hash(newPassword) : null;
  const outcome = await database.withTenant(
    tenantId,
    actor,
    async (tx): Promise<User | null> => {
      const person = await lockSigningIn(tx, actor.id);
      if (person === undefined) throw new AppError('not_found', { detail: 'This user does not exist.' });
      if (passwordHash === null || person.passwordHash !== before?.passwordHash) {
        await missed(tx, person, enqueueMail);
        return null;
      }
      if (isLocked(tx, person)) return null;
      await upsertPassword(tx, person.id, passwordHash);
      await updateFailures(tx, person.id, 0, null);
      await voidLinks(tx, person.id);
      await endSessions(tx, person.id, { but: sessionIdOf(credentialId) });
      return changePerson(tx, person.id, name === undefined ? {} : { name }, ['password']);
    },
    terms,
  );
  // Never 401, which would sign the page out.
  if (outcome === null) throw invalid('/currentPassword', 'is wrong');
  return outcome;
}
