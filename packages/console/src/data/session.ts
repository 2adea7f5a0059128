import type { QueryClient } from '@tanstack/react-query';
import { boot, setBoot } from './boot.ts';
import { call } from './call.ts';
import { endsSession, failureOf } from './failure.ts';
import { signInDone } from './signed-out.ts';
import { forgetAll } from './storage.ts';

/** The end of a session under an open page, and its beginning again. */

/** What became of a sign-in over the page. */
export type SignedInAgain = 'same' | 'other-person' | 'no-session';

/**
 * After a sign-in over the page. Reads that failed for want of a session are asked again; writes wait for the person. When
 * somebody else signed in, or in another tenant, nothing of the page may stay: the caller loads it anew.
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

/** Ends the session. Everything that the browser remembers of the person goes, also when the server does not answer. */
export async function signOut(client: QueryClient): Promise<void> {
  try {
    const { accountOperations } = await import('@arbiter/contract/accounts');
    await call(accountOperations.logout, {});
  } finally {
    client.clear();
    forgetAll();
  }
}

/** How long before its end the page warns of it, in milliseconds. */
export const warnMs = 120_000;

/** What is left of a session, and whether that has to be said. Null: it has no end. */
export function sessionLeft(
  expiresAt: string | null | undefined,
  now: number,
): { readonly ms: number; readonly warn: boolean } | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const ms = Math.max(0, Date.parse(expiresAt) - now);
  return { ms, warn: ms <= warnMs };
}
