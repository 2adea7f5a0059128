/** A flow to check, as the page asks the worker. */
export interface FlowRequest {
  readonly id: number;
  readonly config: unknown;
  /** Keys of the custom fields of all categories, which formulas may name. */
  readonly customFields: readonly string[];
  /** A formula to check, and its place in the flow. */
  readonly formula?: FormulaQuestion;
}

export interface FormulaQuestion {
  readonly source: string;
  /** Names it may use without a namespace. */
  readonly names: readonly string[];
  /** True: before scoring, where `score.` doesn't exist. */
  readonly isBeforeScore: boolean;
}

/** A problem of a flow, at a JSON pointer into its config. */
export interface FlowFinding {
  readonly path: string;
  readonly nodeId: string | null;
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** What's wrong with a formula. */
export interface FormulaFinding {
  readonly message: string;
  /** Position of the character. */
  readonly at: number;
}

export interface FlowAnswer {
  readonly id: number;
  readonly findings: readonly FlowFinding[];
  /** Of the formula in the request. */
  readonly formula: readonly FormulaFinding[];
  /** Functions of formulas. */
  readonly functions: readonly string[];
}
