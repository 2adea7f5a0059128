import type { Database } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import type { Authenticate, Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createSecretNames } from '../../../platform/crypto.ts';
import { createCredentialMemory } from '../sessions/index.ts';
import { roleOfUser } from '../users/index.ts';
import { hashApiKey, isApiKey, type Pepper, roleOfScopes, scopesOfOwner } from './api-keys.rules.ts';
import { type LiveKey, selectLiveKeys, upsertUses } from './api-keys.store.ts';

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

interface Known {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly use: Use;
}

interface Use {
  readonly tenantId: string;
  readonly apiKeyId: string;
  usedAtMs: number;
  writtenAtMs: number;
}

const writeEveryMs = 60_000;
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
  const lookups = new Map<string, Promise<Known | null>>();
  const uses = new Map<string, Use>();
  const memory = createCredentialMemory<Known>(database, () => lookups.clear());

  async function lookUp(hash: Buffer, cacheKey: string): Promise<Known | null> {
    const remember = memory.ask();
    const until = performance.now() + lookUpWithinMs;
    const rows = await database.withSystem('authenticate', (tx) => selectLiveKeys(tx, hash), { until });
    const [row] = rows;
    // Two tenants have the same key: whose request it is can't be told, so neither gets it.
    if (row === undefined || rows.length > 1) return null;
    const entry = { principal: principalOf(row), expiresAtMs: row.expiresAt?.getTime() ?? Infinity, use: useOf(row) };
    remember(cacheKey, entry);
    return entry;
  }

  function useOf(row: LiveKey): Use {
    const use = uses.get(row.id) ?? { tenantId: row.tenantId, apiKeyId: row.id, usedAtMs: 0, writtenAtMs: 0 };
    uses.set(row.id, use);
    return use;
  }

  function admit(entry: Known | null): Principal | null {
    if (entry === null) return null;
    const nowMs = clock.now();
    if (nowMs >= entry.expiresAtMs) return null;
    // A use that was long idle has left the list of those to be written.
    if (nowMs - entry.use.usedAtMs >= writeEveryMs) uses.set(entry.use.apiKeyId, entry.use);
    entry.use.usedAtMs = nowMs;
    return entry.principal;
  }

  async function writeUses(tenantId: string, due: readonly Use[]): Promise<void> {
    const written = due.map((use) => ({ use, usedAtMs: use.usedAtMs }));
    await database.withTenant(tenantId, systemActor('credential-uses'), (tx) =>
      upsertUses(
        tx,
        written.map(({ use, usedAtMs }) => ({ apiKeyId: use.apiKeyId, usedAt: new Date(usedAtMs) })),
      ),
    );
    for (const { use, usedAtMs } of written) use.writtenAtMs = usedAtMs;
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

    async flushUses() {
      const nowMs = clock.now();
      const due = [...uses.values()].filter(
        (use) => use.usedAtMs > use.writtenAtMs && nowMs - use.writtenAtMs >= writeEveryMs,
      );
      const failures: unknown[] = [];
      for (const [tenantId, ofTenant] of Map.groupBy(due, (use) => use.tenantId)) {
        await writeUses(tenantId, ofTenant).catch((error: unknown) => failures.push(error));
      }
      for (const use of uses.values()) {
        const idle = use.usedAtMs <= use.writtenAtMs && nowMs - use.usedAtMs >= 2 * writeEveryMs;
        if (idle) uses.delete(use.apiKeyId);
      }
      if (failures.length > 0) throw new AggregateError(failures, 'API key usage could not be recorded');
    },

    close: memory.close,
  };
}

function principalOf(row: LiveKey): Principal {
  // A key without read, write or admin opens only SCIM routes. Its scopes enforce that; the role is the lowest there
  // is.
  const scopes = scopesOfOwner(row.scopes, row.userRole === null ? null : roleOfUser(row.userRole));
  const role = roleOfScopes(scopes) ?? 'viewer';
  // A person's key acts as the person (docs/design/api-settled.md 6, 100), unless somebody else knows it too.
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
