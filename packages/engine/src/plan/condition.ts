import type { FormulaScope } from './formula.ts';

/** Operators in their stored spelling (docs/design/api-catalogue.md 1.3), and `regex` of the filter node. */
export type Operator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'between'
  | 'in'
  | 'not_in'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'exists'
  | 'not_exists'
  | 'within_last_days'
  | 'not_within_last_days'
  | 'regex';

export type Scalar = string | number | boolean;

/** Stored form of a leaf. `exists` and `not_exists` have no value. */
export interface ConditionLeaf {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: Scalar | readonly Scalar[];
}

export interface ConditionGroup {
  readonly logic: 'and' | 'or';
  readonly conditions: readonly (ConditionGroup | ConditionLeaf)[];
}

/** A leaf at the top stays a leaf; every other spelling is stored as a group. */
export type Condition = ConditionGroup | ConditionLeaf;

/** `path`: JSON Pointer relative to the condition, e.g. `/conditions/0/operator`; empty for the whole. */
export interface ConditionProblem {
  readonly path: string;
  readonly message: string;
}

export interface ConditionOptions {
  /**
   * Allowed first parts of a dotted field. Default: `customer attributes request offer channel`. A bare name is a
   * customer attribute, unless `bareNames` rules those out.
   */
  readonly namespaces?: ReadonlySet<string>;
  /** `customer` (default): a bare name is a customer attribute; `none`: every field needs a namespace. */
  readonly bareNames?: 'customer' | 'none';
  /** Operators allowed; default: all of docs/design/api-catalogue.md 1.3 (without `regex`). */
  readonly operators?: ReadonlySet<Operator>;
  /**
   * For vocabularies other than the engine's (columns of a segment, dimensions of a metric): returns a field's problem,
   * or null. Replaces namespaces and bare names; such conditions are parsed, not compiled.
   */
  readonly checkField?: (field: string) => string | null;
  /** Returns the problem of a well-formed leaf, such as a value that its column can't hold; or null. */
  readonly checkLeaf?: (leaf: ConditionLeaf) => LeafComplaint | null;
}

/** A problem with one part of a leaf. */
export interface LeafComplaint {
  readonly key: 'operator' | 'value';
  readonly message: string;
}

/** One comparison of a condition. */
export interface ConditionTest {
  /** E.g. `['customer', 'age']`. */
  readonly path: readonly string[];
  readonly operator: Operator;
  /** Null for `exists` and `not_exists`. */
  readonly value: Scalar | readonly Scalar[] | null;
  /** Never throws. */
  holds(scope: FormulaScope): boolean;
}

export interface CompiledCondition {
  /** Never throws. */
  test(scope: FormulaScope): boolean;
  /** Every path it can read, e.g. `['customer', 'age']`, without duplicates. */
  readonly paths: readonly (readonly string[])[];
  /** Its single comparisons, to explain what a failing condition would need. */
  readonly tests: readonly ConditionTest[];
  /** The stored form: operators in first spelling, groups as `{ logic, conditions }`. */
  readonly stored: Condition;
}

export type ConditionCompilation =
  | { readonly ok: true; readonly condition: CompiledCondition }
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };
