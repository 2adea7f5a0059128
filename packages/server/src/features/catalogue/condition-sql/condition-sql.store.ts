import type { Condition, ConditionGroup, ConditionLeaf } from '@arbiter/engine';
import type { SqlColumn, SqlContext } from './leaf-kind.ts';
import { leafSql } from './leaf-sql.store.ts';

/** Where a field of a condition stands. */
export interface FieldPlace {
  readonly column: SqlColumn;
  /** Name of the related rows that it is a column of; null: of the row that is asked. */
  readonly relation: string | null;
}

/** What a condition is asked of. */
export interface ConditionPlace extends SqlContext {
  /** Where a field stands. The condition was checked, so there is one. */
  fieldOf(field: string): FieldPlace;
  /** SQL that is true when the related rows are as the relation wants them; `inner` is asked of each of them. */
  related(relation: string, inner: string): string;
}

/**
 * A condition in its stored form (docs/design/api-catalogue.md 1.3) as SQL that is true for a row exactly when the engine says so of
 * the row's values, and false or null when not. Leaves of one relation inside one group are asked of the same related row.
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
