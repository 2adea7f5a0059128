import { isNamespace, type ReadRaw, readPath } from '../formula/path.ts';
import type {
  CompiledCondition,
  Condition,
  ConditionCompilation,
  ConditionLeaf,
  ConditionOptions,
  ConditionProblem,
  ConditionTest,
} from '../plan/condition.ts';
import type { FormulaScope } from '../plan/formula.ts';
import { matcherOf } from './match.ts';
import { LIST_OPERATORS } from './operator.ts';
import { parseCondition, parseConditionList, resolveField } from './parse-condition.ts';

/** Conditions of one list of a flow node (docs/design/api-decisioning.md 8). */
const MAX_LIST_CONDITIONS = 50;

type Test = (scope: FormulaScope) => boolean;

/**
 * Compiles a condition in the grammar of docs/design/api-catalogue.md 1.3 to a closure. Null, absent and `{}` are true. Never
 * throws; the problems are those that a write is refused for.
 */
export function compileCondition(
  value: unknown,
  options: Omit<ConditionOptions, 'checkField'> = {},
): ConditionCompilation {
  const parse = parseCondition(value, options);
  return parse.ok ? { ok: true, condition: compiled(parse.stored, options) } : parse;
}

/**
 * Compiles the list form of flow nodes (docs/design/api-decisioning.md 8): at most 50 `{ field, operator, value }`, one combinator,
 * `regex` allowed. Default namespaces: `offer customer request attributes channel creative`.
 */
export function compileConditionList(
  conditions: unknown,
  combinator: 'AND' | 'OR' = 'AND',
  options: Omit<ConditionOptions, 'checkField'> = {},
): ConditionCompilation {
  const listOptions = { namespaces: LIST_NAMESPACES, operators: LIST_OPERATORS, ...options };
  const parse = parseConditionList(conditions, combinator, MAX_LIST_CONDITIONS, listOptions);
  return parse.ok ? { ok: true, condition: compiled(parse.stored, listOptions) } : parse;
}

const LIST_NAMESPACES: ReadonlySet<string> = new Set([
  'offer',
  'customer',
  'request',
  'attributes',
  'channel',
  'creative',
]);

export type FieldReader =
  | { readonly ok: true; readonly path: readonly string[]; read(scope: FormulaScope): unknown }
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };

/** Reader of one field as conditions read it: the raw value, undefined when it is missing. */
export function compileField(field: string, options: Omit<ConditionOptions, 'checkField'> = {}): FieldReader {
  const path = resolveField(field, options);
  if (path === null) return { ok: false, problems: [{ path: '', message: 'is not a known field' }] };
  return { ok: true, path, read: readerOf(path) };
}

function readerOf(path: readonly [string, ...string[]]): ReadRaw {
  const [namespace, ...below] = path;
  return isNamespace(namespace) ? readPath(namespace, below) : () => undefined;
}

function compiled(stored: Condition, options: ConditionOptions): CompiledCondition {
  const found: ConditionReads = { paths: new Map(), tests: [] };
  const test = compileNode(stored, options, found);
  return { test, paths: [...found.paths.values()], tests: found.tests, stored };
}

/** The paths that the leaves read. */
interface ConditionReads {
  readonly paths: Map<string, readonly string[]>;
  readonly tests: ConditionTest[];
}

function compileNode(node: Condition, options: ConditionOptions, found: ConditionReads): Test {
  if ('operator' in node) return compileLeaf(node, options, found);
  const tests = node.conditions.map((condition) => compileNode(condition, options, found));
  const [only] = tests;
  if (only === undefined) return () => true;
  if (tests.length === 1) return only;
  return node.logic === 'and' ? (scope) => allHold(tests, scope) : (scope) => anyHolds(tests, scope);
}

function allHold(tests: readonly Test[], scope: FormulaScope): boolean {
  for (const test of tests) if (!test(scope)) return false;
  return true;
}

function anyHolds(tests: readonly Test[], scope: FormulaScope): boolean {
  for (const test of tests) if (test(scope)) return true;
  return false;
}

function compileLeaf(leaf: ConditionLeaf, options: ConditionOptions, { paths, tests }: ConditionReads): Test {
  const path = resolveField(leaf.field, options);
  if (path === null) return () => false;
  paths.set(path.join('.'), path);
  if (path[0] === 'customer' && path.length === 2 && path[1]?.startsWith('metric_')) {
    const metric = ['customer', 'metrics', path[1].slice('metric_'.length)];
    paths.set(metric.join('.'), metric);
  }
  const read = readerOf(path);
  const match = matcherOf(leaf.operator, leaf.value);
  const holds = (scope: FormulaScope): boolean => match(read(scope), scope.now);
  tests.push({ path, operator: leaf.operator, value: leaf.value ?? null, holds });
  return holds;
}
