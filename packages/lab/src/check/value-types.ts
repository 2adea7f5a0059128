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

/** Returns a function that says what a variable may hold, by the schemas that provide it. */
export function valueTypes({ schemas }: Snapshot, plan: Plan): (leaf: Pick<Leaf, 'path' | 'facet'>) => ValueType {
  const types = new Map<string, ValueType>();
  const note = (name: string, type: ValueType): void => {
    const known = types.get(name);
    types.set(name, known === undefined || known === type ? type : 'any');
  };
  const columnsOf = new Map(schemas.map(({ id, columns }) => [id, columns]));
  const noteColumns = (schemaId: string, names: readonly string[], prefix: string): void => {
    const columns = columnsOf.get(schemaId) ?? [];
    for (const name of names) {
      note(prefix + name, columnType(columns.find((column) => column.name === name)?.dataType ?? ''));
    }
  };
  for (const { schemaId, columns } of plan.autoSources) noteColumns(schemaId, columns, '');
  for (const { schemaId, columns, prefix } of plan.enrichSources) noteColumns(schemaId, columns, prefix);
  for (const { values } of plan.joinedSources) for (const { name } of values) note(name, 'any');
  return ({ path, facet }) => {
    const [root, name, ...below] = path;
    if (facet === 'member' || root !== 'customer' || name === undefined) return 'any';
    // Nothing in the catalogue provides the name, so no customer has it. Metrics come by themselves.
    if (!types.has(name)) return name === 'metrics' ? 'any' : 'none';
    return below.length > 0 ? 'any' : types.get(name)!;
  };
}
