import { containsText } from '../arithmetic/contains-text.ts';
import { groupedDecimal } from '../arithmetic/decimal.ts';
import { finiteNumber } from '../arithmetic/order.ts';
import type { FormulaValue } from '../plan/formula.ts';
import { type Evaluate, fail, print, spend, toNumber, toText, toTextResult } from './evaluate.ts';
import type { FormulaFunction } from './formula-function.ts';
import { areEqual } from './operators.ts';

const MAX_ARGUMENTS = 20;
const MAX_DECIMALS = 15;

/** Fixed, no locale data: the same text on every machine. */
const CURRENCY_SIGNS: ReadonlyMap<string, string> = new Map([
  ['USD', '$'],
  ['EUR', '€'],
  ['GBP', '£'],
  ['JPY', '¥'],
  ['INR', '₹'],
]);

export const textFunctions: Readonly<Record<string, FormulaFunction>> = {
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  trim: ofText((text) => text.trim()),
  to_text: {
    min: 1,
    max: 1,
    compile({ args, failures }) {
      const [value] = args as [Evaluate];
      return (scope) => {
        const x = value(scope);
        return x === null ? fail(scope, failures.nullOperand) : print(x);
      };
    },
  },
  concat: {
    min: 1,
    max: MAX_ARGUMENTS,
    compile({ args, failures }) {
      return (scope) => {
        let text = '';
        for (const argument of args) {
          const value = argument(scope);
          if (value !== null) text += print(value);
        }
        return toTextResult(scope, text, failures);
      };
    },
  },
  len: {
    min: 1,
    max: 1,
    takesList: true,
    compile({ first, failures }) {
      return (scope) => {
        const value = first(scope);
        if (typeof value === 'object' && value !== null) return value.length;
        const text = toText(scope, value, failures);
        if (text === null) return null;
        return spend(scope, text.length) ? countCodePoints(text) : fail(scope, failures.limit);
      };
    },
  },
  contains: {
    min: 2,
    max: 2,
    takesList: true,
    compile({ first, args, failures }) {
      const needle = args[1] as Evaluate;
      return (scope) => {
        const holder = first(scope);
        const wanted = needle(scope);
        if (holder === null || wanted === null) return fail(scope, failures.nullOperand);
        if (typeof holder === 'object') {
          if (!spend(scope, holder.length)) return fail(scope, failures.limit);
          return hasElement(holder, wanted) ? 1 : 0;
        }
        const text = toText(scope, holder, failures);
        const part = toText(scope, wanted, failures);
        if (text === null || part === null) return null;
        return spend(scope, text.length + part.length)
          ? containsText(text, part)
            ? 1
            : 0
          : fail(scope, failures.limit);
      };
    },
  },
  starts_with: {
    min: 2,
    max: 2,
    compile({ args, failures }) {
      const [whole, start] = args as [Evaluate, Evaluate];
      return (scope) => {
        const text = toText(scope, whole(scope), failures);
        const prefix = toText(scope, start(scope), failures);
        if (text === null || prefix === null) return null;
        return text.startsWith(prefix) ? 1 : 0;
      };
    },
  },
  /** Counts code points, so that no character is cut in half. */
  substr: {
    min: 3,
    max: 3,
    compile({ args, failures }) {
      const [whole, from, count] = args as [Evaluate, Evaluate, Evaluate];
      return (scope) => {
        const text = toText(scope, whole(scope), failures);
        const start = toNumber(scope, from(scope), failures);
        const size = toNumber(scope, count(scope), failures);
        if (text === null || start === null || size === null) return null;
        if (!isCount(start) || !isCount(size)) return fail(scope, failures.domain);
        if (!spend(scope, text.length)) return fail(scope, failures.limit);
        const begin = unitsOf(text, 0, start);
        return text.slice(begin, unitsOf(text, begin, size));
      };
    },
  },
  format_number: {
    min: 2,
    max: 2,
    compile({ args, failures }) {
      const [value, digits] = args as [Evaluate, Evaluate];
      return (scope) => {
        const x = toNumber(scope, value(scope), failures);
        const n = toNumber(scope, digits(scope), failures);
        if (x === null || n === null) return null;
        if (!isCount(n) || n > MAX_DECIMALS) return fail(scope, failures.domain);
        return toTextResult(scope, groupedDecimal(x, n), failures);
      };
    },
  },
  format_currency: {
    min: 2,
    max: 2,
    compile({ args, failures }) {
      const [value, currency] = args as [Evaluate, Evaluate];
      return (scope) => {
        const x = toNumber(scope, value(scope), failures);
        const code = toText(scope, currency(scope), failures);
        if (x === null || code === null) return null;
        if (!/^[A-Z]{3}$/.test(code)) return fail(scope, failures.domain);
        return toTextResult(scope, formatCurrency(x, code), failures);
      };
    },
  },
};

function formatCurrency(x: number, code: string): string {
  const amount = groupedDecimal(Math.abs(x), code === 'JPY' ? 0 : 2);
  const sign = x < 0 && /[1-9]/.test(amount) ? '-' : '';
  return `${sign}${CURRENCY_SIGNS.get(code) ?? `${code} `}${amount}`;
}

function ofText(apply: (text: string) => string): FormulaFunction {
  return {
    min: 1,
    max: 1,
    compile({ args, failures }) {
      const [value] = args as [Evaluate];
      return (scope) => {
        const text = toText(scope, value(scope), failures);
        return text === null ? null : toTextResult(scope, apply(text), failures);
      };
    },
  };
}

function hasElement(list: readonly unknown[], wanted: FormulaValue): boolean {
  return list.some((element) => areEqual(scalarOf(element), wanted));
}

/** An element as a formula value; null, which equals no needle, for lists and objects. */
function scalarOf(element: unknown): FormulaValue {
  if (typeof element === 'string' || typeof element === 'boolean') return element;
  return finiteNumber(element);
}

function isCount(x: number): boolean {
  return Number.isInteger(x) && x >= 0;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) count += 1;
  return count;
}

/** Returns the offset in UTF-16 units that is `codePoints` after `from`, at most the end. */
function unitsOf(text: string, from: number, codePoints: number): number {
  let at = from;
  for (let count = 0; count < codePoints && at < text.length; count++) at += unitsAt(text, at);
  return at;
}

function unitsAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code >= 0xdc00) return 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}
