import { type Database, systemActor } from '../../../db/index.ts';
import { upsertUses } from './api-keys.store.ts';

/** When a key was used, and when that was written. */
export interface KeyUse {
  readonly tenantId: string;
  readonly apiKeyId: string;
  usedAtMs: number;
  writtenAtMs: number;
}

/** Remembers when keys were used, until it's written. */
export interface KeyUses {
  of(key: { readonly id: string; readonly tenantId: string }): KeyUse;
  note(use: KeyUse, nowMs: number): void;
  /** Writes the uses that are due. Throws after it tried all tenants; what failed stays due. */
  flush(nowMs: number): Promise<void>;
}

const writeEveryMs = 60_000;

export function createKeyUses(database: Database): KeyUses {
  const uses = new Map<string, KeyUse>();
  return {
    of({ id, tenantId }) {
      const use = uses.get(id) ?? { tenantId, apiKeyId: id, usedAtMs: 0, writtenAtMs: 0 };
      uses.set(id, use);
      return use;
    },
    note(use, nowMs) {
      // A use that was long idle has left the list of those to be written.
      if (nowMs - use.usedAtMs >= writeEveryMs) uses.set(use.apiKeyId, use);
      use.usedAtMs = nowMs;
    },
    async flush(nowMs) {
      const due = [...uses.values()].filter(
        (use) => use.usedAtMs > use.writtenAtMs && nowMs - use.writtenAtMs >= writeEveryMs,
      );
      const failures: unknown[] = [];
      for (const [tenantId, ofTenant] of Map.groupBy(due, (use) => use.tenantId)) {
        await write(database, tenantId, ofTenant).catch((error: unknown) => failures.push(error));
      }
      for (const use of uses.values()) {
        const isIdle = use.usedAtMs <= use.writtenAtMs && nowMs - use.usedAtMs >= 2 * writeEveryMs;
        if (isIdle) uses.delete(use.apiKeyId);
      }
      if (failures.length > 0) throw new AggregateError(failures, 'API key usage could not be recorded');
    },
  };
}

async function write(database: Database, tenantId: string, due: readonly KeyUse[]): Promise<void> {
  const written = due.map((use) => ({ use, usedAtMs: use.usedAtMs }));
  await database.withTenant(tenantId, systemActor('credential-uses'), (tx) =>
    upsertUses(
      tx,
      written.map(({ use, usedAtMs }) => ({ apiKeyId: use.apiKeyId, usedAt: new Date(usedAtMs) })),
    ),
  );
  for (const { use, usedAtMs } of written) use.writtenAtMs = usedAtMs;
}
