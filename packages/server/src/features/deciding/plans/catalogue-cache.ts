import { type Database, readCatalogueVersion, systemActor, type Tx } from '../../../db/index.ts';
import { ensureBaseFlow } from '../../catalogue/flows/index.ts';
import { loadCatalogue } from './load-catalogue.ts';
import type { InTransaction, TenantCatalogue } from './tenant-catalogue.ts';
import { createVersionWatch } from './version-watch.ts';

/**
 * The catalogues that this process decides with. There is no time in it: a catalogue is replaced when a commit raised its
 * version. The notification makes that quick; each batch compares versions in its own transaction, so that even a lost
 * one costs a batch at most (docs/design/decisioning.md 6).
 */
export interface CatalogueCache {
  get(tenantId: string): Promise<TenantCatalogue>;
  refresh(tenantId: string, version: number): Promise<TenantCatalogue>;
  /**
   * The newest version that batches from now on decide with at least: `version` as soon as it is committed, a lower one when
   * it is not by `until` (monotonic ms).
   */
  reached(tenantId: string, version: number, until: number): Promise<number>;
  makeBaseFlow(tenantId: string): Promise<TenantCatalogue>;
  /** ms since this process last knew the tenant's version to be the newest. */
  ageMs(tenantId: string): number;
  /** The version has just been seen to be the newest. */
  confirmed(tenantId: string): void;
  close(): void;
}

/**
 * A catalogue is read for everyone who will decide with it, not for the request that asked first: that one is answered
 * in time (503) while reading continues, so a retry finds it done. On a busy machine a large one takes longer than a
 * request may. In milliseconds: one statement, and the whole.
 */
const patienceMs = 30_000;
const readWithinMs = 120_000;

interface Entry {
  catalogue: TenantCatalogue;
  knownAt: number;
}

interface CatalogueCacheOptions {
  readonly onError: (error: unknown) => void;
  readonly onCompiled?: (seconds: number) => void;
  /** Called for each catalogue lookup with whether memory had it. */
  readonly onAsked?: (known: boolean) => void;
}

export function createCatalogueCache(database: Database, options: CatalogueCacheOptions): CatalogueCache {
  const entries = new Map<string, Entry>();
  const { load, loadAgain } = createLoader(database, entries, options);
  const versions = createVersionWatch(database);
  const unlisten = database.listen(
    'arbiter_catalogue',
    (tenantId) => {
      versions.look(tenantId);
      if (entries.has(tenantId)) loadAgain(tenantId).catch(options.onError);
    },
    {
      onReconnect() {
        for (const tenantId of entries.keys()) loadAgain(tenantId).catch(options.onError);
      },
    },
  );

  return {
    async get(tenantId) {
      const entry = entries.get(tenantId);
      options.onAsked?.(entry !== undefined);
      return entry?.catalogue ?? load(tenantId);
    },
    async refresh(tenantId, version) {
      for (;;) {
        const known = entries.get(tenantId)?.catalogue;
        if (known && known.version >= version) return known;
        await load(tenantId);
      }
    },
    async reached(tenantId, version, until) {
      const known = entries.get(tenantId)?.catalogue.version ?? 0;
      // A batch asks the database for the newest version, so it decides with everything committed.
      return known >= version ? known : versions.newest(tenantId, version, until);
    },
    async makeBaseFlow(tenantId) {
      await database.withTenant(tenantId, systemActor('base-flow'), ensureBaseFlow);
      return loadAgain(tenantId);
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

interface Loading {
  readonly promise: Promise<TenantCatalogue>;
  /** Read again when this reading has ended. */
  again: boolean;
}

interface CatalogueLoader {
  /** Reads the catalogue, or joins the reading under way. */
  load(tenantId: string): Promise<TenantCatalogue>;
  /**
   * Reads the catalogue from now on, because the one being read may be too old. Callers waiting for the current reading
   * still get it, so a steady stream of changes delays nobody.
   */
  loadAgain(tenantId: string): Promise<TenantCatalogue>;
}

/** Puts what it reads into `entries`. */
function createLoader(
  database: Database,
  entries: Map<string, Entry>,
  { onError, onCompiled }: CatalogueCacheOptions,
): CatalogueLoader {
  const loading = new Map<string, Loading>();

  function load(tenantId: string): Promise<TenantCatalogue> {
    const running = loading.get(tenantId);
    if (running) return running.promise;
    const task: Loading = { promise: read(), again: false };
    async function read(): Promise<TenantCatalogue> {
      try {
        const started = performance.now();
        const known = entries.get(tenantId)?.catalogue ?? null;
        const catalogue = await readNewer(database, tenantId, known);
        if (catalogue !== known) onCompiled?.((performance.now() - started) / 1000);
        entries.set(tenantId, { catalogue, knownAt: performance.now() });
        return catalogue;
      } finally {
        loading.delete(tenantId);
        if (task.again) load(tenantId).catch(onError);
      }
    }
    loading.set(tenantId, task);
    return task.promise;
  }

  return {
    load,
    loadAgain(tenantId) {
      const running = loading.get(tenantId);
      if (!running) return load(tenantId);
      running.again = true;
      const next = (): Promise<TenantCatalogue> => load(tenantId);
      return running.promise.then(next, next);
    },
  };
}

const actor = systemActor('catalogue');

/** Knows nothing of the catalogue before: a catalogue keeps this function, and would keep all its ancestors with it. */
function transactionsOf(database: Database, tenantId: string): InTransaction {
  return (work) => database.withTenant(tenantId, actor, work, { pipelines: true, statementTimeoutMs: patienceMs });
}

function readNewer(database: Database, tenantId: string, before: TenantCatalogue | null): Promise<TenantCatalogue> {
  const inTransaction = transactionsOf(database, tenantId);
  const read = async (tx: Tx): Promise<TenantCatalogue> => {
    // A notification may come after a batch that saw the change itself. The plans doesn't have to be compiled again.
    if (before !== null && (await readCatalogueVersion(tx)) === before.version) return before;
    return loadCatalogue(tx, before?.rows ?? null, inTransaction);
  };
  const until = performance.now() + readWithinMs;
  return database.withTenant(tenantId, actor, read, {
    ...{ snapshot: true, pipelines: true, statementTimeoutMs: patienceMs, until },
  });
}
