import { roundHalfAway } from '../arithmetic/decimal.ts';
import { parseDecimal } from '../arithmetic/decimal-text.ts';
import { exp } from '../arithmetic/exp.ts';
import { ln } from '../arithmetic/ln.ts';
import { pow } from '../arithmetic/pow.ts';
import { type Evaluate, fail, toNumber, toResult } from './evaluate.ts';
import type { FormulaFunction } from './formula-function.ts';

const MAX_ARGUMENTS = 20;
/** Most decimals for `round`, positive or negative. */
const MAX_DECIMALS = 15;

export const numberFunctions: Readonly<Record<string, FormulaFunction>> = {
  min: extremum((a, b) => a < b),
  max: extremum((a, b) => a > b),
  abs: ofOne(Math.abs),
  floor: ofOne(Math.floor),
  ceil: ofOne(Math.ceil),
  sqrt: ofOne(Math.sqrt),
  ln: ofOne(ln),
  exp: ofOne(exp),
  pow: {
    min: 2,
    max: 2,
    compile({ args, failures }) {
      const [base, exponent] = args as [Evaluate, Evaluate];
      return (scope) => {
        const x = toNumber(scope, base(scope), failures);
        const y = toNumber(scope, exponent(scope), failures);
        return x === null || y === null ? null : toResult(scope, pow(x, y), failures);
      };
    },
  },
  round: {
    min: 1,
    max: 2,
    compile({ args, failures }) {
      const [value, digits] = args as [Evaluate, Evaluate | undefined];
      return (scope) => {
        const x = toNumber(scope, value(scope), failures);
        const n = digits === undefined ? 0 : toNumber(scope, digits(scope), failures);
        if (x === null || n === null) return null;
        if (!Number.isInteger(n) || Math.abs(n) > MAX_DECIMALS) return fail(scope, failures.domain);
        return toResult(scope, roundHalfAway(x, n), failures);
      };
    },
  },
  clamp: {
    min: 3,
    max: 3,
    compile({ args, failures }) {
      const [value, lowest, highest] = args as [Evaluate, Evaluate, Evaluate];
      return (scope) => {
        const x = toNumber(scope, value(scope), failures);
        const low = toNumber(scope, lowest(scope), failures);
        const high = toNumber(scope, highest(scope), failures);
        if (x === null || low === null || high === null) return null;
        if (low > high) return fail(scope, failures.domain);
        return Math.min(Math.max(x, low), high);
      };
    },
  },
  to_number: {
    min: 1,
    max: 1,
    compile({ args, failures }) {
      const [value] = args as [Evaluate];
      return (scope) => {
        const x = value(scope);
        if (typeof x !== 'string') return toNumber(scope, x, failures);
        return parseDecimal(x.trim()) ?? fail(scope, failures.type);
      };
    },
  },
};

function ofOne(apply: (x: number) => number): FormulaFunction {
  return {
    min: 1,
    max: 1,
    compile({ args, failures }) {
      const [value] = args as [Evaluate];
      return (scope) => {
        const x = toNumber(scope, value(scope), failures);
        return x === null ? null : toResult(scope, apply(x), failures);
      };
    },
  };
}

/** Evaluates all arguments. If one is null, the result is null. */
function extremum(isBetter: (a: number, b: number) => boolean): FormulaFunction {
  return {
    min: 1,
    max: MAX_ARGUMENTS,
    compile({ args, failures }) {
      return (scope) => {
        let best: number | null = null;
        let complete = true;
        for (const argument of args) {
          const x = toNumber(scope, argument(scope), failures);
          if (x === null) complete = false;
          else if (best === null || isBetter(x, best)) best = x;
        }
        return complete ? best : null;
      };
    },
  };
}
