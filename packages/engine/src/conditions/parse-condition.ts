import { isNamespace } from '../formula/path.ts';
import { isObject } from '../json-object.ts';
import type {
  Condition,
  ConditionGroup,
  ConditionLeaf,
  ConditionOptions,
  ConditionProblem,
  Operator,
  Scalar,
} from '../plan/condition.ts';
import { compileRegex } from '../regex/compile-regex.ts';
import { didYouMean, listWords } from '../words/word-texts.ts';
import { CONDITION_OPERATORS, canonicalOperator, spellingsOf } from './operator.ts';

const MAX_DEPTH = 10;
const MAX_LEAVES = 100;
const MAX_LIST_VALUES = 1000;
const MAX_FIELD_CHARACTERS = 255;
const MAX_PATH_PARTS = 10;
const MAX_VALUE_CHARACTERS = 10_000;
const MAX_DAYS = 36_500;

const DEFAULT_NAMESPACES: ReadonlySet<string> = new Set(['customer', 'attributes', 'request', 'offer', 'channel']);

export type ConditionParse =
  | { readonly ok: true; readonly stored: Condition }
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };

interface ConditionReader {
  readonly options: ConditionOptions;
  readonly problems: ConditionProblem[];
  leaves: number;
}

/**
 * Checks a condition from a client and returns its stored form (docs/design/api-catalogue.md 1.3): operators in the
 * first spelling, groups as `{ logic, conditions }`, without other keys. Null, absent and `{}` are the empty group,
 * which is true. Never throws.
 */
export function parseCondition(value: unknown, options: ConditionOptions = {}): ConditionParse {
  const reader: ConditionReader = { options, problems: [], leaves: 0 };
  const stored = readTop(reader, value);
  return finish(reader, stored);
}

/**
 * The same for the lists of flow nodes (docs/design/api-decisioning.md 8): leaves only, at most `maxLeaves`, joined by one
 * combinator. An absent list is empty and true.
 */
export function parseConditionList(
  value: unknown,
  combinator: 'AND' | 'OR',
  maxLeaves: number,
  options: ConditionOptions,
): ConditionParse {
  const reader: ConditionReader = { options, problems: [], leaves: 0 };
  const logic = combinator === 'OR' ? 'or' : 'and';
  if (value === undefined || value === null) return { ok: true, stored: { logic, conditions: [] } };
  if (!Array.isArray(value)) {
    refuse(reader, '', 'must be a list');
    return finish(reader, null);
  }
  if (value.length > maxLeaves) refuse(reader, '', `must have at most ${maxLeaves} conditions`);
  const conditions = value
    .slice(0, maxLeaves)
    .map((item: unknown, index) => {
      if (isObject(item)) return readLeaf(reader, item, `/${index}`);
      refuse(reader, `/${index}`, 'must be an object with field, operator and value');
      return null;
    })
    .filter((leaf) => leaf !== null);
  return finish(reader, { logic, conditions });
}

function finish(reader: ConditionReader, stored: Condition | null): ConditionParse {
  if (stored === null || reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, stored };
}

function refuse(reader: ConditionReader, path: string, message: string): void {
  reader.problems.push({ path, message });
}

function readTop(reader: ConditionReader, value: unknown): Condition | null {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) {
    return { logic: 'and', conditions: [] };
  }
  return readNode(reader, value, '', 1);
}

function readNode(reader: ConditionReader, value: unknown, path: string, depth: number): Condition | null {
  if (Array.isArray(value)) return readGroup(reader, 'and', value, path, path, depth);
  if (!isObject(value)) {
    refuse(reader, path, 'must be a condition or a group of conditions');
    return null;
  }
  if (value.all !== undefined) return readGroup(reader, 'and', value.all, path, `${path}/all`, depth);
  if (value.any !== undefined) return readGroup(reader, 'or', value.any, path, `${path}/any`, depth);
  if (value.conditions === undefined && value.logic === undefined) return readLeaf(reader, value, path);
  if (value.logic !== 'and' && value.logic !== 'or') {
    refuse(reader, `${path}/logic`, 'must be `and` or `or`');
    return null;
  }
  return readGroup(reader, value.logic, value.conditions, path, `${path}/conditions`, depth);
}

function readGroup(
  reader: ConditionReader,
  logic: 'and' | 'or',
  items: unknown,
  path: string,
  itemsPath: string,
  depth: number,
): ConditionGroup | null {
  if (!Array.isArray(items)) {
    refuse(reader, itemsPath, 'must be a list of conditions');
    return null;
  }
  if (depth > MAX_DEPTH) {
    refuse(reader, path, `must not be nested more than ${MAX_DEPTH} groups deep`);
    return null;
  }
  if (items.length === 0 && depth > 1) {
    refuse(reader, path, 'must not be an empty group inside another group');
    return null;
  }
  const conditions: Condition[] = [];
  for (const [index, item] of items.entries()) {
    const condition = readNode(reader, item, `${itemsPath}/${index}`, depth + 1);
    if (condition !== null) conditions.push(condition);
    if (reader.leaves > MAX_LEAVES || reader.problems.length >= MAX_LEAVES) break;
  }
  return { logic, conditions };
}

function readLeaf(
  reader: ConditionReader,
  leaf: Readonly<Record<string, unknown>>,
  path: string,
): ConditionLeaf | null {
  reader.leaves += 1;
  if (reader.leaves > MAX_LEAVES) {
    refuse(reader, path, `must have at most ${MAX_LEAVES} conditions`);
    return null;
  }
  const { field, operator: spelling } = leaf;
  const complaint = fieldComplaint(reader.options, field);
  if (complaint !== null) refuse(reader, `${path}/field`, complaint);
  const operator = typeof spelling === 'string' ? canonicalOperator(spelling) : null;
  const operators = reader.options.operators ?? CONDITION_OPERATORS;
  if (operator === null || !operators.has(operator)) {
    refuse(reader, `${path}/operator`, unknownOperator(spelling, operators));
    return null;
  }
  if (operator === 'exists' || operator === 'not_exists') {
    return typeof field === 'string' ? { field, operator } : null;
  }
  const value = readValue(reader, operator, leaf.value, `${path}/value`);
  if (typeof field !== 'string' || value === null) return null;
  const read = { field, operator, value };
  const found = complaint === null ? (reader.options.checkLeaf?.(read) ?? null) : null;
  if (found !== null) refuse(reader, `${path}/${found.key}`, found.message);
  return read;
}

function unknownOperator(spelling: unknown, operators: ReadonlySet<Operator>): string {
  return `must be one of ${listWords(operators)}${didYouMean(spelling, spellingsOf(operators))}`;
}

function fieldComplaint(options: ConditionOptions, field: unknown): string | null {
  if (typeof field !== 'string' || field === '') return 'must be a non-empty string';
  if (field.length > MAX_FIELD_CHARACTERS) return `must be at most ${MAX_FIELD_CHARACTERS} characters`;
  if (options.checkField !== undefined) return options.checkField(field);
  const path = resolveField(field, options);
  if (path !== null) return null;
  const namespaces = options.namespaces ?? DEFAULT_NAMESPACES;
  if (field.includes('.') && namespaces.has(field.split('.', 1)[0] ?? '')) return 'is not a known field';
  return `must start with ${listWords(namespaces)}${didYouMean(field.split('.', 1)[0], namespaces)}`;
}

/**
 * Returns the path of a field, or null when it has none: a namespace and parts below it, or a bare name, which is a
 * customer attribute.
 */
export function resolveField(field: string, options: ConditionOptions = {}): readonly [string, ...string[]] | null {
  const [first = '', ...below] = field.split('.');
  if (first === '' || below.includes('') || below.length >= MAX_PATH_PARTS) return null;
  if (below.length === 0) return options.bareNames === 'none' ? null : ['customer', first];
  return isNamespace(first) && (options.namespaces ?? DEFAULT_NAMESPACES).has(first) ? [first, ...below] : null;
}

/** The value as stored, or null after a problem. */
function readValue(
  reader: ConditionReader,
  operator: Exclude<Operator, 'exists' | 'not_exists'>,
  value: unknown,
  path: string,
): Scalar | readonly Scalar[] | null {
  const complaint = valueComplaint(operator, value);
  if (complaint !== null) {
    refuse(reader, path, complaint);
    return null;
  }
  if (Array.isArray(value)) return value.filter(isScalar).map(withoutMinusZero);
  return isScalar(value) ? withoutMinusZero(value) : null;
}

function valueComplaint(operator: Exclude<Operator, 'exists' | 'not_exists'>, value: unknown): string | null {
  switch (operator) {
    case 'eq':
    case 'neq':
      return isScalar(value) ? null : 'must be a string, a number or a boolean';
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'not_contains':
      return isOrdered(value) ? null : 'must be a string or a number';
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every(isOrdered)
        ? null
        : 'must be a list of a lower and an upper bound, both strings or numbers';
    case 'in':
    case 'not_in':
      if (!Array.isArray(value) || !value.every(isOrdered)) return 'must be a list of strings or numbers';
      return value.length > MAX_LIST_VALUES ? `must have at most ${MAX_LIST_VALUES} values` : null;
    case 'starts_with':
      return typeof value === 'string' && isScalar(value) ? null : 'must be a string';
    case 'within_last_days':
    case 'not_within_last_days':
      return typeof value === 'number' && value >= 0 && value <= MAX_DAYS
        ? null
        : `must be a number of days from 0 to ${MAX_DAYS}`;
    case 'regex': {
      if (typeof value !== 'string') return 'must be a string';
      const compiled = compileRegex(value);
      return compiled.ok ? null : compiled.message;
    }
  }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'boolean' || isOrdered(value);
}

function isOrdered(value: unknown): value is string | number {
  return typeof value === 'string' ? value.length <= MAX_VALUE_CHARACTERS : Number.isFinite(value);
}

function withoutMinusZero(value: Scalar): Scalar {
  return typeof value === 'number' ? value + 0 : value;
}
