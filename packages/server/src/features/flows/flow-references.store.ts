import { type EntityType, resources } from '@arbiter/contract';
import { type FlowReferences, flowReferences } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import { isUuid } from '../../platform/ids.ts';
import { tableOf } from '../catalogue-records/index.ts';
import { selectCustomFieldKeys } from '../categories/index.ts';
import { snapshotSchemas } from '../schemas/index.ts';

type Kind = ReturnType<typeof flowReferences>[number]['kind'];

/** Resources of the kinds of records that a flow names; null: nothing that a flow could use exists. */
const entityTypes: Readonly<Record<Kind, EntityType | null>> = {
  category: 'category',
  subCategory: 'subCategory',
  offer: 'offer',
  channel: 'channel',
  placement: 'placement',
  schema: 'dataSchema',
  qualificationRule: 'qualificationRule',
  contactPolicy: 'contactPolicy',
  flow: 'decisionFlow',
  // They are kept, but no decision ranks by one in this version, so a flow that names one is refused.
  rankingProfile: null,
  model: null,
  experiment: null,
};

/** Column besides the id by which a flow may name a record. */
const nameColumns: Partial<Record<Kind, string>> = { schema: 'name', flow: 'key' };

interface Named {
  readonly kind: string;
  readonly name: string;
}

async function readExisting(tx: Tx, wanted: ReturnType<typeof flowReferences>): Promise<Named[]> {
  const kinds = Map.groupBy(wanted, ({ kind }) => kind);
  const values: unknown[] = [tx.tenantId];
  const selects: string[] = [];
  for (const [kind, references] of kinds) {
    const entityType = entityTypes[kind];
    if (entityType === null) continue;
    const resource = resources[entityType];
    const table = tableOf(resource);
    const live = resource.softDelete ? ' and deleted_at is null' : '';
    const select = (column: string, type: string, names: readonly string[]) => {
      values.push(names);
      selects.push(
        `select '${kind}' as kind, ${column}::text as name from arbiter.${table}
         where tenant_id = $1 and ${column} = any($${values.length}::${type}[])${live}`,
      );
    };
    const ids = references.map(({ id }) => id);
    select('id', 'uuid', ids.filter(isUuid));
    const nameColumn = nameColumns[kind];
    if (nameColumn !== undefined) select(nameColumn, 'text', ids);
  }
  return selects.length === 0 ? [] : tx.query<Named>(selects.join('\nunion all '), values);
}

/** Columns of the schemas that the flow names, by id and by name. */
async function readColumns(
  tx: Tx,
  wanted: ReturnType<typeof flowReferences>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const columns = new Map<string, readonly string[]>();
  if (!wanted.some(({ kind }) => kind === 'schema')) return columns;
  for (const schema of await snapshotSchemas(tx)) {
    const names = schema.columns.map(({ name }) => name);
    columns.set(schema.id, names);
    columns.set(schema.name, names);
  }
  return columns;
}

/** Looks up what the config names. Missing, deleted and foreign records look alike (docs/design/quality.md T1). */
export async function readReferences(tx: Tx, config: unknown): Promise<FlowReferences> {
  const wanted = flowReferences(config);
  const existing = await readExisting(tx, wanted);
  const columns = await readColumns(tx, wanted);
  const known = new Set(existing.map(({ kind, name }) => `${kind} ${name}`));
  return {
    has: (kind, id) => known.has(`${kind} ${id}`) || (isUuid(id) && known.has(`${kind} ${id.toLowerCase()}`)),
    customFieldKeys: await selectCustomFieldKeys(tx),
    columnsOf: (schema) => columns.get(schema.toLowerCase()) ?? [],
  };
}
