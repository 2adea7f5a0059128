import type { DataType } from '@arbiter/contract';
import type { Condition } from '@arbiter/engine';
import { metricValueSql } from '../../data/behavioral-metrics/index.ts';
import { conditionSql, newLiterals, type SqlColumn, type SqlLiterals } from '../condition-sql/index.ts';
import { quoteName } from '../schemas/index.ts';
import { type ConditionColumn, type ConditionSchema, columnOf } from './condition-schemas.ts';
import { type FieldSources, fieldOf, fieldsOf } from './filters.rules.ts';
import { type ConditionJoin, joinedAs } from './joins.rules.ts';

/** A segment's members, with everything that its definition names. */
export interface Definition extends FieldSources {
  readonly filters: Condition;
}

/** A statement with its values: parameters, or the literals of a view. */
export interface Query {
  readonly text: string;
  readonly values: readonly string[];
}

/** The queried row; the walls forbid our names here. */
const base = 'b';

function requireColumn(schema: ConditionSchema, name: string): ConditionColumn {
  const column = columnOf(schema, name);
  // In use, so it cannot have been dropped.
  if (column === null) throw new Error(`schema ${schema.id} has no column ${name}`);
  return column;
}

const place = (alias: string, { name, dataType, precision }: ConditionColumn): SqlColumn => ({
  sql: `${alias}.${quoteName(name)}`,
  dataType,
  precision,
});

/** Instants of whole milliseconds, as the engine's clock has them. */
const nowOf = (literals: SqlLiterals): string => `date_trunc(${literals.add('milliseconds', 'text')}, now())`;

/** The column that names a customer. */
export const keyColumn = (schema: ConditionSchema): ConditionColumn => requireColumn(schema, schema.rowKey);

export const keySql = (schema: ConditionSchema): string => `${base}.${quoteName(schema.rowKey)}`;

/** `from` of all statements about a segment. */
export const fromSql = (schema: ConditionSchema): string => `from ${schema.table} ${base}`;

/**
 * True for the one row of the base that counts for a customer: with a key, and of several rows with one key that with the
 * highest primary key (docs/design/api-catalogue.md 2.2).
 */
export function countingRow(schema: ConditionSchema): string {
  const key = quoteName(schema.rowKey);
  const primary = quoteName(schema.primaryKey);
  if (schema.rowKey === schema.primaryKey) return `${base}.${key} is not null`;
  return (
    `${base}.${key} is not null and not exists (select from ${schema.table} later ` +
    `where later.${key} = ${base}.${key} and later.${primary} > ${base}.${primary})`
  );
}

/** Returns SQL that's true for rows of the base whose customers belong to the segment. */
export function belongs(definition: Definition, literals: SqlLiterals): string {
  const { base: schema, joins, filters } = definition;
  const related = (join: ConditionJoin, inner: string, match = join.match): string => {
    const alias = `j${joins.indexOf(join)}`;
    const found = `exists (select from ${join.schema.table} ${alias} where ${linkSql(schema, join, alias)} and ${inner})`;
    return match === 'any' ? found : `not ${found}`;
  };
  const condition = conditionSql(filters, {
    literals,
    now: () => nowOf(literals),
    fieldOf(field) {
      const found = fieldOf(definition, field);
      if (typeof found === 'string') throw new Error(`field ${field} of a stored segment ${found}`);
      const { column, join, metric } = found;
      if (metric !== null) {
        const sql = metricValueSql(metric, customerIdSql(schema), literals);
        return { column: { ...column, sql }, relation: null };
      }
      if (join === null) return { column: place(base, column), relation: null };
      return { column: place(`j${joins.indexOf(join)}`, column), relation: join.alias };
    },
    related(alias, inner) {
      const join = joins.find((each) => each.alias === alias);
      if (join === undefined) throw new Error(`a stored segment has no join ${alias}`);
      return related(join, inner);
    },
  });
  const named = new Set(fieldsOf(filters).map((field) => (field.includes('.') ? field.split('.', 1)[0] : null)));
  const parts = [condition];
  for (const join of joins) {
    if (!named.has(join.alias)) parts.push(related(join, 'true'));
    else if (join.joinType === 'inner') parts.push(related(join, 'true', 'any'));
  }
  return parts.length === 1 ? condition : `(${parts.join(' and ')})`;
}

/** Finds the joined row of the base row. The joined column is the only one, so that its index is used. */
function linkSql(
  schema: ConditionSchema,
  { schema: joined, baseField, joinField }: ConditionJoin,
  alias: string,
): string {
  const own = requireColumn(schema, baseField);
  const other = requireColumn(joined, joinField);
  const value = `${base}.${quoteName(own.name)}`;
  const column = `${alias}.${quoteName(other.name)}`;
  switch (joinedAs(own.dataType, other.dataType)) {
    case 'same':
      return `${column} = ${value}`;
    case 'text':
      return other.dataType === 'char' ? `${column}::text = ${value}::text` : `${column} = ${value}::text`;
    case 'integer':
      return `${column} = arbiter.condition_integer(${value}::text)`;
    case null:
      throw new Error(`the fields of join ${joinField} have no values in common`);
  }
}

/** The key as the text by which customers are named, in SQL that a view may hold. */
function keyTextSql(column: string, dataType: DataType): string {
  switch (dataType) {
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return `arbiter.condition_text(${column})`;
    case 'decimal':
    case 'numeric':
      return `trim_scale(${column})::text`;
    default:
      return `${column}::text`;
  }
}

/** The id of the base row's customer. */
const customerIdSql = (schema: ConditionSchema): string => keyTextSql(keySql(schema), keyColumn(schema).dataType);

/** Every member once, as `customer_id`. */
function membersText(definition: Definition, literals: SqlLiterals): string {
  const { base: schema } = definition;
  const key = customerIdSql(schema);
  const where = `${countingRow(schema)} and ${belongs(definition, literals)}`;
  return `select ${key} as customer_id ${fromSql(schema)} where ${where}`;
}

/** The query of the segment's view, with places for its literals. */
export function viewQuery(definition: Definition): Query {
  const literals = newLiterals('places');
  return { text: membersText(definition, literals), values: literals.values };
}

/** Returns the same as part of a statement whose parameters start at number `first`. */
export function membersQuery(definition: Definition, first = 1): Query {
  const literals = newLiterals('parameters', first);
  return { text: membersText(definition, literals), values: literals.values };
}
