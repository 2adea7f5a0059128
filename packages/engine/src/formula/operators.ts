import { compareText } from '../arithmetic/order.ts';
import type { FormulaScope, FormulaValue } from '../plan/formula.ts';
import type { BinaryOperator, UnaryOperator } from './ast.ts';
import {
  type Evaluate,
  type Failures,
  fail,
  failureAt,
  failuresOf,
  isTrue,
  print,
  toNumber,
  toResult,
  toTextResult,
} from './evaluate.ts';

type Binary = (left: Evaluate, right: Evaluate, at: number) => Evaluate;

/**
 * Each operator has its own closure, with the case of two numbers first: a shared closure that calls an operator passed
 * in is half as fast.
 */
const BINARY: Readonly<Record<BinaryOperator, Binary>> = {
  '+': (left, right, at) => {
    const failures = failuresOf('+', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return toResult(scope, a + b, failures);
      return addOther(scope, a, b, failures);
    };
  },
  '-': (left, right, at) => {
    const failures = failuresOf('-', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return toResult(scope, a - b, failures);
      if (a === null || b === null) return fail(scope, failures.nullOperand);
      const x = toNumber(scope, a, failures);
      const y = toNumber(scope, b, failures);
      return x === null || y === null ? null : toResult(scope, x - y, failures);
    };
  },
  '*': (left, right, at) => {
    const failures = failuresOf('*', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return toResult(scope, a * b, failures);
      if (a === null || b === null) return fail(scope, failures.nullOperand);
      const x = toNumber(scope, a, failures);
      const y = toNumber(scope, b, failures);
      return x === null || y === null ? null : toResult(scope, x * y, failures);
    };
  },
  '/': (left, right, at) => {
    const failures = failuresOf('/', at);
    const byZero = failureAt('division_by_zero', 'division by zero', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number' && b !== 0) return toResult(scope, a / b, failures);
      if (a === null || b === null) return fail(scope, failures.nullOperand);
      const x = toNumber(scope, a, failures);
      const y = toNumber(scope, b, failures);
      if (x === null || y === null) return null;
      return y === 0 ? fail(scope, byZero) : toResult(scope, x / y, failures);
    };
  },
  '%': (left, right, at) => {
    const failures = failuresOf('%', at);
    const byZero = failureAt('division_by_zero', 'remainder of a division by zero', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (a === null || b === null) return fail(scope, failures.nullOperand);
      const x = toNumber(scope, a, failures);
      const y = toNumber(scope, b, failures);
      if (x === null || y === null) return null;
      return y === 0 ? fail(scope, byZero) : toResult(scope, x % y, failures);
    };
  },
  '==': (left, right) => (scope) => {
    const a = left(scope);
    const b = right(scope);
    return a === b || equalsOther(a, b) ? 1 : 0;
  },
  '!=': (left, right) => (scope) => {
    const a = left(scope);
    const b = right(scope);
    return a === b || equalsOther(a, b) ? 0 : 1;
  },
  '<': (left, right, at) => {
    const failures = failuresOf('<', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return a < b ? 1 : 0;
      const order = orderOther(scope, a, b, failures);
      return order === null ? null : order < 0 ? 1 : 0;
    };
  },
  '<=': (left, right, at) => {
    const failures = failuresOf('<=', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return a <= b ? 1 : 0;
      const order = orderOther(scope, a, b, failures);
      return order === null ? null : order <= 0 ? 1 : 0;
    };
  },
  '>': (left, right, at) => {
    const failures = failuresOf('>', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return a > b ? 1 : 0;
      const order = orderOther(scope, a, b, failures);
      return order === null ? null : order > 0 ? 1 : 0;
    };
  },
  '>=': (left, right, at) => {
    const failures = failuresOf('>=', at);
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === 'number' && typeof b === 'number') return a >= b ? 1 : 0;
      const order = orderOther(scope, a, b, failures);
      return order === null ? null : order >= 0 ? 1 : 0;
    };
  },
  '&&': (left, right) => (scope) => (isTrue(left(scope)) && isTrue(right(scope)) ? 1 : 0),
  '||': (left, right) => (scope) => (isTrue(left(scope)) || isTrue(right(scope)) ? 1 : 0),
};

export function compileBinary(operator: BinaryOperator, left: Evaluate, right: Evaluate, at: number): Evaluate {
  return BINARY[operator](left, right, at);
}

export function compileUnary(operator: UnaryOperator, operand: Evaluate, at: number): Evaluate {
  if (operator === '!') return (scope) => (isTrue(operand(scope)) ? 0 : 1);
  const failures = failuresOf('-', at);
  return (scope) => {
    const value = toNumber(scope, operand(scope), failures);
    return value === null ? null : 0 - value;
  };
}

/** Equal values: numbers and booleans by value, null with null only, different kinds never. */
export function areEqual(a: FormulaValue, b: FormulaValue): boolean {
  return a === b || equalsOther(a, b);
}

/** Covers what `===` misses: a boolean equals a number by value. */
function equalsOther(a: FormulaValue, b: FormulaValue): boolean {
  if (typeof a === 'boolean') return typeof b === 'number' && b === (a ? 1 : 0);
  return typeof b === 'boolean' && typeof a === 'number' && a === (b ? 1 : 0);
}

/** `+` when not both sides are numbers: joins when one side is text. */
function addOther(scope: FormulaScope, a: FormulaValue, b: FormulaValue, failures: Failures): FormulaValue {
  if (a === null || b === null) return fail(scope, failures.nullOperand);
  if (typeof a === 'string' || typeof b === 'string') return toTextResult(scope, print(a) + print(b), failures);
  return Number(a) + Number(b);
}

/** Order of two texts, or of numbers and booleans, as a number; null and a failure for a mixed pair. */
function orderOther(scope: FormulaScope, a: FormulaValue, b: FormulaValue, failures: Failures): number | null {
  if (a === null || b === null) return fail(scope, failures.nullOperand);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'string' || typeof b === 'string') return fail(scope, failures.type);
  return Number(a) - Number(b);
}
