import { type Database, systemActor } from '../../db/index.ts';
import { ensureBaseFlow } from '../flows/index.ts';
import { loadCatalogue, type TenantCatalogue } from './tenant-catalogue.ts';

/**
 * The catalogues that this process decides with. There is no time in it: a catalogue is replaced when a commit raised its
 * version. The notification makes that quick; each batch compares versions in its own transaction, so that even a lost
 * one costs a batch at most (decisioning.md 6).
 */
export interface CatalogueCache {
  get(tenantId: string): Promise<TenantCatalogue>;
  refresh(tenantId: string, version: number): Promise<TenantCatalogue>;
  makeBaseFlow(tenantId: string): Promise<TenantCatalogue>;
  /** ms since this process last knew the tenant's version to be the newest. */
  ageMs(tenantId: string): number;
  /** The version has just been seen to be the newest. */
  confirmed(tenantId: string): void;
  close(): void;
}

interface Entry {
  catalogue: TenantCatalogue;
  knownAt: number;
}

export function createCatalogueCache(
  database: Database,
  options: { readonly onError: (error: unknown) => void; readonly onCompiled?: (seconds: number) => void },
): CatalogueCache {
  const entries = new Map<string, Entry>();
  const loading = new Map<string, { promise: Promise<TenantCatalogue>; again: boolean }>();
  const actor = systemActor('catalogue');

  /** Reads the catalogue, or joins the reading under way; `again`: what is read now may be too old, so read once more. */
  function load(tenantId: string, again = false): Promise<TenantCatalogue> {
    const running = loading.get(tenantId);
    if (running) {
      running.again ||= again;
      return running.promise;
    }
    const task = { promise: Promise.resolve() as unknown as Promise<TenantCatalogue>, again: false };
    task.promise = (async () => {
      try {
        for (;;) {
          task.again = false;
          const started = performance.now();
          const catalogue = await database.withTenant(tenantId, actor, loadCatalogue);
          options.onCompiled?.((performance.now() - started) / 1000);
          if (task.again) continue;
          entries.set(tenantId, { catalogue, knownAt: performance.now() });
          return catalogue;
        }
      } finally {
        loading.delete(tenantId);
      }
    })();
    loading.set(tenantId, task);
    return task.promise;
  }

  const unlisten = database.listen(
    'arbiter_catalogue',
    (tenantId) => {
      if (entries.has(tenantId)) load(tenantId, true).catch(options.onError);
    },
    {
      onReconnect() {
        for (const tenantId of entries.keys()) load(tenantId, true).catch(options.onError);
      },
    },
  );

  return {
    async get(tenantId) {
      return entries.get(tenantId)?.catalogue ?? load(tenantId);
    },
    async refresh(tenantId, version) {
      for (;;) {
        const known = entries.get(tenantId)?.catalogue;
        if (known && known.version >= version) return known;
        await load(tenantId);
      }
    },
    async makeBaseFlow(tenantId) {
      await database.withTenant(tenantId, systemActor('base-flow'), ensureBaseFlow);
      return load(tenantId, true);
    },
    ageMs(tenantId) {
      const entry = entries.get(tenantId);
      return entry ? Math.max(0, Math.round(performance.now() - entry.knownAt)) : 0;
    },
    confirmed(tenantId) {
      const entry = entries.get(tenantId);
      if (entry) entry.knownAt = performance.now();
    },
    close: unlisten,
  };
}
