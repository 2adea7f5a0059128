import type { SchemaField } from '@arbiter/contract';
import type { SnapshotJoin, SnapshotJoinStep } from '@arbiter/engine';
import { hasColumn, rowKeyOf } from '../fields/fields.rules.ts';
import { activeJoin } from './links.rules.ts';

/** A schema's link to its parent, and its own keys. */
export interface LinkedSchema {
  readonly id: string;
  readonly schemaType: string;
  readonly autoEnrich: boolean;
  readonly linkedSchemaId: string | null;
  readonly joinMapping: Readonly<Record<string, unknown>> | null;
  readonly summaryColumns: readonly string[] | null;
  readonly fields: readonly Pick<SchemaField, 'name' | 'isPrimaryKey'>[];
}

/** A join that is active and enriches. */
export interface EnrichingJoin {
  readonly primarySchemaId: string;
  readonly primaryKey: string;
  readonly foreignSchemaId: string;
  readonly foreignKey: string;
  readonly prefix: string | null;
  readonly summaryColumns: readonly string[] | null;
}

/** Where a schema has the customer's row: the column, and how to get its value. */
type CustomerColumn = Pick<SnapshotJoin, 'lookupColumn' | 'path'>;

/**
 * Returns what decisions read besides the auto-enriched schemas (docs/design/api-catalogue.md 2.3): linked schemas,
 * oldest first, then joins. Schemas and joins come oldest first. An inactive link provides nothing, nor does anything
 * that depends on it.
 */
export function enrichingJoins(schemas: readonly LinkedSchema[], joins: readonly EnrichingJoin[]): SnapshotJoin[] {
  const byId = new Map(schemas.map((schema) => [schema.id, schema]));

  /** The one row of a customer-type schema: a linked one has it by its link, another one by its row key. */
  function placeOf(schema: LinkedSchema): CustomerColumn | null {
    if (schema.schemaType !== 'customer') return null;
    return schema.linkedSchemaId === null ? { lookupColumn: rowKeyOf(schema.fields), path: [] } : linkOf(schema);
  }

  function linkOf(schema: LinkedSchema): CustomerColumn | null {
    const parent = byId.get(schema.linkedSchemaId ?? '');
    if (parent === undefined) return null;
    const join = activeJoin(schema.joinMapping, parent.fields, schema.fields);
    const path = join === null ? null : pathTo(parent, join.parentField);
    return join === null || path === null ? null : { lookupColumn: join.childField, path };
  }

  /** The rows that lead to a column of a schema's row. What the row is found by is known without it. */
  function pathTo(schema: LinkedSchema, column: string): readonly SnapshotJoinStep[] | null {
    const place = placeOf(schema);
    if (place === null || !hasColumn(schema.fields, column)) return null;
    if (place.lookupColumn === column) return place.path;
    return [...place.path, { schemaId: schema.id, lookupColumn: place.lookupColumn, column }];
  }

  const existing = ({ fields }: LinkedSchema, names: readonly string[] | null): string[] =>
    (names ?? []).filter((name) => hasColumn(fields, name));

  const links = schemas.flatMap((schema): SnapshotJoin[] => {
    const place = schema.autoEnrich && schema.linkedSchemaId !== null ? linkOf(schema) : null;
    if (place === null) return [];
    return [{ schemaId: schema.id, ...place, prefix: '', summaryColumns: existing(schema, schema.summaryColumns) }];
  });
  const joined = joins.flatMap((join): SnapshotJoin[] => {
    const primary = byId.get(join.primarySchemaId);
    const foreign = byId.get(join.foreignSchemaId);
    if (primary === undefined || foreign === undefined || !hasColumn(foreign.fields, join.foreignKey)) return [];
    const path = pathTo(primary, join.primaryKey);
    if (path === null) return [];
    const summaryColumns = existing(foreign, join.summaryColumns);
    return [{ schemaId: foreign.id, lookupColumn: join.foreignKey, path, prefix: join.prefix ?? '', summaryColumns }];
  });
  return [...links, ...joined];
}
