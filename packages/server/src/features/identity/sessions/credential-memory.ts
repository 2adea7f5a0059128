import type { Database } from '../../../db/index.ts';

/** Verified credentials, by a name that isn't the credential itself. */
export interface CredentialMemory<Entry extends { readonly principal: { readonly tenantId: string } }> {
  /** Null when nothing is known, or when it may not be relied on at the moment. */
  find(name: string): Entry | null;
  /**
   * Call before querying the database. The returned function caches the result, unless something changed in the
   * meantime.
   */
  ask(): (name: string, entry: Entry) => void;
  /** Stops listening for changes. */
  close(): void;
}

const maximumKnown = 10_000;

/**
 * Caches until the database announces that a credential of the tenant changed (channel `arbiter_credentials`), so that
 * a revocation applies on every node within a second. While the channel is down, nothing is cached or found. `onForget`
 * receives every such message.
 */
export function createCredentialMemory<Entry extends { readonly principal: { readonly tenantId: string } }>(
  database: Pick<Database, 'listen' | 'listening' | 'hears'>,
  onForget: () => void = () => undefined,
): CredentialMemory<Entry> {
  const known = new Map<string, Entry>();
  // Incremented by every message: what was read before it must not be cached after it.
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
      const generationAtStart = generation;
      return (name, entry) => {
        if (!hearing() || generationAtStart !== generation) return;
        if (known.size >= maximumKnown) known.delete(known.keys().next().value ?? '');
        known.set(name, entry);
      };
    },
    close: unsubscribe,
  };
}
