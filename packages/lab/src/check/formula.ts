import {
  type Condition,
  type ConditionLeaf,
  compileCondition,
  compileConditionList,
  emptyScope,
  type FormulaScope,
  type Json,
} from '@arbiter/engine';

/** What a comparison looks at: the value itself, its age in days, whole days since, or a membership. */
export type Facet = 'value' | 'age' | 'days' | 'member';

/** One comparison with a variable of the customer or the request. */
export interface Leaf {
  readonly key: string;
  readonly variable: string;
  readonly facet: Facet;
  /** Path of the value; empty for a membership, whose segment is the variable's name. */
  readonly path: readonly string[];
  readonly comparison: Omit<ConditionLeaf, 'field'> | null;
  /** Of a recency check. */
  readonly days: { readonly minimum: number; readonly maximum: number } | null;
}

/** A gate's condition. `unknown`: nothing is known about it, so it may hold and may not. */
export type Formula =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Formula[] }
  | { readonly kind: 'leaf'; readonly leaf: Leaf; readonly holds: boolean }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'unknown' };

export const always: Formula = { kind: 'constant', value: true };
export const never: Formula = { kind: 'constant', value: false };
export const unknown: Formula = { kind: 'unknown' };

export const allOf = (parts: readonly Formula[]): Formula =>
  parts.length === 1 ? parts[0]! : { kind: 'all', parts: parts.filter((part) => part !== always) };
export const anyOf = (parts: readonly Formula[]): Formula =>
  parts.length === 1 ? parts[0]! : { kind: 'any', parts: parts.filter((part) => part !== never) };

/** Returns the formula that holds exactly where this one doesn't. */
export function negate(formula: Formula): Formula {
  switch (formula.kind) {
    case 'all':
    case 'any':
      return { kind: formula.kind === 'all' ? 'any' : 'all', parts: formula.parts.map(negate) };
    case 'leaf':
      return { ...formula, holds: !formula.holds };
    case 'constant':
      return formula.value ? never : always;
    case 'unknown':
      return formula;
  }
}

/** What is fixed for one offer on one channel. Null: not known here. */
export interface FixedParts {
  readonly offer: FormulaScope['offer'];
  readonly channel: FormulaScope['channel'];
  readonly creative: FormulaScope['creative'];
}

export const nothingFixed: FixedParts = { offer: null, channel: null, creative: null };

/** How a condition is written: the grammar of conditions, or the list of a flow node. */
export type ConditionSource =
  | { readonly condition: unknown }
  | { readonly list: unknown; readonly combinator: 'AND' | 'OR' };

export function storedCondition(source: ConditionSource): Condition | null {
  const compiled =
    'list' in source ? compileConditionList(source.list ?? [], source.combinator) : compileCondition(source.condition);
  return compiled.ok ? compiled.condition.stored : null;
}

/** Returns the formula of a condition. One that can't be read never holds, as in the engine. */
export function formulaOf(source: ConditionSource, fixed: FixedParts): Formula {
  const stored = storedCondition(source);
  return stored === null ? never : ofCondition(stored, fixed);
}

export function ofCondition(condition: Condition, fixed: FixedParts): Formula {
  if ('conditions' in condition) {
    const parts = condition.conditions.map((part) => ofCondition(part, fixed));
    // An empty group is true, whatever joins it.
    if (parts.length === 0) return always;
    return condition.logic === 'and' ? allOf(parts) : anyOf(parts);
  }
  return ofLeaf(condition, fixed);
}

const aging: ReadonlySet<string> = new Set(['within_last_days', 'not_within_last_days']);

function ofLeaf({ field, ...comparison }: ConditionLeaf, fixed: FixedParts): Formula {
  const path = field.includes('.') ? field.split('.') : ['customer', field];
  const [root] = path;
  if (root === 'offer' || root === 'channel' || root === 'creative') {
    const part = fixed[root];
    if (part === null || aging.has(comparison.operator)) return unknown;
    return holdsIn({ ...emptyScope(), [root]: part }, field, comparison) ? always : never;
  }
  const facet = aging.has(comparison.operator) ? 'age' : 'value';
  const key = `${facet} ${field} ${JSON.stringify(comparison)}`;
  return leafOf({ key, variable: path.join('.'), facet, path, comparison, days: null });
}

const leafOf = (leaf: Leaf): Formula => ({ kind: 'leaf', leaf, holds: true });

/** Holds when the value at a path is missing. */
export function missing(field: string): Formula {
  const path = field.includes('.') ? field.split('.') : ['customer', field];
  const comparison = { operator: 'not_exists' } as const;
  return leafOf({
    key: `value ${field} missing`,
    variable: path.join('.'),
    facet: 'value',
    path,
    comparison,
    days: null,
  });
}

/** Holds for members of a segment, stored or of the request. */
export function member(segment: string): Formula {
  const variable = `segment ${segment}`;
  return leafOf({ key: variable, variable, facet: 'member', path: [], comparison: null, days: null });
}

/** Holds for dates at least `minimum` and at most `maximum` whole days ago. */
export function daysAgo(field: string, minimum: number, maximum: number): Formula {
  const path = field.includes('.') ? field.split('.') : ['customer', field];
  const key = `days ${field} ${minimum} ${maximum}`;
  return leafOf({ key, variable: path.join('.'), facet: 'days', path, comparison: null, days: { minimum, maximum } });
}

/** Evaluates one comparison as the engine does. */
function holdsIn(scope: FormulaScope, field: string, comparison: Omit<ConditionLeaf, 'field'>): boolean {
  const compiled =
    comparison.operator === 'regex'
      ? compileConditionList([{ field, ...comparison }])
      : compileCondition({ field, ...comparison }, { namespaces: everyNamespace });
  return compiled.ok && compiled.condition.test(scope);
}

const everyNamespace: ReadonlySet<string> = new Set([
  'customer',
  'attributes',
  'request',
  'offer',
  'channel',
  'creative',
]);

/** Returns a test of one comparison on a value of its own. */
export function testOf(comparison: Omit<ConditionLeaf, 'field'>, now: number): (value: Json) => boolean {
  const compiled =
    comparison.operator === 'regex'
      ? compileConditionList([{ field: 'customer.value', ...comparison }])
      : compileCondition({ field: 'customer.value', ...comparison });
  if (!compiled.ok) return () => false;
  const scope = { ...emptyScope(), now };
  return (value) => {
    scope.customer = { value };
    return compiled.condition.test(scope);
  };
}

/** Yields the leaves of a formula. */
export function* leavesIn(formula: Formula): Generator<Leaf> {
  if (formula.kind === 'leaf') yield formula.leaf;
  else if (formula.kind === 'all' || formula.kind === 'any') for (const part of formula.parts) yield* leavesIn(part);
}
