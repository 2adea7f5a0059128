import type { SeedStep } from '@arbiter/contract';
import { findPack, type Pack, packs } from '@arbiter/packs';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { refreshNow } from '../../catalogue/segments/index.ts';
import type { CustomerKeys } from '../../deciding/customer-states/index.ts';
import { startTraining } from '../../deciding/model-training/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { createCatalogue, createSchemas, fillSchema } from './create-records.service.ts';
import { countPackSummaries, writePackHistory } from './history.service.ts';
import { insertLoadedPack, type LoadedPack, selectLoadedPacks } from './seed-packs.store.ts';

/** What a load needs besides its transaction. */
export interface LoadPorts {
  readonly keys: CustomerKeys;
}

/** The tenant's loaded packs, by key. */
export async function listLoadedPacks(tx: Tx): Promise<LoadedPack[]> {
  return selectLoadedPacks(tx);
}

/** Called before each step of a load. */
export type Report = (step: SeedStep, progress: number) => Promise<void>;
const silent: Report = async () => {};

/**
 * Creates everything in a pack through the features' own services, so that a pack obeys the same rules as a client, in
 * one transaction, audited as `load_pack` (docs/design/api-access.md 13). If the tenant already uses a name or key, the
 * pack's is prefixed with the pack's name. A taken schema name gives 409 `duplicate_name`, like a second load of the
 * same pack.
 */
export async function loadPack(tx: Tx, pack: Pack, ports: LoadPorts, report: Report = silent): Promise<LoadedPack> {
  const loaded = await selectLoadedPacks(tx);
  if (loaded.some((other) => other.key === pack.key)) {
    throw new AppError('duplicate_key', { detail: `Pack ${pack.key} is already loaded.` });
  }
  await report('schemas', 5);
  const schemas = await createSchemas(tx, pack);
  await report('catalogue', 10);
  const { ids, named } = await createCatalogue(tx, pack, schemas);
  const rows: Record<string, number> = {};
  for (const [index, { id, of }] of schemas.entries()) {
    await report('rows', rowsFrom + Math.floor((index / schemas.length) * (rowsTo - rowsFrom)));
    rows[`${of.schema.name}_rows`] = await fillSchema(tx, id, of);
  }
  const segmentCustomers = await countMembers(tx, ids.segments ?? []);
  // They train as jobs, so that the load doesn't wait for them.
  for (const [at, { key }] of pack.models.entries()) {
    if (pack.trainedModels.includes(key)) await startTraining(tx, ids.models![at]!, {}, true);
  }
  // Before the history: after it nothing else waits for locks.
  const counts = Object.fromEntries(Object.entries(ids).map(([resource, { length }]) => [resource, length]));
  await report('interactions', rowsTo);
  const { interactions } = await writePackHistory(tx, pack, named, ports.keys);
  await report('summaries', 90);
  const interactionSummaries = await countPackSummaries(tx, named);
  const result: LoadedPack = {
    key: pack.key,
    version: pack.version,
    counts: { ...counts, ...rows, interactions, interactionSummaries, segmentCustomers },
  };
  await insertLoadedPack(tx, result, ids);
  await recordAudit(tx, {
    action: 'load_pack',
    entityType: 'seedDataset',
    entityId: pack.key,
    entityName: pack.name,
    after: { version: pack.version, counts: result.counts },
  });
  return result;
}

/** Percent at which the rows begin and end. */
const rowsFrom = 40;
const rowsTo = 65;

/** Counts the segments over the rows that are there now; answers with the sum of their members. */
async function countMembers(tx: Tx, segmentIds: readonly string[]): Promise<number> {
  let sum = 0;
  for (const id of segmentIds) sum += (await refreshNow(tx, id)).customerCount ?? 0;
  return sum;
}

/** What start-up needs from packs: their keys, and loading one into a tenant without any. */
export const createPackPort = (ports: LoadPorts) => ({
  keys: packs.map((pack) => pack.key),
  /** True when it loaded the pack; false when the tenant has a pack already. */
  async loadWhenNone(tx: Tx, key: string): Promise<boolean> {
    const pack = findPack(key);
    if (pack === null) throw new Error(`the pack ${key} does not exist`);
    if ((await selectLoadedPacks(tx)).length > 0) return false;
    await loadPack(tx, pack, ports);
    return true;
  },
});
