import { type EntityType, type FlowReferenceEntry, type Resource, resources } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { tableOf } from '../catalogue-records/index.ts';
import { entityTypes } from './flow-references.store.ts';

/** Kinds of records whose names are unique only within another record, with the column that names it. */
const parents: Partial<Record<EntityType, { readonly column: string; readonly entityType: EntityType }>> = {
  placement: { column: 'channel_id', entityType: 'channel' },
  subCategory: { column: 'category_id', entityType: 'category' },
};

/** The resources that flows name, by the last part of their path. */
const byPath = new Map(
  Object.values(entityTypes)
    .filter((entityType) => entityType !== null)
    .map((entityType) => [resources[entityType].path as string, entityType]),
);

/** Kind of record of a reference's `type`; null: flows name none of that type. */
export const typeNamed = (type: string): EntityType | null => byPath.get(type) ?? null;

const nameColumn = ({ unique }: Resource): string => (Object.hasOwn(unique, 'key') ? 'key' : 'name');

/** Select list and source: the live records of a kind with their own name and that of the record above them. */
function namedRecords(entityType: EntityType): string {
  const resource: Resource = resources[entityType];
  const parent = parents[entityType];
  const live = resource.softDelete ? 'and r.deleted_at is null' : '';
  const above =
    parent === undefined
      ? ''
      : `join arbiter.${tableOf(resources[parent.entityType])} p on p.tenant_id = r.tenant_id and p.id = r.${parent.column}
           and p.deleted_at is null`;
  const parentName = parent === undefined ? 'null::text' : `p.${nameColumn(resources[parent.entityType])}`;
  return `select r.id, r.${nameColumn(resource)} as name, ${parentName} as parent
    from arbiter.${tableOf(resource)} r ${above} where r.tenant_id = $1 ${live}`;
}

interface NamedRecord {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
}

/** Returns how other tenants can find these records, by id. Leaves out unknown ids. */
export async function selectReferences(
  tx: Tx,
  entityType: EntityType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FlowReferenceEntry>> {
  const rows = await tx.query<NamedRecord>(`${namedRecords(entityType)} and r.id = any($2::uuid[])`, [
    tx.tenantId,
    ids,
  ]);
  const type: string = resources[entityType].path;
  return new Map(
    rows.map(({ id, name, parent }) => [id, { type, ref: parent === null ? name : [parent, name] }] as const),
  );
}

/** The ids of the records of a kind with these names, by `ref` as text; those that do not exist are left out. */
export async function selectNamed(
  tx: Tx,
  entityType: EntityType,
  refs: readonly FlowReferenceEntry['ref'][],
): Promise<ReadonlyMap<string, string>> {
  const names = refs.map((ref) => (typeof ref === 'string' ? ref : ref.at(-1)));
  const resource: Resource = resources[entityType];
  const rows = await tx.query<NamedRecord>(
    `${namedRecords(entityType)} and r.${nameColumn(resource)} = any($2::text[])`,
    [tx.tenantId, names],
  );
  return new Map(rows.map(({ id, name, parent }) => [refText(parent === null ? name : [parent, name]), id]));
}

/** A reference as a key of a map. */
export const refText = (ref: FlowReferenceEntry['ref']): string => JSON.stringify(ref);
