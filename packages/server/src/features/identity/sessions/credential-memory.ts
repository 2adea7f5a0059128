import type { Database } from '../../../db/index.ts';

/** What was proven of credentials, by a name that is not the credential itself. */
export interface CredentialMemory<Entry extends { readonly principal: { readonly tenantId: string } }> {
  /** Null when nothing is known, or when it may not be relied on at the moment. */
  find(name: string): Entry | null;
  /** To be called before the database is asked; what it gives remembers the answer, unless something changed meanwhile. */
  ask(): (name: string, entry: Entry) => void;
  /** Stops listening for changes. */
  close(): void;
}

const maximumKnown = 10_000;

/**
 * Remembers until the database says that a credential of the tenant changed (channel `arbiter_credentials`), so that
 * a revocation acts on every node within a second. While the channel is not heard, nothing is remembered and nothing known.
 * `onForget` is told of every such message.
 */
export function createCredentialMemory<Entry extends { readonly principal: { readonly tenantId: string } }>(
  database: Pick<Database, 'listen' | 'listening' | 'hears'>,
  onForget: () => void = () => undefined,
): CredentialMemory<Entry> {
  const known = new Map<string, Entry>();
  // Raised by every message: what was read before it must not be remembered after it.
  let generation = 0;
  let subscribed = false;
  const forget = (tenantId: string | null): void => {
    generation += 1;
    onForget();
    if (tenantId === null) known.clear();
    for (const [name, { principal }] of known) if (principal.tenantId === tenantId) known.delete(name);
  };
  const unsubscribe = database.listen('arbiter_credentials', forget, { onReconnect: () => forget(null) });
  void database.listening().then(() => {
    subscribed = true;
  });
  const hearing = (): boolean => subscribed && database.hears();
  return {
    find: (name) => (hearing() ? (known.get(name) ?? null) : null),
    ask() {
      const asked = generation;
      return (name, entry) => {
        if (!hearing() || asked !== generation) return;
        if (known.size >= maximumKnown) known.delete(known.keys().next().value ?? '');
        known.set(name, entry);
      };
    },
    close: unsubscribe,
  };
}
