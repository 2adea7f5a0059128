import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import type { Role } from '@arbiter/contract/core/operation';

/** What the page knows before the first request. The server writes it into the page. It changes at sign-in and sign-out. */

let known: ConsoleBoot = { authenticated: false, signIn: { google: false, registration: false, sso: false } };
const listeners = new Set<() => void>();

/** Returns the current boot block. */
export function boot(): ConsoleBoot {
  return known;
}

/** Sets a new boot block, on startup and after a sign-in, and notifies listeners. */
export function setBoot(block: ConsoleBoot): void {
  known = block;
  for (const listener of listeners) listener();
}

/** Calls back after each change. Returns a function that stops it. */
export function onBoot(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the role of the signed-in user, or null. */
export function roleOf(block: ConsoleBoot): Role | null {
  return block.authenticated ? (block.session.principal?.role ?? null) : null;
}

/** Returns the tenant ID of the session; empty without a session. */
export function tenantOf(block: ConsoleBoot): string {
  return block.authenticated ? (block.session.tenant?.id ?? '') : '';
}

/** Parses the page's boot block. Returns null if the page has none, as on the development server. */
export function readBoot(text: string): ConsoleBoot | null {
  return text.trim() === '' ? null : (JSON.parse(text) as ConsoleBoot);
}
