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
    findings.push({ path: `${path}/field`, message: `must begin with ${roots.join(', ')}` });
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

/** Evaluates a condition without findings. `read`: the value of a field; undefined if it's missing. */
export function holds(condition: unknown, read: (field: string) => unknown): boolean {
  if (!isObject(condition)) return false;
  if (Array.isArray(condition.all)) return condition.all.every((part) => holds(part, read));
  if (Array.isArray(condition.any)) return condition.any.some((part) => holds(part, read));
  if ('not' in condition) return !holds(condition.not, read);
  const value = read(String(condition.field));
  if (condition.operator === 'not_exists') return value === undefined || value === null;
  if (value === undefined || value === null) return false;
  return compare(value, String(condition.operator), condition.value);
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
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((holder, step) => {
    if (Array.isArray(holder)) return /^\d+$/.test(step) ? holder[Number(step)] : undefined;
    return isObject(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }, value);
}
