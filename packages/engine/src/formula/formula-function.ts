import type { Evaluate, Failures } from './evaluate.ts';
import type { ReadList } from './path.ts';

export interface FormulaFunction {
  readonly min: number;
  readonly max: number;
  /** True when its first argument may be a list. */
  readonly takesList?: boolean;
  readonly readsZone?: boolean;
  compile(call: FunctionCall): Evaluate;
}

/** What a function is built from: its arguments as closures, and failures that name it. */
export interface FunctionCall {
  readonly args: readonly Evaluate[];
  /** The first argument of a function that takes a list there. For other functions, fails for lists. */
  readonly first: ReadList;
  readonly failures: Failures;
  readonly at: number;
}
