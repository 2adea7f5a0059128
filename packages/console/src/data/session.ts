import type { QueryClient } from '@tanstack/react-query';
import { boot, setBoot } from './boot.ts';
import { call } from './call.ts';
import { endsSession, failureOf } from './failure.ts';
import { signInDone } from './signed-out.ts';
import { forgetAll } from './storage.ts';

/** Ends a session under an open page, and resumes it. */

/** Result of signing in over the page. */
export type SignedInAgain = 'same' | 'other-person' | 'no-session';

/**
 * Resumes after a sign-in over the page. Retries reads that failed without a session; writes wait for the user. If someone
 * else signed in, or to another tenant, the caller reloads the page.
 */
export async function signedInAgain(client: QueryClient): Promise<SignedInAgain> {
  const before = boot();
  const { fetchBoot } = await import('./fetch-boot.ts');
  const after = await fetchBoot();
  if (!after.authenticated) return 'no-session';
  const same =
    !before.authenticated ||
    (before.session.principal?.id === after.session.principal?.id &&
      before.session.tenant?.id === after.session.tenant?.id);
  if (!same) {
    forgetAll();
    return 'other-person';
  }
  setBoot(after);
  signInDone();
  void client.refetchQueries({
    predicate: ({ state }) => state.error !== null && endsSession(failureOf(state.error)),
  });
  return 'same';
}

/** Ends the session and deletes everything this browser stored for the user, even if the server doesn't respond. */
export async function signOut(client: QueryClient): Promise<void> {
  try {
    const { accountOperations } = await import('@arbiter/contract/identity/accounts');
    await call(accountOperations.logout, {});
  } finally {
    client.clear();
    forgetAll();
  }
}

/** How long before the session ends the page shows a warning, in milliseconds. */
export const warnMs = 120_000;

/** Returns the time left and whether to show it; null for a session without an end. */
export function sessionLeft(
  expiresAt: string | null | undefined,
  now: number,
): { readonly ms: number; readonly warn: boolean } | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const ms = Math.max(0, Date.parse(expiresAt) - now);
  return { ms, warn: ms <= warnMs };
}
