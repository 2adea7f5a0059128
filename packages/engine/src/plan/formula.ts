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

/**
 * What formulas, conditions and templates read. One mutable value per decision: the engine replaces `offer`,
 * `creative`, `score` and `names` for each candidate, so that evaluating allocates nothing.
 */
export interface FormulaScope {
  customer: object | null;
  offer: object | null;
  creative: object | null;
  attributes: object | null;
  channel: object | null;
  placement: object | null;
  /** Request fields by name, with `context` inside. */
  request: object | null;
  /** `total propensity relevance impact emphasis fitMultiplier rank`; null in phase 1. */
  score: object | null;
  /** Bare names: custom fields of the offer and earlier compute keys. */
  names: object | null;
  /** Epoch ms; the decision's clock. */
  now: number;
  /** UTC offsets of the tenant's zone, oldest first, for `format_date`. Empty: UTC. */
  zone: ZoneOffsets;
  /** First failure of the last evaluation, null when there was none. Written by `evaluate`. */
  failure: FormulaFailure | null;
  /** Work units of the running evaluation (docs/design/api-decisioning.md 9, limits). Written by `evaluate`. */
  steps: number;
}

/** `[from, offsetMs]`: from epoch ms `from` on, local time = UTC + offsetMs. The first offset also holds before. */
export type ZoneOffsets = readonly (readonly [from: number, offsetMs: number])[];

export type FormulaValue = number | string | boolean | null;

export type FormulaErrorKind =
  | 'parse'
  | 'unknown_name'
  | 'unknown_function'
  | 'null_operand'
  | 'type'
  | 'division_by_zero'
  | 'domain'
  | 'limit'
  | 'cycle';

export interface FormulaFailure {
  readonly kind: FormulaErrorKind;
  /** For a person, in English; names the operator or function and its place. */
  readonly error: string;
}
