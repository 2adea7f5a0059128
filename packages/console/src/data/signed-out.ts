/** Whether the session of an open page has ended. The page stays as it is and asks for a sign-in over it. */

let asking = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
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

/** A call was refused because the session is over, or somebody wants to sign in before it is. */
export function askToSignIn(): void {
  set(true);
}

/** Somebody has signed in again. */
export function signInDone(): void {
  set(false);
}
