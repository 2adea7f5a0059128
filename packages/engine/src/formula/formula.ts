import type { FormulaErrorKind, FormulaScope, FormulaValue } from './scope.ts';

/** A compiled formula (docs/design/api-decisioning.md 9). Pure: the same scope gives the same value. */
export interface Formula {
  readonly source: string;
  /** Every namespaced path it can read, e.g. `['customer', 'age']`, in order of first use, without duplicates. */
  readonly paths: readonly (readonly string[])[];
  /** Every bare name it can read (compute keys, custom fields). */
  readonly bareNames: readonly string[];
  /** True when it formats dates: the scope then needs the tenant's `zone`. */
  readonly readsZone: boolean;
  /**
   * Never throws. The value is null, a text, a boolean or a finite number (never -0); `scope.failure` holds the first
   * remaining failure or null.
   */
  evaluate(scope: FormulaScope): FormulaValue;
}

/** Why a source is refused. `position`: offset in UTF-16 units. */
export interface FormulaProblem {
  readonly kind: FormulaErrorKind;
  readonly message: string;
  readonly position: number;
  /** The name that is not known. */
  readonly name?: string;
}

export type FormulaCompilation =
  | { readonly ok: true; readonly formula: Formula }
  | { readonly ok: false; readonly problems: readonly FormulaProblem[] };

export interface FormulaOptions {
  /** Names allowed without a namespace. `any`: unknown ones fail at run time. Default: none. */
  readonly bareNames?: ReadonlySet<string> | 'any';
  /** True in phase 1, where `score.*` does not exist. */
  readonly phase1?: boolean;
}

export type OutputType = 'number' | 'text' | 'boolean';
