import type { FormulaScope, FormulaValue } from '../plan/formula.ts';
import { type Evaluate, fail, failureAt } from './evaluate.ts';
import { isShortText } from './limits.ts';

export const NAMESPACES = [
  'customer',
  'offer',
  'creative',
  'attributes',
  'channel',
  'placement',
  'request',
  'score',
] as const;

export type Namespace = (typeof NAMESPACES)[number];

export function isNamespace(name: string): name is Namespace {
  return (NAMESPACES as readonly string[]).includes(name);
}

/** Reads a value without judging it; undefined when the path is missing. */
export type ReadRaw = (scope: FormulaScope) => unknown;

/**
 * Own properties only, of plain objects only: `__proto__`, `constructor` and an array's `length` are as missing as any
 * other absent name (docs/design/quality.md T16).
 */
export function readOwn(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder) || !Object.hasOwn(holder, key)) {
    return undefined;
  }
  return (holder as Readonly<Record<string, unknown>>)[key];
}

/** Reader of `parts` below a namespace. One closure per namespace, because a computed property name is slow. */
export function readPath(namespace: Namespace, parts: readonly string[]): ReadRaw {
  const [first = '', ...rest] = parts;
  const root = readRoot(namespace, first);
  if (rest.length > 0) return readRest(root, rest);
  if (namespace === 'customer' && first.startsWith('metric_')) return readMetric(root, first.slice('metric_'.length));
  return root;
}

function readRoot(namespace: Namespace, key: string): ReadRaw {
  switch (namespace) {
    case 'customer':
      return (scope) => readOwn(scope.customer, key);
    case 'offer':
      return (scope) => readOwn(scope.offer, key);
    case 'creative':
      return (scope) => readOwn(scope.creative, key);
    case 'attributes':
      return (scope) => readOwn(scope.attributes, key);
    case 'channel':
      return (scope) => readOwn(scope.channel, key);
    case 'placement':
      return (scope) => readOwn(scope.placement, key);
    case 'request':
      return (scope) => readOwn(scope.request, key);
    case 'score':
      return (scope) => readOwn(scope.score, key);
  }
}

function readRest(root: ReadRaw, rest: readonly string[]): ReadRaw {
  return (scope) => {
    let value = root(scope);
    for (const key of rest) value = readOwn(value, key);
    return value;
  };
}

/** `customer.metric_<key>` is the behavioral metric at `customer.metrics.<key>`. */
function readMetric(attribute: ReadRaw, key: string): ReadRaw {
  return (scope) => attribute(scope) ?? readOwn(readOwn(scope.customer, 'metrics'), key);
}

/** Converts a read value to a formula value: missing, null and non-finite numbers become null without failure. */
export function scalarOf(read: ReadRaw, name: string, at: number): Evaluate {
  const notScalar = failureAt('type', `${name} is a list or an object`, at);
  const tooLong = failureAt('limit', `${name} is longer than 10 KB`, at);
  return (scope) => {
    const value = read(scope);
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
    if (typeof value === 'string') return isShortText(value) ? value : fail(scope, tooLong);
    if (typeof value === 'boolean') return value;
    return typeof value === 'object' && value !== null ? fail(scope, notScalar) : null;
  };
}

export type ReadList = (scope: FormulaScope) => FormulaValue | readonly unknown[];

/** Like `scalarOf`, but allows lists, for the arguments of `contains` and `len`. */
export function listOrValueOf(read: ReadRaw, name: string, at: number): ReadList {
  const scalar = scalarOf(read, name, at);
  return (scope) => {
    const value = read(scope);
    return Array.isArray(value) ? value : scalar(scope);
  };
}
