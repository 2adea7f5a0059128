import { type EntityType, type Resource, resources } from '@arbiter/contract';
import {
  type FlowReferences,
  flowCalls,
  flowReferences,
  type Json,
  type KnownFlow,
  type WebhookRules,
} from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json.ts';
import { tableOf } from '../catalogue-records/index.ts';
import { selectCustomFieldKeys } from '../categories/index.ts';
import { selectGlobalPolicyIds } from '../contact-policies/index.ts';
import { type ModelFacts, modelNamed, namedModels } from '../models/index.ts';
import { snapshotSchemas } from '../schemas/index.ts';
import { type StoredConfig, selectPublishedFlows } from './flows.store.ts';

type WantedReferences = ReturnType<typeof flowReferences>;
type FlowReferenceKind = WantedReferences[number]['kind'];

/** Resources of the kinds of records that a flow names; null: nothing that a flow could use exists. */
export const entityTypes: Readonly<Record<FlowReferenceKind, EntityType | null>> = {
  category: 'category',
  subCategory: 'subCategory',
  offer: 'offer',
  channel: 'channel',
  placement: 'placement',
  schema: 'dataSchema',
  qualificationRule: 'qualificationRule',
  contactPolicy: 'contactPolicy',
  globalContactPolicy: 'contactPolicy',
  namedCategory: 'category',
  namedChannel: 'channel',
  rankingProfile: 'rankingProfile',
  flow: 'decisionFlow',
  model: 'algorithmModel',
  experiment: 'experiment',
};

/** Column besides the id by which a flow may name a record. */
export const nameColumns: Partial<Record<FlowReferenceKind, string>> = {
  schema: 'name',
  flow: 'key',
  namedCategory: 'name',
  namedChannel: 'name',
  experiment: 'key',
};

/**
 * Kinds that can't be deleted while a flow names them: naming one locks it against deletion (docs/design/quality.md
 * E13).
 */
const lockedKinds: readonly FlowReferenceKind[] = ['schema', 'rankingProfile'];

interface NamedReference {
  readonly kind: string;
  readonly name: string;
}

async function readExisting(
  tx: Tx,
  wanted: WantedReferences,
  models: readonly ModelFacts[],
  locks: boolean,
): Promise<NamedReference[]> {
  const kinds = Map.groupBy(wanted, ({ kind }) => kind);
  const values: unknown[] = [tx.tenantId];
  const selects: string[] = [];
  const found: NamedReference[] = [];
  for (const [kind, references] of kinds) {
    const entityType = entityTypes[kind];
    if (entityType === null) continue;
    const ids = references.map(({ id }) => id);
    if (kind === 'model') {
      found.push(...ids.filter((name) => modelNamed(models, name) !== null).map((name) => ({ kind, name })));
      continue;
    }
    if (kind === 'globalContactPolicy') {
      const everywhere = await selectGlobalPolicyIds(tx, ids.filter(isUuid));
      found.push(...everywhere.map((name) => ({ kind, name })));
      continue;
    }
    const select = (column: string, type: string, parameter: number) =>
      `select '${kind}' as kind, ${column}::text as name from arbiter.${tableOf(resources[entityType])}
       where tenant_id = $1 and ${column} = any($${parameter}::${type}[])${liveOnly(resources[entityType])}`;
    const nameColumn = nameColumns[kind];
    if (locks && lockedKinds.includes(kind)) {
      const locked = (column: string, type: string, names: readonly string[]) =>
        tx.query<NamedReference>(`${select(column, type, 2)} for key share`, [tx.tenantId, names]);
      found.push(...(await locked('id', 'uuid', ids.filter(isUuid))));
      if (nameColumn !== undefined) found.push(...(await locked(nameColumn, 'text', ids)));
      continue;
    }
    selects.push(select('id', 'uuid', values.push(ids.filter(isUuid))));
    if (nameColumn !== undefined) selects.push(select(nameColumn, 'text', values.push(ids)));
  }
  if (selects.length > 0) found.push(...(await tx.query<NamedReference>(selects.join('\nunion all '), values)));
  return found;
}

const liveOnly = ({ softDelete }: Resource): string => (softDelete ? ' and deleted_at is null' : '');

/** Columns of the schemas that the flow names, by id and by name. */
async function readColumns(tx: Tx, wanted: WantedReferences): Promise<ReadonlyMap<string, readonly string[]>> {
  const columns = new Map<string, readonly string[]>();
  if (!wanted.some(({ kind }) => kind === 'schema')) return columns;
  for (const schema of await snapshotSchemas(tx)) {
    const names = schema.columns.map(({ name }) => name);
    columns.set(schema.id, names);
    columns.set(schema.name, names);
  }
  return columns;
}

export function enabledNodes(config: StoredConfig | null): number {
  const nodes = config?.nodes;
  if (!Array.isArray(nodes)) return 0;
  return nodes.filter((node: Json) => isObject(node) && node.enabled !== false).length;
}

/** Returns the tenant's flows and what their published versions call; none for a config without calls. */
async function readKnownFlows(tx: Tx, config: unknown): Promise<KnownFlow[]> {
  if (flowCalls(config).length === 0) return [];
  const flows = await selectPublishedFlows(tx);
  return flows.map(({ id, key, status, config: published }) => ({
    id,
    key,
    calls: status === 'active' && published !== null ? flowCalls(published).map(({ flow }) => flow) : null,
    nodes: enabledNodes(published),
  }));
}

/**
 * Looks up what the config names. Missing, deleted and foreign records look the same (docs/design/quality.md T1).
 * `ownKey`: key of the config's flow. `locks`: models, schemas and ranking profiles that it names can't be deleted until the
 * transaction ends, as a stored config needs.
 */
export async function readReferences(
  tx: Tx,
  config: unknown,
  {
    ownKey,
    webhooks,
    locks,
  }: { readonly ownKey: string | null; readonly webhooks: WebhookRules; readonly locks: boolean },
): Promise<FlowReferences> {
  const wanted = flowReferences(config);
  const models = await namedModels(
    tx,
    wanted.flatMap(({ kind, id }) => (kind === 'model' ? [id] : [])),
    locks,
  );
  const existing = await readExisting(tx, wanted, models, locks);
  const columns = await readColumns(tx, wanted);
  const known = new Set(existing.map(({ kind, name }) => `${kind} ${name}`));
  return {
    has: (kind, id) => known.has(`${kind} ${id}`) || (isUuid(id) && known.has(`${kind} ${id.toLowerCase()}`)),
    customFieldKeys: await selectCustomFieldKeys(tx),
    columnsOf: (schema) => columns.get(schema.toLowerCase()) ?? [],
    ownKey,
    flows: await readKnownFlows(tx, config),
    webhooks,
    modelNamed(name) {
      const model = modelNamed(models, name);
      return model === null ? null : { modelType: model.modelType, isActive: model.status === 'active' };
    },
  };
}
