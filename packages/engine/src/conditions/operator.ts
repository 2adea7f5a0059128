import type { Operator } from '../plan/condition.ts';

/** Every spelling accepted on write, and the stored one (docs/design/api-catalogue.md 1.3). */
const SPELLINGS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['eq', 'eq'],
  ['=', 'eq'],
  ['==', 'eq'],
  ['neq', 'neq'],
  ['!=', 'neq'],
  ['<>', 'neq'],
  ['gt', 'gt'],
  ['>', 'gt'],
  ['greater_than', 'gt'],
  ['gte', 'gte'],
  ['>=', 'gte'],
  ['lt', 'lt'],
  ['<', 'lt'],
  ['less_than', 'lt'],
  ['lte', 'lte'],
  ['<=', 'lte'],
  ['between', 'between'],
  ['in', 'in'],
  ['not_in', 'not_in'],
  ['contains', 'contains'],
  ['not_contains', 'not_contains'],
  ['starts_with', 'starts_with'],
  ['exists', 'exists'],
  ['is_not_null', 'exists'],
  ['not_exists', 'not_exists'],
  ['is_null', 'not_exists'],
  ['within_last_days', 'within_last_days'],
  ['not_within_last_days', 'not_within_last_days'],
  ['regex', 'regex'],
]);

/** The stored spelling of an operator; null for an unknown name. */
export function canonicalOperator(text: string): Operator | null {
  return SPELLINGS.get(text) ?? null;
}

/** Returns the spellings of these operators for messages: the stored one first, then the others. */
export function spellingsOf(operators: ReadonlySet<Operator>): string[] {
  const others = [...SPELLINGS].filter(([text, operator]) => operators.has(operator) && text !== operator);
  return [...operators, ...others.map(([text]) => text)];
}

/** Operators of the condition grammar (docs/design/api-catalogue.md 1.3). */
export const CONDITION_OPERATORS: ReadonlySet<Operator> = new Set(
  [...SPELLINGS.values()].filter((operator) => operator !== 'regex'),
);

/** Operators of the condition lists of flow nodes (docs/design/api-decisioning.md 8). */
export const LIST_OPERATORS: ReadonlySet<Operator> = new Set<Operator>([
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'not_in',
  'contains',
  'starts_with',
  'regex',
  'exists',
  'not_exists',
]);
