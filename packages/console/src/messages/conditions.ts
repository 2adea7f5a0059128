/** Conditions of the API in words (docs/design/api-catalogue.md 1.3): `{ field, operator, value }` and groups of them. */

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Other spellings of operators that the API takes. */
const aliases: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'neq',
  '<>': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  greater_than: 'gt',
  less_than: 'lt',
  is_null: 'not_exists',
  is_not_null: 'exists',
};

/** Behind the field and before the value. */
const words: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  between: 'between',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'begins with',
  regex: 'matches',
  within_last_days: 'in the last',
  not_within_last_days: 'not in the last',
};

/** A value of a condition as people write it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return listText(value.map(valueText));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `a, b and c`; after eight the rest is counted. */
export function listText(names: readonly string[], word = 'and'): string {
  if (names.length > 8) return `${names.slice(0, 7).join(', ')} ${word} ${names.length - 7} more`;
  return names.length < 2 ? (names[0] ?? 'nothing') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

/** What is asked of a field: `at least 21`. */
export function askedText(operator: unknown, value: unknown): string {
  const name = typeof operator === 'string' ? (aliases[operator] ?? operator) : 'eq';
  if (name === 'exists') return 'is known';
  if (name === 'not_exists') return 'is missing';
  if (name === 'between' && Array.isArray(value)) return `between ${valueText(value[0])} and ${valueText(value[1])}`;
  if (name === 'within_last_days' || name === 'not_within_last_days') return `${words[name]} ${valueText(value)} days`;
  if (Array.isArray(value)) return `${words[name] ?? name} ${listText(value.map(valueText), 'or')}`;
  return `${words[name] ?? name} ${valueText(value)}`;
}

/** A condition as a tree that a screen can draw: groups with their parts, leaves as sentences. */
export type ConditionTree =
  | { readonly kind: 'leaf'; readonly field: string; readonly asked: string }
  | { readonly kind: 'group'; readonly all: boolean; readonly parts: readonly ConditionTree[] };

/** Reads every form in which the API takes and keeps conditions; null: it says nothing, so everybody meets it. */
export function conditionTree(condition: unknown): ConditionTree | null {
  if (Array.isArray(condition)) return group(condition, true);
  if (!isObject(condition)) return null;
  if (typeof condition.field === 'string') {
    return { kind: 'leaf', field: condition.field, asked: askedText(condition.operator, condition.value) };
  }
  if (Array.isArray(condition.all)) return group(condition.all, true);
  if (Array.isArray(condition.any)) return group(condition.any, false);
  if (!Array.isArray(condition.conditions)) return null;
  const logic = condition.logic ?? condition.combinator;
  return group(condition.conditions, String(logic ?? 'and').toLowerCase() !== 'or');
}

function group(list: readonly unknown[], all: boolean): ConditionTree | null {
  const parts = list.map(conditionTree).filter((part) => part !== null);
  if (parts.length === 0) return null;
  return parts.length === 1 ? (parts[0] ?? null) : { kind: 'group', all, parts };
}

/** The whole condition as one sentence: `tier is gold and (age at least 18 or app_user is yes)`. */
export function conditionText(condition: unknown): string | null {
  const tree = conditionTree(condition);
  return tree === null ? null : treeText(tree, true);
}

function treeText(tree: ConditionTree, top: boolean): string {
  if (tree.kind === 'leaf') return `${tree.field} ${tree.asked}`;
  const text = tree.parts.map((part) => treeText(part, false)).join(tree.all ? ' and ' : ' or ');
  return top ? text : `(${text})`;
}
