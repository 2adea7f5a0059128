/** Whether the session of an open page has ended. The page stays and prompts for a sign-in. */

let asking = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (asking === next) return;
  asking = next;
  for (const listener of listeners) listener();
}

/** True while the page waits for a sign-in. */
export function isAskingToSignIn(): boolean {
  return asking;
}

export function onSignInRequest(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called when a call failed because the session ended, or when the user wants to sign in early. */
export function askToSignIn(): void {
  set(true);
}

/** Called after the user has signed in again. */
export function signInDone(): void {
  set(false);
}
