import { readList, readObjects } from '../config-values.ts';
import type { AutoSource, EnrichSource } from '../plan/plan.ts';
import type { FlowNode, Snapshot, SnapshotSchema } from '../plan/snapshot.ts';
import { enrichOrder } from './enrich-order.ts';

/** Customer-type schemas without a parent that enrich automatically, oldest first (docs/design/api-catalogue.md 2.3). */
export function autoSources(snapshot: Pick<Snapshot, 'schemas'>, fields: ReadonlySet<string>): AutoSource[] {
  return snapshot.schemas
    .filter(enrichesByItself)
    .map((schema) => ({ schemaId: schema.id, rowKey: schema.rowKey, columns: readColumns(schema, [], '', fields) }));
}

/** Returns true for a customer schema without a parent, whose rows every decision reads. */
export function enrichesByItself(schema: SnapshotSchema): boolean {
  return schema.autoEnrich && schema.schemaType === 'customer' && schema.linked !== true;
}

/** Sources of the enrich nodes, in order of nodes and entries. */
export function enrichSources(
  snapshot: Pick<Snapshot, 'schemas'>,
  nodes: readonly FlowNode[],
  fields: ReadonlySet<string>,
): EnrichSource[] {
  const schemas = new Map(
    snapshot.schemas.flatMap(
      (schema) =>
        [
          [schema.id, schema],
          [schema.name, schema],
        ] as const,
    ),
  );
  const schemaOf = (name: string): SnapshotSchema | undefined => schemas.get(name.toLowerCase());
  const order = enrichOrder(nodes, (name) => schemaOf(name)?.columns.map((column) => column.name) ?? []);
  const sources: EnrichSource[] = [];
  for (const [at, node] of nodes.entries()) {
    const config = node.config ?? {};
    readObjects(config.sources).forEach((source, position) => {
      const schema = typeof source.schemaId === 'string' ? schemaOf(source.schemaId) : undefined;
      if (schema === undefined) return;
      const prefix = typeof source.prefix === 'string' ? source.prefix : '';
      const key = typeof config.lookupKey === 'string' ? config.lookupKey : 'customer_id';
      sources.push({
        nodeId: node.id,
        position,
        schemaId: schema.id,
        rowKey: schema.rowKey,
        columns: readColumns(schema, readList(source.fields) ?? [], prefix, fields),
        lookupColumn: schema.columns.some(({ name }) => name === key) ? key : (schema.primaryKey ?? schema.rowKey),
        lookupFrom: typeof config.lookupFrom === 'string' ? config.lookupFrom : 'request.customerId',
        prefix,
        trip: order[at]!.trip,
      });
    });
  }
  return sources;
}

/**
 * Returns the columns of a schema whose names, after the prefix, are in the fields. An empty `chosen` means all
 * columns.
 */
export function readColumns(
  schema: SnapshotSchema,
  chosen: readonly string[],
  prefix: string,
  fields: ReadonlySet<string>,
): string[] {
  return schema.columns
    .map(({ name }) => name)
    .filter((name) => fields.has(prefix + name) && (chosen.length === 0 || chosen.includes(name)));
}
