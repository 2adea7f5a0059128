import type { Database } from '../../../db/index.ts';
import type { Authenticate, Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createSecretNames } from '../../../platform/crypto/crypto.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { createCredentialMemory } from '../sessions/index.ts';
import { roleOfUser } from '../users/index.ts';
import { hashApiKey, isApiKey, type Pepper, roleOfScopes, scopesOfOwner } from './api-keys.rules.ts';
import { type LiveKey, selectLiveKeys } from './api-keys.store.ts';
import { createKeyUses, type KeyUse } from './key-uses.ts';

/** Proves credentials and remembers when keys were used. */
export interface Authenticator {
  /**
   * Null for a key that's malformed, unknown, revoked or expired, or whose owner or tenant was deleted. Synchronous for
   * a cached key. Throws 401 with a detail when the pepper is unset, 503 when the database is away.
   */
  readonly authenticate: Authenticate;
  /**
   * Writes the uses that are due, at most one a minute and key. Main calls it every few seconds and before it ends.
   * Throws after it tried all tenants; what failed stays due.
   */
  flushUses(): Promise<void>;
  /** Stops listening for changes. */
  close(): void;
}

/** A verified key in memory. */
interface VerifiedKey {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly use: KeyUse;
}

/** A caller waits no longer to be known: like for a connection (docs/design/quality.md T27), and the rest is for the request itself. */
const lookUpWithinMs = 2_000;

/**
 * Verified keys are cached, never in plain text, until the database announces that a credential of their tenant changed
 * (channel `arbiter_credentials`), so that revocation applies on every node within a second. While the channel is down,
 * nothing is cached and every key is looked up. Rejected keys aren't cached.
 */
export function createAuthenticator(deps: {
  readonly database: Database;
  readonly pepper: Pepper;
  readonly clock: Clock;
  /** Called for each key look-up with whether memory knew it. */
  readonly onAsked?: (known: boolean) => void;
}): Authenticator {
  const { database, pepper, clock, onAsked } = deps;
  // The HMAC of a key is computed only for the database. The cache uses a name private to this process.
  const nameOf = createSecretNames();
  const lookups = new Map<string, Promise<VerifiedKey | null>>();
  const uses = createKeyUses(database);
  const memory = createCredentialMemory<VerifiedKey>(database, () => lookups.clear());

  async function lookUp(hash: Buffer, cacheKey: string): Promise<VerifiedKey | null> {
    const remember = memory.ask();
    const until = performance.now() + lookUpWithinMs;
    const rows = await database.withSystem('authenticate', (tx) => selectLiveKeys(tx, hash), { until });
    const [row] = rows;
    // Two tenants have the same key: the request could belong to either, so neither gets it.
    if (row === undefined || rows.length > 1) return null;
    const entry = { principal: principalOf(row), expiresAtMs: row.expiresAt?.getTime() ?? Infinity, use: uses.of(row) };
    remember(cacheKey, entry);
    return entry;
  }

  function admit(entry: VerifiedKey | null): Principal | null {
    if (entry === null) return null;
    const nowMs = clock.now();
    if (nowMs >= entry.expiresAtMs) return null;
    uses.note(entry.use, nowMs);
    return entry.principal;
  }

  return {
    authenticate(presented, beforeLookUp) {
      if (pepper === null) {
        throw new AppError('unauthorized', { detail: "API keys can't be verified: API_KEY_PEPPER is not set." });
      }
      if (presented.kind !== 'apiKey' || !isApiKey(presented.value)) return null;
      const cacheKey = nameOf(presented.value);
      const entry = memory.find(cacheKey);
      onAsked?.(entry !== null);
      if (entry !== null) return admit(entry);
      let lookup = lookups.get(cacheKey);
      if (lookup === undefined) {
        beforeLookUp?.();
        lookup = lookUp(hashApiKey(pepper, presented.value), cacheKey).finally(() => {
          if (lookups.get(cacheKey) === lookup) lookups.delete(cacheKey);
        });
        lookups.set(cacheKey, lookup);
      }
      return lookup.then(admit);
    },
    flushUses: () => uses.flush(clock.now()),
    close: memory.close,
  };
}

function principalOf(row: LiveKey): Principal {
  // A key without read, write or admin opens only SCIM routes. Its scopes enforce that; the role is the lowest there
  // is.
  const scopes = scopesOfOwner(row.scopes, row.userRole === null ? null : roleOfUser(row.userRole));
  const role = roleOfScopes(scopes) ?? 'viewer';
  // A person's key acts as the person (docs/design/api-settled.md 6, 100), unless someone else knows it too.
  const isPersonal = row.earlierPeople.length === 0;
  return {
    kind: 'apiKey',
    tenantId: row.tenantId,
    actor:
      row.userId !== null && row.userName !== null && isPersonal
        ? { id: row.userId, name: row.userName, role }
        : { id: `apikey:${row.id}`, name: row.name, role },
    role,
    scopes,
    credentialId: `apikey:${row.id}`,
  };
}
