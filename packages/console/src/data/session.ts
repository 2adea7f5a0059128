import { accountOperations } from '@arbiter/contract/accounts';
import type { QueryClient } from '@tanstack/react-query';
import { boot, setBoot } from './boot.ts';
import { call } from './call.ts';
import { endsSession, failureOf } from './failure.ts';
import { fetchBoot } from './fetch-boot.ts';
import { forgetAll } from './storage.ts';

/** The end of a session under an open page, and its beginning again. */

let asking = false;
const listeners = new Set<() => void>();

function setAsking(next: boolean): void {
  if (asking === next) return;
  asking = next;
  for (const listener of listeners) listener();
}

/** True while the page waits for somebody to sign in again. */
export function isAskingToSignIn(): boolean {
  return asking;
}

export function onSignInAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A call was refused because the session is over: the page stays as it is and asks over it. */
export function askToSignIn(): void {
  setAsking(true);
}

/** What became of a sign-in over the page. */
export type SignedInAgain = 'same' | 'other-person' | 'no-session';

/**
 * After a sign-in over the page. Reads that failed for want of a session are asked again; writes wait for the person. When
 * somebody else signed in, or in another tenant, nothing of the page may stay: the caller loads it anew.
 */
export async function signedInAgain(client: QueryClient): Promise<SignedInAgain> {
  const before = boot();
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
  setAsking(false);
  void client.refetchQueries({
    predicate: ({ state }) => state.error !== null && endsSession(failureOf(state.error)),
  });
  return 'same';
}

/** Ends the session. Everything that the browser remembers of the person goes, also when the server does not answer. */
export async function signOut(client: QueryClient): Promise<void> {
  try {
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
