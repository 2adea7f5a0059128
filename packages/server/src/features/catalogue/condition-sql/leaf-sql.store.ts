import type { ConditionLeaf, Operator, Scalar } from '@arbiter/engine';
import { jsonLeaf } from './json-leaf.store.ts';
import { type Comparison, type LeafKind, never, type SqlColumn, type SqlContext } from './leaf-kind.ts';
import { momentLeaf } from './moment-leaf.store.ts';
import { numberLeaf } from './number-leaf.store.ts';
import { textLeaf } from './text-leaf.store.ts';

function kindOf(column: SqlColumn, context: SqlContext): LeafKind {
  switch (column.dataType) {
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'decimal':
    case 'numeric':
    case 'real':
    case 'double':
      return numberLeaf(column, context);
    case 'varchar':
    case 'char':
    case 'text':
    case 'uuid':
    case 'time':
      return textLeaf(column, context);
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return momentLeaf(column, context);
    case 'boolean':
      return booleanLeaf(column, context);
    case 'jsonb':
      return jsonLeaf(column, context);
  }
}

const dayMs = 86_400_000;

/**
 * Returns SQL that is true if the leaf accepts the column's value as responses show it, by the engine's rules
 * (packages/engine/src/conditions/match.ts), and otherwise false or null. Comparisons that a column's index can serve
 * are written so that it does.
 */
export function leafSql(column: SqlColumn, { operator, value }: ConditionLeaf, context: SqlContext): string {
  const kind = kindOf(column, context);
  const not = (sql: string): string => (sql === never ? kind.present : `(${kind.present} and (${sql}) is not true)`);
  const list: readonly Scalar[] = typeof value === 'object' ? value : value === undefined ? [] : [value];
  const [first, second] = list;
  const compare = (comparison: Comparison, wanted: Scalar | undefined): string =>
    wanted === undefined ? never : kind.compare(comparison, wanted);
  const member = (): string => {
    if (list.length === 0) return never;
    const whole = kind.member(list);
    if (whole !== null) return whole;
    const each = list.map((wanted) => kind.compare('eq', wanted)).filter((sql) => sql !== never);
    return each.length === 0 ? never : `(${each.join(' or ')})`;
  };
  const substring = (name: 'strpos' | 'starts_with'): string => {
    if (kind.text === null || typeof first !== 'string') return never;
    const call = `${name}(${kind.text()}, ${context.literals.add(first, 'text')})`;
    return name === 'strpos' ? `${call} > 0` : call;
  };
  const contains = (): string => (first === undefined ? never : (kind.contains(first) ?? substring('strpos')));
  const daysBack = (within: boolean): string =>
    typeof first === 'number' ? kind.daysBack(Math.floor(first * dayMs), within) : never;
  const sqlOf: Readonly<Record<Exclude<Operator, 'regex'>, () => string>> = {
    exists: () => kind.present,
    not_exists: () => `(${kind.present}) is not true`,
    eq: () => compare('eq', first),
    neq: () => not(compare('eq', first)),
    gt: () => compare('gt', first),
    gte: () => compare('gte', first),
    lt: () => compare('lt', first),
    lte: () => compare('lte', first),
    between: () => both(compare('gte', first), compare('lte', second)),
    in: member,
    not_in: () => not(member()),
    contains,
    not_contains: () => not(contains()),
    starts_with: () => substring('starts_with'),
    within_last_days: () => daysBack(true),
    not_within_last_days: () => daysBack(false),
  };
  // Catalogue conditions don't allow it. Condition lists of flow nodes do, but never run as SQL.
  if (operator === 'regex') throw new Error('regex is not a condition operator');
  return sqlOf[operator]();
}

// Keep both even if one is never true: every added value must be used.
const both = (a: string, b: string): string => `(${a} and ${b})`;

function booleanLeaf({ sql }: SqlColumn, { literals }: SqlContext): LeafKind {
  return {
    compare: (comparison, wanted) =>
      comparison === 'eq' && typeof wanted === 'boolean'
        ? `${sql} = ${literals.add(String(wanted), 'boolean')}`
        : never,
    member: () => null,
    text: null,
    daysBack: () => never,
    present: `${sql} is not null`,
    contains: () => null,
  };
}
