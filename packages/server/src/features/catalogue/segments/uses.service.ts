import type { Tx } from '../../../db/tx.ts';
import { readConditionSchemas } from './condition-schemas.ts';
import { metricsFor, openDefinition, schemaIdsOf } from './definitions.ts';
import { fieldOf, fieldsOf, metricField } from './filters.rules.ts';
import type { Definition } from './membership-sql.store.ts';
import type { SegmentUse } from './segments.service.ts';
import { selectAsking, selectNamingField } from './segments.store.ts';

/**
 * Returns segments that read a schema, or one of its columns (`column`), oldest first: they keep it from being deleted.
 * Every segment of the base reads the customer column and the primary key.
 */
export async function segmentsAsking(
  tx: Tx,
  schema: { readonly id: string; readonly column?: string },
): Promise<SegmentUse[]> {
  const rows = await selectAsking(tx, schema.id);
  const schemas = await readConditionSchemas(tx, rows.flatMap(schemaIdsOf));
  const metrics = await metricsFor(
    tx,
    rows.map(({ filters }) => filters),
  );
  const { column } = schema;
  return rows
    .filter((row) => column === undefined || columnsUsed(openDefinition(row, schemas, metrics), schema.id).has(column))
    .map(({ id, name }) => ({ noun: 'segment', name, id }));
}

/** Segments whose filters read a metric, whatever their status, oldest first: their views name it. */
export async function segmentsReadingMetric(tx: Tx, key: string): Promise<SegmentUse[]> {
  const rows = await selectNamingField(tx, metricField(key));
  return rows.map(({ id, name }) => ({ noun: 'segment', name, id }));
}

function columnsUsed(definition: Definition, schemaId: string): ReadonlySet<string> {
  const { base, joins, filters } = definition;
  const visited = new Set<string>();
  const note = (id: string, name: string): void => {
    if (id === schemaId) visited.add(name);
  };
  note(base.id, base.rowKey);
  note(base.id, base.primaryKey);
  for (const join of joins) {
    note(base.id, join.baseField);
    note(join.schema.id, join.joinField);
  }
  for (const field of fieldsOf(filters)) {
    const found = fieldOf(definition, field);
    if (typeof found !== 'string' && found.metric === null) note(found.join?.schema.id ?? base.id, found.column.name);
  }
  return visited;
}
