import { type Database, readCatalogueVersion, systemActor } from '../../../db/index.ts';
import { alarmAt } from '../../../platform/deadline.ts';

/** Waits for versions of catalogues that may not be committed yet. */
export interface VersionWatch {
  /**
   * The newest version of the tenant's catalogue in the database: at once when it is at least `version`, else as soon as it
   * is, and at `until` (monotonic ms) at the latest.
   */
  newest(tenantId: string, version: number, until: number): Promise<number>;
  /** The tenant's catalogue may have changed: check now. */
  look(tenantId: string): void;
}

/** Notifications make it quick. While none is heard, a version is seen so late at most. */
const lookEveryMs = 100;

/** A pending check of the database, for everyone waiting for this tenant. */
interface VersionCheck {
  readonly version: Promise<number>;
  readonly now: () => void;
}

export function createVersionWatch(database: Pick<Database, 'withTenant'>): VersionWatch {
  const looks = new Map<string, VersionCheck>();
  const actor = systemActor('catalogue');
  const read = (tenantId: string): Promise<number> => database.withTenant(tenantId, actor, readCatalogueVersion);

  async function lookSoon(tenantId: string, woken: Promise<void>): Promise<number> {
    const alarm = alarmAt(performance.now() + lookEveryMs);
    await Promise.race([woken, alarm.rung]);
    alarm.cancel();
    // Later arrivals may wait for a change that this check doesn't see.
    looks.delete(tenantId);
    return read(tenantId);
  }

  function nextLook(tenantId: string): Promise<number> {
    const coming = looks.get(tenantId);
    if (coming !== undefined) return coming.version;
    const woken = Promise.withResolvers<void>();
    const look = { version: lookSoon(tenantId, woken.promise), now: woken.resolve };
    looks.set(tenantId, look);
    return look.version;
  }

  return {
    async newest(tenantId, version, until) {
      let newest = await read(tenantId);
      while (newest < version && performance.now() < until) newest = await nextLook(tenantId);
      return newest;
    },
    look: (tenantId) => looks.get(tenantId)?.now(),
  };
}
