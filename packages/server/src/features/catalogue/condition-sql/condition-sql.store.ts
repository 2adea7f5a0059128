import type { Condition, ConditionGroup, ConditionLeaf } from '@arbiter/engine';
import type { SqlColumn, SqlContext } from './leaf-kind.ts';
import { leafSql } from './leaf-sql.store.ts';

/** The place of a condition's field. */
export interface FieldPlace {
  readonly column: SqlColumn;
  /** Name of the relation that the column belongs to; null for the row itself. */
  readonly relation: string | null;
}

/** The row that a condition applies to. */
export interface ConditionPlace extends SqlContext {
  /** Returns the place of a field. The condition was checked, so it exists. */
  fieldOf(field: string): FieldPlace;
  /** Returns SQL that is true if the related rows satisfy the relation; `inner` applies to each of them. */
  related(relation: string, inner: string): string;
}

/**
 * Returns a stored condition (docs/design/api-catalogue.md 1.3) as SQL that is true for a row exactly when the engine
 * accepts the row's values, and otherwise false or null. Leaves of one relation within a group apply to the same
 * related row.
 */
export function conditionSql(condition: Condition, place: ConditionPlace): string {
  return 'operator' in condition
    ? groupSql({ logic: 'and', conditions: [condition] }, place)
    : groupSql(condition, place);
}

function groupSql({ logic, conditions }: ConditionGroup, place: ConditionPlace): string {
  const parts: string[] = [];
  const leavesOf = new Map<string, string[]>();
  for (const each of conditions) {
    if (!isLeaf(each)) {
      parts.push(groupSql(each, place));
      continue;
    }
    const { column, relation } = place.fieldOf(each.field);
    const sql = leafSql(column, each, place);
    if (relation === null) parts.push(sql);
    else leavesOf.set(relation, [...(leavesOf.get(relation) ?? []), sql]);
  }
  for (const [relation, leaves] of leavesOf) parts.push(place.related(relation, joined(leaves, logic)));
  return parts.length === 0 ? 'true' : joined(parts, logic);
}

const isLeaf = (condition: Condition): condition is ConditionLeaf => 'operator' in condition;

const joined = (parts: readonly string[], logic: 'and' | 'or'): string =>
  parts.length === 1 ? `(${parts[0]})` : `(${parts.map((part) => `(${part})`).join(` ${logic} `)})`;
