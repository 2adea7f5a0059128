/** Conditions in words: `{ field, operator, value }` and groups of them (docs/design/api-catalogue.md, section 1.3). */

type ConditionValues = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is ConditionValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Alternative spellings of operators that the API accepts. */
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

/** Words between the field and the value. */
const words: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  between: 'between',
  in: 'is one of',
  not_in: 'is not one of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  regex: 'matches',
  within_last_days: 'within the last',
  not_within_last_days: 'not within the last',
};

/** Formats a value of a condition. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return listText(value.map(valueText));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Formats a list as `a, b and c`. Beyond eight names it counts the rest. */
export function listText(names: readonly string[], word = 'and'): string {
  if (names.length > 8) return `${names.slice(0, 7).join(', ')} ${word} ${names.length - 7} more`;
  return names.length < 2 ? (names[0] ?? 'nothing') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

/** Formats operator and value: `at least 21`. */
export function operatorText(operator: unknown, value: unknown): string {
  const name = typeof operator === 'string' ? (aliases[operator] ?? operator) : 'eq';
  if (name === 'exists') return 'has a value';
  if (name === 'not_exists') return 'has no value';
  if (name === 'between' && Array.isArray(value)) return `between ${valueText(value[0])} and ${valueText(value[1])}`;
  if (name === 'within_last_days' || name === 'not_within_last_days') return `${words[name]} ${valueText(value)} days`;
  if (Array.isArray(value)) return `${words[name] ?? name} ${listText(value.map(valueText), 'or')}`;
  return `${words[name] ?? name} ${valueText(value)}`;
}

/** A condition as a tree to render: groups with parts, leaves as sentences. */
export type ConditionTree =
  | { readonly kind: 'leaf'; readonly field: string; readonly requirement: string }
  | { readonly kind: 'group'; readonly all: boolean; readonly parts: readonly ConditionTree[] };

/** Parses every form of condition that the API accepts. Returns null for an empty condition, which everyone meets. */
export function conditionTree(condition: unknown): ConditionTree | null {
  if (Array.isArray(condition)) return group(condition, true);
  if (!isObject(condition)) return null;
  if (typeof condition.field === 'string') {
    return { kind: 'leaf', field: condition.field, requirement: operatorText(condition.operator, condition.value) };
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

/** Formats a condition as a sentence: `tier is gold and (age at least 18 or app_user is yes)`. */
export function conditionText(condition: unknown): string | null {
  const tree = conditionTree(condition);
  return tree === null ? null : treeText(tree, true);
}

function treeText(tree: ConditionTree, top: boolean): string {
  if (tree.kind === 'leaf') return `${tree.field} ${tree.requirement}`;
  const text = tree.parts.map((part) => treeText(part, false)).join(tree.all ? ' and ' : ' or ');
  return top ? text : `(${text})`;
}
