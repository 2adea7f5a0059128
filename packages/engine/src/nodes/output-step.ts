import type { Candidate, Run } from '../run.ts';
import type { Json } from '../snapshot.ts';

/** One stage of phase 3. */
export interface OutputStep {
  readonly type: string;
  readonly nodeId: string;
  /** Called once for each item taken. */
  item(run: Run, item: OutputItem): void;
  /** Called once per answer. */
  answer(run: Run, properties: Record<string, Json>): void;
}

/** An item while its output is built. */
export interface OutputItem {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly personalization: Record<string, Json>;
  /** Bare names of formulas: custom fields, then compute keys as they come. */
  readonly names: Record<string, Json>;
  readonly errors: FormulaError[];
}

/** Entry of `personalization._errors`. */
export type FormulaError = {
  readonly name: string;
  readonly kind: string;
  readonly formula: string;
  readonly error: string;
};
