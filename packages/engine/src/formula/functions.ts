import { dateFunctions } from './date-functions.ts';
import { type Evaluate, failuresOf, isTrue } from './evaluate.ts';
import type { FormulaFunction, FunctionCall } from './formula-function.ts';
import { numberFunctions } from './number-functions.ts';
import type { ReadList } from './path.ts';
import { textFunctions } from './text-functions.ts';

/** Maximum arguments of functions with a variable number. */
const MAX_ARGUMENTS = 20;

/** `if` evaluates the taken branch only. */
const choose: FormulaFunction = {
  min: 3,
  max: 3,
  compile({ args }) {
    const [test, yes, no] = args as [Evaluate, Evaluate, Evaluate];
    return (scope) => (isTrue(test(scope)) ? yes(scope) : no(scope));
  },
};

/** The first argument that is not null; failures of those passed over are forgotten. */
const coalesce: FormulaFunction = {
  min: 1,
  max: MAX_ARGUMENTS,
  compile({ args }) {
    const last = args.length - 1;
    return (scope) => {
      const before = scope.failure;
      for (let index = 0; index < last; index++) {
        const value = (args[index] as Evaluate)(scope);
        if (value !== null) return value;
        scope.failure = before;
      }
      return (args[last] as Evaluate)(scope);
    };
  },
};

const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map(
  Object.entries({ if: choose, coalesce, ...numberFunctions, ...textFunctions, ...dateFunctions }),
);

export function functionNamed(name: string): FormulaFunction | undefined {
  return FUNCTIONS.get(name);
}

export function functionNames(): string[] {
  return [...FUNCTIONS.keys()];
}

export function callOf(name: string, args: readonly Evaluate[], first: ReadList, at: number): FunctionCall {
  return { args, first, failures: failuresOf(`${name}()`, at), at };
}
