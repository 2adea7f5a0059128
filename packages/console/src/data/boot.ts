import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import type { Role } from '@arbiter/contract/operation';

/** What is known of the caller before the first request: the server writes it into the page, and it changes at sign-in and sign-out. */

let known: ConsoleBoot = { authenticated: false, signIn: { google: false, registration: false, sso: false } };
const listeners = new Set<() => void>();

/** The boot block as it stands now. */
export function boot(): ConsoleBoot {
  return known;
}

/** Takes a new boot block, at the start and after a sign-in, and tells those who listen. */
export function setBoot(block: ConsoleBoot): void {
  known = block;
  for (const listener of listeners) listener();
}

/** Calls back after each change; answers with what ends that. */
export function onBoot(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Role of the signed-in person; null for nobody. */
export function roleOf(block: ConsoleBoot): Role | null {
  return block.authenticated ? (block.session.principal?.role ?? null) : null;
}

/** Id of the tenant that the session belongs to; empty without a session. */
export function tenantOf(block: ConsoleBoot): string {
  return block.authenticated ? (block.session.tenant?.id ?? '') : '';
}

/** Reads the text of the page's boot block; null when the page has none (the development server writes none). */
export function readBoot(text: string): ConsoleBoot | null {
  return text.trim() === '' ? null : (JSON.parse(text) as ConsoleBoot);
}
