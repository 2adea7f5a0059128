import type { EntityType } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { AnyHandler, RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type ReferringColumn, readReferring } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { ignoringSwitches } from '../../identity/settings/index.ts';
import { removePackHistory } from './history.service.ts';
import { deletePackRow, type LoadedPack, selectPackRecords } from './seed-packs.store.ts';

export interface UnloadPorts {
  /** Handlers of all operations: records are deleted as a client deletes them. */
  readonly operationHandlers: () => ReadonlyMap<string, AnyHandler>;
}

/** IDs of the records to delete, by the name under which they are counted. */
type Doomed = Map<string, Set<string>>;

/**
 * In reverse order, so that nothing refers to what is deleted next. Outcome types stay, so that history keeps its
 * meaning. Placements are deleted with their channels.
 */
const deletions = [
  ['geofences', 'geofences.deleteById'],
  ['triggers', 'triggers.deleteById'],
  ['journeys', 'journeys.deleteById'],
  ['decisionFlows', 'decisionFlows.deleteById'],
  ['contactPolicies', 'contactPolicies.deleteById'],
  ['qualificationRules', 'qualificationRules.deleteById'],
  ['behavioralMetrics', 'behavioralMetrics.deleteById'],
  ['creatives', 'creatives.deleteById'],
  ['offers', 'offers.deleteById'],
  ['channels', 'channels.deleteById'],
  ['subCategories', 'subCategories.deleteById'],
  ['categories', 'categories.deleteById'],
  ['experiments', 'experiments.deleteById'],
  ['models', 'algorithmModels.deleteById'],
  ['segments', 'segments.deleteById'],
  ['schemaJoins', 'schemaJoins.deleteById'],
  ['schemas', 'schemas.deleteById'],
] as const;

/** Kinds that no pack loads, so a removal deletes none. */
const alwaysCounted = { runs: 0 };

/**
 * Deletes what a load created through the regular operations, with everything created below it since
 * (docs/design/api-access.md 13), also of features that are off by now; audited as `unload_pack`. Returns counts by kind. Skips what the tenant has deleted.
 * Throws 409 `in_use` as those operations do.
 */
export async function unloadPack(
  tx: Tx,
  ports: UnloadPorts,
  facts: RequestFacts,
  pack: LoadedPack & { readonly name: string },
): Promise<Readonly<Record<string, number>>> {
  const doomed = await withChildren(tx, await selectPackRecords(tx, pack.key));
  const counts: Record<string, number> = { ...alwaysCounted };
  const call = (operationId: string, id: string, body?: object): Promise<unknown> => {
    const handler = ports.operationHandlers().get(operationId);
    if (handler === undefined) throw new Error(`the operation ${operationId} does not exist`);
    // The handlers' types are checked where they are written (http/handler.ts).
    const run = handler as (tx: Tx, request: object) => Promise<unknown>;
    return ignoringSwitches(tx, () =>
      run(tx, { ...facts, idempotencyKey: null, params: { id }, query: {}, headers: {}, body }),
    );
  };
  // Publishing protected them, by no wish of the tenant.
  for (const id of doomed.get('decisionFlows') ?? []) {
    await isDone(call('decisionFlows.updateById', id, { isProtected: false }));
  }
  for (const [resource, operationId] of deletions) {
    let count = 0;
    for (const id of [...(doomed.get(resource) ?? [])].reverse()) {
      if (await isDone(call(operationId, id))) count += 1;
    }
    counts[resource] = count;
  }
  const history = await removePackHistory(tx, {
    offers: [...(doomed.get('offers') ?? [])],
    categories: [...(doomed.get('categories') ?? [])],
  });
  counts.interactions = history.interactions;
  counts.interactionSummaries = history.interactionSummaries;
  await deletePackRow(tx, pack.key);
  await recordAudit(tx, {
    action: 'unload_pack',
    entityType: 'seedDataset',
    entityId: pack.key,
    entityName: pack.name,
    before: { version: pack.version, counts: pack.counts },
  });
  return counts;
}

/** False if the record no longer exists. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}

/** The records of the pack and those that cannot be without them. */
async function withChildren(tx: Tx, records: Readonly<Record<string, readonly string[]>>): Promise<Doomed> {
  const doomed: Doomed = new Map(Object.entries(records).map(([resource, ids]) => [resource, new Set(ids)]));
  const add = async <E extends EntityType>(
    resource: string,
    entityType: E,
    column: ReferringColumn<E>,
    parents: string,
  ): Promise<void> => {
    const found = await readReferring(tx, entityType, column, [...(doomed.get(parents) ?? [])], []);
    const all = doomed.get(resource) ?? new Set();
    for (const row of [...found.values()].flat()) all.add(row.id);
    doomed.set(resource, all);
  };
  await add('subCategories', 'subCategory', 'categoryId', 'categories');
  await add('offers', 'offer', 'categoryId', 'categories');
  await add('offers', 'offer', 'subCategoryId', 'subCategories');
  await add('creatives', 'creative', 'offerId', 'offers');
  await add('creatives', 'creative', 'channelId', 'channels');
  await add('segments', 'segment', 'baseSchemaId', 'schemas');
  await add('schemaJoins', 'schemaJoin', 'primarySchemaId', 'schemas');
  await add('schemaJoins', 'schemaJoin', 'foreignSchemaId', 'schemas');
  return doomed;
}
