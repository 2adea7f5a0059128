import type { ErrorEntry } from '@arbiter/contract';
import { type Condition, listWords, parseCondition } from '@arbiter/engine';
import { misfit } from '../condition-sql/index.ts';
import { type ConditionColumn, type ConditionSchema, columnOf } from './condition-schemas.ts';
import { type ConditionJoin, noColumn } from './joins.rules.ts';

/** A field of a filter: a column of the base (`join` null) or of joined rows. */
export interface ConditionField {
  readonly column: ConditionColumn;
  readonly join: ConditionJoin | null;
}

/** `customer.age` is `age`, as in every other condition (docs/design/api-catalogue.md 1.3). */
const baseAlias = 'customer';

/** Returns where a field is, or its problem. Column names match exactly, including case. */
export function fieldOf(
  base: ConditionSchema,
  joins: readonly ConditionJoin[],
  field: string,
): ConditionField | string {
  const dot = field.indexOf('.');
  if (dot === -1) return fieldOfBase(base, field);
  const [alias, name] = [field.slice(0, dot), field.slice(dot + 1)];
  const join = joins.find((each) => each.alias === alias);
  if (join === undefined) {
    if (alias === baseAlias) return fieldOfBase(base, name);
    if (alias === 'metric') return 'refers to a metric; metrics are not available yet';
    const known = joins.map((each) => each.alias);
    return known.length === 0
      ? 'refers to a join, but there are no joins'
      : `must start with one of ${listWords(known)}`;
  }
  const column = columnOf(join.schema, name);
  return column === null ? noColumn(join.schema, name) : { column, join };
}

function fieldOfBase(base: ConditionSchema, name: string): ConditionField | string {
  const column = columnOf(base, name);
  return column === null ? noColumn(base, name) : { column, join: null };
}

/** The filters in stored form, or everything that is wrong with them (docs/design/api-catalogue.md 1.3, 11). */
export function readFilters(
  filters: unknown,
  base: ConditionSchema,
  joins: readonly ConditionJoin[],
): { readonly stored: Condition } | { readonly problems: readonly ErrorEntry[] } {
  const parsed = parseCondition(filters, {
    checkField(field) {
      const found = fieldOf(base, joins, field);
      return typeof found === 'string' ? found : null;
    },
    checkLeaf(leaf) {
      const found = fieldOf(base, joins, leaf.field);
      return typeof found === 'string' ? null : misfit(found.column.dataType, leaf);
    },
  });
  if (parsed.ok) return { stored: parsed.stored };
  return { problems: parsed.problems.map(({ path, message }) => ({ path: `/filters${path}`, message })) };
}

/** Every field that a condition names. */
export function fieldsOf(condition: Condition): string[] {
  return 'operator' in condition ? [condition.field] : condition.conditions.flatMap(fieldsOf);
}
