import type { ErrorEntry } from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';

const operators = [
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'contains', 'exists', 'not_exists'],
] as const;
const deepest = 10;

/** Returns why a condition can't be read, with paths. `roots`: first words of its fields. */
export function conditionFindings(condition: unknown, path: string, roots: readonly string[], depth = 1): ErrorEntry[] {
  if (!isObject(condition)) return [{ path, message: 'must be an object' }];
  if (depth > deepest) return [{ path, message: `must be nested at most ${deepest} levels deep` }];
  for (const word of ['all', 'any'] as const) {
    if (!(word in condition)) continue;
    const parts = condition[word];
    if (!Array.isArray(parts)) return [{ path: `${path}/${word}`, message: 'must be an array' }];
    return parts.flatMap((part, at) => conditionFindings(part, `${path}/${word}/${at}`, roots, depth + 1));
  }
  if ('not' in condition) return conditionFindings(condition.not, `${path}/not`, roots, depth + 1);
  return leafFindings(condition, path, roots);
}

function leafFindings(
  { field, operator, value }: Readonly<Record<string, unknown>>,
  path: string,
  roots: readonly string[],
): ErrorEntry[] {
  const findings: ErrorEntry[] = [];
  if (typeof field !== 'string' || field === '') findings.push({ path: `${path}/field`, message: 'is required' });
  else if (!roots.includes(field.split('.')[0]!)) {
    findings.push({ path: `${path}/field`, message: `must start with ${roots.join(', ')}` });
  }
  if (!operators.some((known) => known === operator)) {
    findings.push({
      path: `${path}/operator`,
      message: `must be one of ${listWords(operators)}${didYouMean(operator, operators)}`,
    });
  } else if ((operator === 'in' || operator === 'not_in') && !Array.isArray(value)) {
    findings.push({ path: `${path}/value`, message: 'must be an array' });
  } else if (operator !== 'exists' && operator !== 'not_exists' && value === undefined) {
    findings.push({ path: `${path}/value`, message: 'is required' });
  }
  return findings;
}

/** The result of a condition. */
export interface ConditionResult {
  readonly matched: boolean;
  /** The first reason why it doesn't match. Null if it does. */
  readonly reason: string | null;
}

/** A condition that was read once, for any number of evaluations. */
export interface CompiledCondition {
  /** The first words of its fields. */
  readonly roots: ReadonlySet<string>;
  evaluate(known: Readonly<Record<string, unknown>>): ConditionResult;
}

type Evaluate = CompiledCondition['evaluate'];

const matchedResult: ConditionResult = { matched: true, reason: null };
const unmet = (reason: string): ConditionResult => ({ matched: false, reason });

/** Compiles a condition without findings. Null matches everything. */
export function compileCondition(condition: unknown): CompiledCondition {
  const roots = new Set<string>();
  return { roots, evaluate: condition === null ? () => matchedResult : compile(condition, roots) };
}

function compile(condition: unknown, roots: Set<string>): Evaluate {
  if (!isObject(condition)) return () => unmet('the condition is not an object');
  if (Array.isArray(condition.all)) {
    const parts = condition.all.map((part) => compile(part, roots));
    return (known) => {
      for (const part of parts) {
        const result = part(known);
        if (!result.matched) return result;
      }
      return matchedResult;
    };
  }
  if (Array.isArray(condition.any)) {
    const parts = condition.any.map((part) => compile(part, roots));
    return (known) => {
      const results = parts.map((part) => part(known));
      if (results.some(({ matched }) => matched)) return matchedResult;
      return unmet(results.length === 0 ? 'any is empty' : results.map(({ reason }) => reason).join('; '));
    };
  }
  if ('not' in condition) {
    const part = compile(condition.not, roots);
    return (known) => (part(known).matched ? unmet('the condition inside not matches') : matchedResult);
  }
  return compileLeaf(condition, roots);
}

function compileLeaf(leaf: Readonly<Record<string, unknown>>, roots: Set<string>): Evaluate {
  const field = String(leaf.field);
  const operator = String(leaf.operator);
  const steps = field.split('.');
  roots.add(steps[0]!);
  const failed = unmet(`${field} is not ${operator} ${JSON.stringify(leaf.value)}`);
  const missing = unmet(`${field} is missing`);
  const present = unmet(`${field} exists`);
  return (known) => {
    const value = valueAt(known, steps);
    const isMissing = value === undefined || value === null;
    if (operator === 'not_exists') return isMissing ? matchedResult : present;
    if (isMissing) return missing;
    return compare(value, operator, leaf.value) ? matchedResult : failed;
  };
}

function compare(value: unknown, operator: string, other: unknown): boolean {
  switch (operator) {
    case 'exists':
      return true;
    case 'eq':
      return value === other;
    case 'neq':
      return value !== other;
    case 'in':
      return Array.isArray(other) && other.includes(value);
    case 'not_in':
      return Array.isArray(other) && !other.includes(value);
    case 'contains':
      return Array.isArray(value)
        ? value.includes(other)
        : typeof value === 'string' && typeof other === 'string' && value.includes(other);
    default:
      return inOrder(value, operator, other);
  }
}

function inOrder(value: unknown, operator: string, other: unknown): boolean {
  const areNumbers = typeof value === 'number' && typeof other === 'number';
  const areTexts = typeof value === 'string' && typeof other === 'string';
  if (!areNumbers && !areTexts) return false;
  if (value === other) return operator === 'gte' || operator === 'lte';
  return value > other ? operator.startsWith('g') : operator.startsWith('l');
}

/** The value at a dotted path. */
function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((holder, step) => {
    if (Array.isArray(holder)) return /^\d+$/.test(step) ? holder[Number(step)] : undefined;
    return isObject(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }, value);
}
