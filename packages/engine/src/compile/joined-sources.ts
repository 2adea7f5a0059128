import type { JoinedSource, JoinedValue } from '../plan/plan.ts';
import type { Snapshot, SnapshotJoin, SnapshotSchema } from '../plan/snapshot.ts';

const numericTypes = ['smallint', 'integer', 'bigint', 'decimal', 'numeric', 'real', 'double'];

/**
 * Returns the joined schemas with the values whose names are in the fields (null: all), in the order they write names
 * (docs/design/api-catalogue.md 2.3). Unused aggregates aren't read; one row always is, because it shows that the
 * customer is known.
 */
export function joinedSources(
  { schemas, joins = [] }: Pick<Snapshot, 'schemas' | 'joins'>,
  fields: ReadonlySet<string> | null,
): JoinedSource[] {
  return joins.flatMap((join) => {
    const schema = schemas.find(({ id }) => id === join.schemaId);
    if (schema === undefined) return [];
    const isMany = schema.schemaType !== 'customer';
    const all = isMany ? figuresOf(schema, join) : columnsOf(schema, join);
    const values = fields === null ? all : all.filter(({ name }) => fields.has(name));
    if (isMany && values.length === 0) return [];
    const { schemaId, lookupColumn, path } = join;
    return [{ schemaId, lookupColumn, path, isMany, values }];
  });
}

function columnsOf({ columns }: SnapshotSchema, { prefix, summaryColumns }: SnapshotJoin): JoinedValue[] {
  return columns
    .filter(({ name }) => summaryColumns.length === 0 || summaryColumns.includes(name))
    .map(({ name }) => ({ name: prefix + name, figure: 'value', column: name }));
}

function figuresOf({ name, columns }: SnapshotSchema, { prefix, summaryColumns }: SnapshotJoin): JoinedValue[] {
  const start = `${prefix}${name}_`;
  const values: JoinedValue[] = [{ name: `${start}count`, figure: 'count', column: null }];
  for (const column of new Set(summaryColumns)) {
    const found = columns.find((candidate) => candidate.name === column);
    if (found === undefined) continue;
    const figures = numericTypes.includes(found.dataType)
      ? (['sum', 'avg', 'min', 'max', 'last'] as const)
      : (['last'] as const);
    for (const figure of figures) values.push({ name: `${start}${column}_${figure}`, figure, column });
  }
  return values;
}
