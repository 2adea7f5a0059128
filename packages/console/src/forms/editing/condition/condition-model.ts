/** Conditions as an editor changes them: groups and leaves (docs/design/api-catalogue.md 1.3). */

export interface ConditionLeaf {
  readonly kind: 'leaf';
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

export interface ConditionGroup {
  readonly kind: 'group';
  readonly logic: 'and' | 'or';
  readonly parts: readonly ConditionNode[];
}

export type ConditionNode = ConditionLeaf | ConditionGroup;

/** Positions from the outermost group to a part. */
export type ConditionPlace = readonly number[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const spellings: Readonly<Record<string, string>> = {
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

/** Returns the stored spelling of an operator. */
const canonical = (operator: string): string => spellings[operator] ?? operator;

const group = (logic: 'and' | 'or', parts: readonly ConditionNode[]): ConditionGroup => ({
  kind: 'group',
  logic,
  parts,
});

const emptyGroup: ConditionGroup = group('and', []);
export const emptyLeaf: ConditionLeaf = { kind: 'leaf', field: '', operator: 'eq', value: '' };

function nodeOf(value: unknown): ConditionNode | null {
  if (Array.isArray(value))
    return group(
      'and',
      value.map(nodeOf).filter((node) => node !== null),
    );
  if (!isObject(value)) return null;
  if (typeof value.field === 'string') {
    const operator = typeof value.operator === 'string' ? canonical(value.operator) : 'eq';
    return { kind: 'leaf', field: value.field, operator, value: value.value };
  }
  const lists = [
    [value.all, 'and'],
    [value.any, 'or'],
    [value.conditions, String(value.logic ?? value.combinator ?? 'and').toLowerCase() === 'or' ? 'or' : 'and'],
  ] as const;
  const found = lists.find(([list]) => Array.isArray(list));
  return found === undefined ? null : { ...(nodeOf(found[0]) as ConditionGroup), logic: found[1] };
}

/** Reads every form of condition that the API accepts. The outermost part is always a group. */
export function readCondition(value: unknown): ConditionGroup {
  const node = nodeOf(value);
  if (node === null) return emptyGroup;
  return node.kind === 'group' ? node : group('and', [node]);
}

const withoutValue = new Set(['exists', 'not_exists']);

/** Writes a condition in the stored form. An empty group inside another is left out, because the API refuses it. */
export function writeCondition(node: ConditionNode): unknown {
  if (node.kind === 'leaf') {
    const { field, operator, value } = node;
    return withoutValue.has(operator) ? { field, operator } : { field, operator, value };
  }
  const parts = node.parts.filter((part) => part.kind === 'leaf' || part.parts.length > 0);
  return { logic: node.logic, conditions: parts.map(writeCondition) };
}

/** Changes the part at a place; null removes it. */
export function changedAt(
  node: ConditionGroup,
  place: ConditionPlace,
  change: (part: ConditionNode) => ConditionNode | null,
): ConditionGroup {
  const [at, ...rest] = place;
  if (at === undefined) {
    const next = change(node);
    return next?.kind === 'group' ? next : emptyGroup;
  }
  const parts = node.parts.flatMap((part, index) => {
    if (index !== at) return [part];
    if (rest.length > 0 && part.kind === 'group') return [changedAt(part, rest, change)];
    return change(part) ?? [];
  });
  return { ...node, parts };
}

/** Operators that mean the opposite for every value. A missing value satisfies neither. */
const opposites: ReadonlyMap<string, string> = new Map(
  [
    ['eq', 'neq'],
    ['gt', 'lte'],
    ['lt', 'gte'],
    ['in', 'not_in'],
    ['contains', 'not_contains'],
    ['exists', 'not_exists'],
    ['within_last_days', 'not_within_last_days'],
  ].flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]),
);

/** Returns the opposite of a condition; null if one of its operators has none. */
export function opposite(node: ConditionNode): ConditionNode | null {
  if (node.kind === 'leaf') {
    if (node.operator === 'between') return outside(node);
    const operator = opposites.get(node.operator);
    return operator === undefined ? null : { ...node, operator };
  }
  const parts = node.parts.map(opposite);
  return parts.includes(null)
    ? null
    : group(
        node.logic === 'and' ? 'or' : 'and',
        parts.filter((part) => part !== null),
      );
}

function outside({ field, value }: ConditionLeaf): ConditionNode {
  const [lower, upper] = Array.isArray(value) ? value : [];
  return group('or', [
    { kind: 'leaf', field, operator: 'lt', value: lower },
    { kind: 'leaf', field, operator: 'gt', value: upper },
  ]);
}

/** Counts the leaves. */
export const countLeaves = (node: ConditionNode): number =>
  node.kind === 'leaf' ? 1 : node.parts.reduce((sum, part) => sum + countLeaves(part), 0);

/** JSON pointer of a part, from the condition. */
export const pointerOf = (place: ConditionPlace): string => place.map((at) => `/conditions/${at}`).join('');
