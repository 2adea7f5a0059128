import { presentedCredential } from '../../../http/binding/credentials.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession, sessionIdOf } from '../sessions/index.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';

/** Ends the session of a cookie; nothing happens without one that lives (docs/design/api-access.md 22). */
export async function signOut(
  { database, authenticate }: Pick<AccountDependencies, 'database' | 'authenticate'>,
  cookie: string | undefined,
  terms: RequestTerms,
): Promise<void> {
  const principal = await provenSession(authenticate, cookie);
  if (principal === null) return;
  const { tenantId, actor, credentialId } = principal;
  const sessionId = sessionIdOf(credentialId);
  if (sessionId === null) return;
  await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      if (!(await endSession(tx, sessionId))) return;
      await recordAudit(tx, { action: 'logout', entityType: 'user', entityId: actor.id, entityName: actor.name });
    },
    terms,
  );
}

async function provenSession(authenticate: AccountDependencies['authenticate'], cookie: string | undefined) {
  try {
    const presented = presentedCredential({ headers: { cookie }, rawHeaders: [] });
    return presented === null ? null : await authenticate(presented);
  } catch (error) {
    // Two different cookies, or no secret configured: nobody is signed in.
    if (error instanceof AppError && error.code === 'unauthorized') return null;
    throw error;
  }
}
