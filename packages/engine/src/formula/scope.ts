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

/** Returns a scope in which every path is missing. Callers set what they have. */
export function emptyScope(): FormulaScope {
  return {
    customer: null,
    offer: null,
    creative: null,
    attributes: null,
    channel: null,
    placement: null,
    request: null,
    score: null,
    names: null,
    now: 0,
    zone: [],
    failure: null,
    steps: 0,
  };
}
