import type { SeedDataset, SeedDatasetList, SeedDatasetStatus, SeedStep } from '@arbiter/contract';
import { findPack, type Pack, packs } from '@arbiter/packs';
import type { Database } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isActivating } from '../../catalogue/models/index.ts';
import { type LoadPorts, loadPack } from './seed-packs.service.ts';
import { type LoadedPack, selectLoadedPacks } from './seed-packs.store.ts';
import { deleteProgress, readProgress, takeSeedLock, upsertProgress } from './seed-progress.store.ts';
import { type UnloadPorts, unloadPack } from './unload.service.ts';

export interface SeedPorts extends LoadPorts, UnloadPorts {
  readonly database: Pick<Database, 'withTenant'>;
  readonly onError: (error: unknown) => void;
}

/** Time limit for creating or deleting a pack, longer than a request's usual one, in ms. */
const statementMs = 60_000;
/** Progress reports are optional, so they wait only briefly for a connection, in ms. */
const reportWithinMs = 1_000;

/** Result of a load. */
export type LoadResult =
  | { readonly pack: LoadedPack; readonly configVersion: number | null }
  | { readonly conflict: string; readonly currentlyLoaded: string | null };

/** Lists every pack of this release, and which one is loaded. */
export async function listDatasets(tx: Tx): Promise<SeedDatasetList> {
  const loaded = (await selectLoadedPacks(tx)).map(({ key }) => key);
  return {
    datasets: packs.map((pack) => toDataset(pack, loaded.includes(pack.key))),
    currentlyLoaded: loaded[0] ?? null,
  };
}

function toDataset(pack: Pack, loaded: boolean): SeedDataset {
  return {
    key: pack.key,
    name: pack.name,
    description: pack.description,
    source: pack.source,
    csvFiles: pack.schemas.map(({ schema }) => ({
      schema: schema.name,
      fileName: `${schema.name}.csv`,
      columns: (schema.fields ?? []).map(({ name }) => name),
    })),
    testingFocus: pack.testingFocus.join(', '),
    schemaCount: pack.schemas.length,
    offerCount: pack.offers.length,
    modelCount: pack.models.length,
    channelCount: pack.channels.length,
    categoryCount: pack.categories.length,
    creativeCount: pack.creatives.length,
    loaded,
  };
}

/**
 * Returns the state of the tenant's load. A load is done when the models that it brought are trained; until then they are
 * drafts.
 */
export async function showProgress(tx: Tx): Promise<SeedDatasetStatus> {
  const progress = await readProgress(tx);
  if (progress === undefined) return { status: 'idle', step: '', progress: 0 };
  const isTraining = progress.status === 'completed' && (await isActivating(tx));
  return isTraining ? { status: 'running', step: 'models', progress: trainingProgress } : progress;
}

/** Percent while models train. */
const trainingProgress = 95;

/**
 * Loads a pack, all or nothing; `force` removes the one that is loaded first. One load or removal at a time and tenant. Throws 404
 * for an unknown key.
 */
export async function loadDataset(
  ports: SeedPorts,
  facts: RequestFacts,
  asked: { readonly key: string; readonly force: boolean },
): Promise<LoadResult> {
  const pack = packOf(asked.key);
  await facts.countCall();
  const report = reporter(ports, facts, pack.key);
  let configVersion: number | null = null;
  try {
    return await ports.database
      .withTenant(
        facts.tenantId,
        facts.actor,
        async (tx): Promise<LoadResult> => {
          const isAlone = await takeSeedLock(tx);
          const [current] = await selectLoadedPacks(tx);
          const currentlyLoaded = current?.key ?? null;
          if (!isAlone) return { conflict: 'A dataset is already being loaded or removed.', currentlyLoaded };
          if (current !== undefined && !asked.force) {
            return { conflict: `${current.key} is already loaded. Use force=true to replace it.`, currentlyLoaded };
          }
          await report('validating', 0);
          if (current !== undefined) await unloadPack(tx, ports, facts, { ...current, name: nameOf(current.key) });
          const loaded = await loadPack(tx, pack, ports, report);
          // Together with everything else, so that whoever reads it as completed finds everything.
          await upsertProgress(tx, { key: pack.key, status: 'completed', step: 'done', progress: 100 });
          return { pack: loaded, configVersion: null };
        },
        { ...termsOf(facts), onCatalogueVersion: (version) => (configVersion = version) },
      )
      .then((result) => ('pack' in result ? { ...result, configVersion } : result));
  } catch (error) {
    // A name that is taken, a flow of the tenant that needs what would be replaced: nothing was changed.
    if (!(error instanceof AppError) || error.status !== 409) throw error;
    const loaded = await ports.database.withTenant(facts.tenantId, facts.actor, selectLoadedPacks);
    const first = error.errors[0];
    const conflict = [error.detail ?? error.message, ...(first === undefined ? [] : [first.message])].join(' ');
    return { conflict, currentlyLoaded: loaded[0]?.key ?? null };
  }
}

/** Removes a pack. Throws 404 for one that is not loaded, 409 while another load or removal runs, and as `unloadPack`. */
export async function unloadDataset(ports: SeedPorts, facts: RequestFacts, key: string) {
  const { name } = packOf(key);
  const report = reporter(ports, facts, key);
  let configVersion: number | null = null;
  const counts = await ports.database.withTenant(
    facts.tenantId,
    facts.actor,
    async (tx) => {
      const isAlone = await takeSeedLock(tx);
      const current = (await selectLoadedPacks(tx)).find((loaded) => loaded.key === key);
      if (current === undefined) throw new AppError('not_found', { detail: `${key} is not loaded.` });
      if (!isAlone) {
        throw new AppError('concurrent_modification', { detail: 'A dataset is already being loaded or removed.' });
      }
      await report('catalogue', 0);
      const removed = await unloadPack(tx, ports, facts, { ...current, name });
      await deleteProgress(tx);
      return removed;
    },
    { ...termsOf(facts), onCatalogueVersion: (version) => (configVersion = version) },
  );
  return { counts, name, configVersion: configVersion as number | null };
}

const termsOf = ({ requestId }: RequestFacts) => ({ requestId, statementTimeoutMs: statementMs });

/** Throws 404 for an unknown key. */
export function packOf(key: string): Pack {
  const pack = findPack(key);
  if (pack === null) throw new AppError('not_found', { detail: 'This dataset does not exist.' });
  return pack;
}

/** Name of a pack that may be from another release. */
const nameOf = (key: string): string => findPack(key)?.name ?? key;

/** Reports the load's step in a separate transaction, because others can't see what the load hasn't committed. */
function reporter({ database, onError }: SeedPorts, { tenantId, actor }: RequestFacts, key: string) {
  return async (step: SeedStep, progress: number): Promise<void> => {
    try {
      await database.withTenant(
        tenantId,
        actor,
        (tx) => upsertProgress(tx, { key, status: 'running', step, progress }),
        {
          until: performance.now() + reportWithinMs,
        },
      );
    } catch (error) {
      onError(error);
    }
  };
}
