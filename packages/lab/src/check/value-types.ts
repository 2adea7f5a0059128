import type { Plan, Snapshot } from '@arbiter/engine';
import type { Leaf } from './formula.ts';
import type { ValueType } from './values.ts';

const typeOfColumn: Readonly<Record<string, ValueType>> = {
  smallint: 'integer',
  integer: 'integer',
  real: 'number',
  double: 'number',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'instant',
  timestamptz: 'instant',
  varchar: 'text',
  char: 'text',
  text: 'text',
  uuid: 'text',
};

/** Columns that hold other types too, or whose numbers may be too long for one, are of type `any`. */
const columnType = (dataType: string): ValueType => typeOfColumn[dataType.replace(/\(.*$/, '').toLowerCase()] ?? 'any';

/** What provides a value of the customer. */
interface ValueSource {
  readonly type: ValueType;
  /** Null: rows of joined schemas, in whatever figure. */
  readonly column: { readonly schemaId: string; readonly column: string } | null;
}

/** Returns what provides the customer's values, by name. */
export function columnsByName({ schemas }: Pick<Snapshot, 'schemas'>, plan: Plan): Map<string, readonly ValueSource[]> {
  const sources = new Map<string, ValueSource[]>();
  const note = (name: string, source: ValueSource): void => {
    const own = sources.get(name);
    if (own === undefined) sources.set(name, [source]);
    else own.push(source);
  };
  const columnsOf = new Map(schemas.map(({ id, columns }) => [id, columns]));
  const noteColumns = (schemaId: string, names: readonly string[], prefix: string): void => {
    const columns = columnsOf.get(schemaId) ?? [];
    for (const name of names) {
      const type = columnType(columns.find((column) => column.name === name)?.dataType ?? '');
      note(prefix + name, { type, column: { schemaId, column: name } });
    }
  };
  for (const { schemaId, columns } of plan.autoSources) noteColumns(schemaId, columns, '');
  for (const { schemaId, columns, prefix } of plan.enrichSources) noteColumns(schemaId, columns, prefix);
  for (const { values } of plan.joinedSources) for (const { name } of values) note(name, { type: 'any', column: null });
  return sources;
}

/** Returns a function that says what a variable may hold, by the schemas that provide it. */
export function valueTypes(snapshot: Snapshot, plan: Plan): (leaf: Pick<Leaf, 'path' | 'facet'>) => ValueType {
  const types = new Map<string, ValueType>();
  for (const [name, [first, ...others]] of columnsByName(snapshot, plan)) {
    if (first !== undefined) types.set(name, others.every(({ type }) => type === first.type) ? first.type : 'any');
  }
  return ({ path, facet }) => {
    const [root, name, ...below] = path;
    if (facet === 'member' || root !== 'customer' || name === undefined) return 'any';
    // Nothing in the catalogue provides the name, so no customer has it. Metrics come on their own.
    if (!types.has(name)) return name === 'metrics' ? 'any' : 'none';
    return below.length > 0 ? 'any' : types.get(name)!;
  };
}
