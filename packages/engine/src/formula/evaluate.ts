import type { FormulaErrorKind, FormulaFailure, FormulaScope, FormulaValue } from '../plan/formula.ts';
import { isShortText, MAX_STEPS } from './limits.ts';

/** One node as a closure. Its numbers are finite and never -0. */
export type Evaluate = (scope: FormulaScope) => FormulaValue;

/** Failures of one operator or function, created once at compile time so that failing allocates nothing. */
export interface Failures {
  readonly nullOperand: FormulaFailure;
  readonly type: FormulaFailure;
  readonly domain: FormulaFailure;
  readonly limit: FormulaFailure;
}

export function failuresOf(what: string, at: number): Failures {
  const place = `at position ${at}`;
  return {
    nullOperand: { kind: 'null_operand', error: `${what} ${place} has a null operand` },
    type: { kind: 'type', error: `${what} ${place} does not take a value of this type` },
    domain: { kind: 'domain', error: `${what} ${place} has no finite result` },
    limit: { kind: 'limit', error: `${what} ${place} handles more text than is allowed` },
  };
}

export function failureAt(kind: FormulaErrorKind, message: string, at: number): FormulaFailure {
  return { kind, error: `${message} at position ${at}` };
}

/** Records the first failure. The failing part is null and evaluation continues (docs/design/api-decisioning.md 9). */
export function fail(scope: FormulaScope, failure: FormulaFailure): null {
  if (scope.failure === null) scope.failure = failure;
  return null;
}

/** 0, false, "" and null are false. */
export function isTrue(value: FormulaValue): boolean {
  return value !== null && value !== 0 && value !== false && value !== '';
}

/** A number as it is, a boolean as 1 or 0; null and a failure for null and text. */
export function toNumber(scope: FormulaScope, value: FormulaValue, failures: Failures): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return fail(scope, value === null ? failures.nullOperand : failures.type);
}

/** A text; null and a failure for everything else. */
export function toText(scope: FormulaScope, value: FormulaValue, failures: Failures): string | null {
  if (typeof value === 'string') return value;
  return fail(scope, value === null ? failures.nullOperand : failures.type);
}

/** A number of the allowed kind; `domain` when an operation left the finite doubles. */
export function toResult(scope: FormulaScope, value: number, failures: Failures): number | null {
  return Number.isFinite(value) ? value + 0 : fail(scope, failures.domain);
}

/** Numbers in shortest form. */
export function print(value: number | string | boolean): string {
  return typeof value === 'string' ? value : `${value}`;
}

/** Counts a text operation over `characters`; false when the evaluation has done too much. */
export function spend(scope: FormulaScope, characters: number): boolean {
  scope.steps += 1 + (characters >> 6);
  return scope.steps <= MAX_STEPS;
}

/** Returns the text if it's allowed; null and `limit` when it's longer than 10 KB or too much text was processed. */
export function toTextResult(scope: FormulaScope, text: string, failures: Failures): string | null {
  return spend(scope, text.length) && isShortText(text) ? text : fail(scope, failures.limit);
}
