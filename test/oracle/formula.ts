import { DateTime } from 'luxon';
import { instant } from './conditions.ts';
import { type Tree, treeOf, type Value } from './formula-text.ts';

/** What a formula reads. */
export interface Reading {
  /** Returns the value of a path with a namespace; undefined if the namespace doesn't exist. */
  path(names: readonly string[]): unknown;
  /** An earlier key or a custom field; undefined: no such name. */
  bare(name: string): unknown;
  readonly now: number;
  readonly zone: string;
}

export interface Outcome {
  readonly value: Value;
  /** Kind of the first failure that remains; null: none. */
  readonly failure: string | null;
}

/** docs/design/api-decisioning.md 9. Lists are arguments only. */
export function evaluate(source: string, reading: Reading): Outcome {
  const tree = treeOf(source);
  if (tree === null) return { value: null, failure: 'parse' };
  const failures: string[] = [];
  const value = resultOf(tree, reading, failures);
  return { value: isValue(value) ? value : null, failure: failures[0] ?? null };
}

type Any = Value | readonly unknown[];
const isValue = (value: Any): value is Value => !Array.isArray(value);
const isTrue = (value: Any): boolean => !(value === null || value === 0 || value === false || value === '');
const asNumber = (value: Any): number | null =>
  typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;

function resultOf(tree: Tree, reading: Reading, failures: string[]): Any {
  const fail = (kind: string): null => {
    failures.push(kind);
    return null;
  };
  const of = (inner: Tree): Any => resultOf(inner, reading, failures);
  const finite = (value: number): Value => (Number.isFinite(value) ? value + 0 : fail('domain'));
  switch (tree.is) {
    case 'value':
      return tree.value;
    case 'path': {
      const found = tree.names.length === 1 ? reading.bare(tree.names[0]!) : reading.path(tree.names);
      return found === undefined ? fail('unknown_name') : known(found);
    }
    case 'choice':
      return of(isTrue(of(tree.test)) ? tree.yes : tree.no);
    case 'unary': {
      const value = of(tree.of);
      if (tree.sign === '!') return isTrue(value) ? 0 : 1;
      if (value === null) return fail('null_operand');
      const number = asNumber(value);
      return number === null ? fail('type') : finite(-number);
    }
    case 'binary':
      return binary(tree, of, fail, finite);
    default:
      return call(tree.name, tree.of, reading, failures);
  }
}

/** Non-finite numbers count as missing, and so does anything that isn't a value of formulas. */
function known(found: unknown): Any {
  if (typeof found === 'number') return Number.isFinite(found) ? found + 0 : null;
  if (typeof found === 'string' || typeof found === 'boolean' || Array.isArray(found)) return found;
  return null;
}

function binary(
  { sign, left, right }: { readonly sign: string; readonly left: Tree; readonly right: Tree },
  of: (tree: Tree) => Any,
  fail: (kind: string) => null,
  finite: (value: number) => Value,
): Any {
  const a = of(left);
  if (sign === '&&') return isTrue(a) && isTrue(of(right)) ? 1 : 0;
  if (sign === '||') return isTrue(a) || isTrue(of(right)) ? 1 : 0;
  const b = of(right);
  const [x, y] = [asNumber(a), asNumber(b)];
  if (sign === '==' || sign === '!=') {
    const isEqual = x !== null && y !== null ? x === y : isValue(a) && isValue(b) && a === b;
    return isEqual === (sign === '==') ? 1 : 0;
  }
  if (a === null || b === null) return fail('null_operand');
  if (['<', '<=', '>', '>='].includes(sign)) {
    const order =
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : typeof a === 'string' && typeof b === 'string'
          ? byCodePoint(a, b)
          : null;
    if (order === null) return fail('type');
    return (sign === '<' ? order < 0 : sign === '<=' ? order <= 0 : sign === '>' ? order > 0 : order >= 0) ? 1 : 0;
  }
  if (sign === '+' && (typeof a === 'string' || typeof b === 'string'))
    return isValue(a) && isValue(b) ? printed(a) + printed(b) : fail('type');
  if (x === null || y === null) return fail('type');
  if ((sign === '/' || sign === '%') && y === 0) return fail('division_by_zero');
  return finite(sign === '+' ? x + y : sign === '-' ? x - y : sign === '*' ? x * y : sign === '/' ? x / y : x % y);
}

function byCodePoint(a: string, b: string): number {
  const [p, q] = [[...a], [...b]];
  for (let at = 0; at < Math.min(p.length, q.length); at++)
    if (p[at] !== q[at]) return p[at]!.codePointAt(0)! - q[at]!.codePointAt(0)!;
  return p.length - q.length;
}

const printed = (value: Value): string => String(value);

const lengths: Readonly<Record<string, readonly [least: number, most: number]>> = {
  min: [1, 20],
  max: [1, 20],
  round: [1, 2],
  pow: [2, 2],
  clamp: [3, 3],
  if: [3, 3],
  contains: [2, 2],
  starts_with: [2, 2],
  substr: [3, 3],
  now: [0, 0],
  days_between: [2, 2],
  hours_between: [2, 2],
  format_number: [2, 2],
  format_date: [2, 2],
};
const ofOne = ['abs', 'floor', 'ceil', 'sqrt', 'ln', 'exp', 'upper', 'lower', 'trim', 'len', 'to_number', 'to_text'];

function call(name: string, trees: readonly Tree[], reading: Reading, failures: string[]): Any {
  const fail = (kind: string): null => {
    failures.push(kind);
    return null;
  };
  const of = (tree: Tree): Any => resultOf(tree, reading, failures);
  const finite = (value: number): Value => (Number.isFinite(value) ? value + 0 : fail('domain'));
  if (name === 'coalesce') {
    for (const tree of trees) {
      const before = failures.length;
      const value = of(tree);
      if (value !== null) return value;
      failures.length = before;
    }
    return null;
  }
  if (name === 'concat')
    return trees
      .map(of)
      .map((value) => (value === null || !isValue(value) ? '' : printed(value)))
      .join('');
  if (name === 'if') return of(isTrue(of(trees[0]!)) ? trees[1]! : trees[2]!);
  const [least, most] = lengths[name] ?? (ofOne.includes(name) ? [1, 1] : [-1, -1]);
  if (trees.length < least || trees.length > most) return fail(least < 0 ? 'unknown_function' : 'parse');
  const values = trees.map(of);
  if (values.some((value) => value === null)) return fail('null_operand');
  const numbers = values.map((value) => asNumber(value));
  const [x, y, z] = numbers;
  const [a, b] = values;
  const isNumeric = numbers.every((number) => number !== null);
  switch (name) {
    case 'now':
      return reading.now;
    case 'min':
      return isNumeric ? Math.min(...numbers.map(Number)) : fail('type');
    case 'max':
      return isNumeric ? Math.max(...numbers.map(Number)) : fail('type');
    case 'clamp':
      return isNumeric ? Math.min(Math.max(x!, y!), z!) : fail('type');
    case 'round':
      return isNumeric ? rounded(x!, y ?? 0) : fail('type');
    case 'pow':
      return isNumeric ? finite(x! ** y!) : fail('type');
    case 'abs':
      return isNumeric ? Math.abs(x!) : fail('type');
    case 'floor':
      return isNumeric ? Math.floor(x!) + 0 : fail('type');
    case 'ceil':
      return isNumeric ? Math.ceil(x!) + 0 : fail('type');
    case 'sqrt':
      return isNumeric ? finite(Math.sqrt(x!)) : fail('type');
    case 'ln':
      return isNumeric ? finite(Math.log(x!)) : fail('type');
    case 'exp':
      return isNumeric ? finite(Math.exp(x!)) : fail('type');
    case 'upper':
      return typeof a === 'string' ? a.toUpperCase() : fail('type');
    case 'lower':
      return typeof a === 'string' ? a.toLowerCase() : fail('type');
    case 'trim':
      return typeof a === 'string' ? a.trim() : fail('type');
    case 'len':
      return typeof a === 'string' ? [...a].length : Array.isArray(a) ? a.length : fail('type');
    case 'contains':
      if (Array.isArray(a)) return a.includes(b) ? 1 : 0;
      return typeof a === 'string' && typeof b === 'string' ? Number(a.includes(b)) : fail('type');
    case 'starts_with':
      return typeof a === 'string' && typeof b === 'string' ? Number(a.startsWith(b)) : fail('type');
    case 'substr':
      return typeof a === 'string' && y !== null && z !== null ? [...a].slice(y!, y! + z!).join('') : fail('type');
    case 'to_text':
      return isValue(a!) ? printed(a) : fail('type');
    case 'to_number': {
      if (x !== null) return x!;
      const number = typeof a === 'string' && a.trim() !== '' ? Number(a) : Number.NaN;
      return Number.isFinite(number) ? number : fail('type');
    }
    case 'days_between':
    case 'hours_between': {
      const [from, to] = [momentOf(a!), momentOf(b!)];
      if (from === null || to === null) return fail('type');
      return Math.trunc((to - from) / (name === 'days_between' ? 86_400_000 : 3_600_000)) + 0;
    }
    case 'format_date': {
      const moment = momentOf(a!);
      if (moment === null || typeof b !== 'string') return fail('type');
      const local = DateTime.fromMillis(moment, { zone: reading.zone });
      const names = { YYYY: 'yyyy', MM: 'MM', DD: 'dd', HH: 'HH', mm: 'mm', ss: 'ss' } as const;
      return b.replace(/YYYY|MM|DD|HH|mm|ss/g, (part) => local.toFormat(names[part as keyof typeof names]));
    }
    default:
      throw new Error(`no function ${name}`);
  }
}

const momentOf = (value: Any): number | null =>
  typeof value === 'number' ? value : instant(isValue(value) ? value : null);

/** Half away from zero, on the shortest decimal form. */
function rounded(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const shifted = Number(`${mantissa}e${Number(exponent) + digits}`);
  const whole = Math.floor(shifted);
  const up = shifted - whole >= 0.5 ? whole + 1 : whole;
  return Math.sign(value) * Number(`${up}e${-digits}`) + 0;
}

/** Converts a formula's result to its output type (docs/design/api-decisioning.md 9, outputType). */
export function converted({ value, failure }: Outcome, type: string): Outcome {
  if (value === null) return { value, failure };
  if (type === 'text' || type === 'string') return { value: printed(value), failure };
  if (type === 'boolean') return { value: isTrue(value), failure };
  const number = typeof value === 'string' ? (value.trim() === '' ? Number.NaN : Number(value)) : asNumber(value);
  return number !== null && Number.isFinite(number)
    ? { value: number, failure }
    : { value: null, failure: failure ?? 'type' };
}
