import type { PolicyResult, RuleResult, ScoredOffer } from '@arbiter/contract';
import type { DecisionTrace, Json } from '@arbiter/engine';
import { hideValues, type Trial } from '../decisions/index.ts';

/** Rows of a trace, without the values that are never stored: what may not be stored isn't shown either. */
export interface ToolRows {
  readonly rules: readonly RuleResult[];
  readonly policies: readonly PolicyResult[];
  /** Best first. */
  readonly scores: readonly ScoredOffer[];
}

/** Returns the rows of a trial's trace that the customer tools show. */
export function rowsOf(
  { flow }: Pick<Trial, 'flow'>,
  trace: Pick<DecisionTrace, 'qualificationResults' | 'contactPolicyResults' | 'scoringResults'>,
): ToolRows {
  const hide = hideValues(flow);
  const rows: Readonly<Record<keyof ToolRows, readonly Json[]>> = {
    rules: trace.qualificationResults.map(hide),
    policies: trace.contactPolicyResults.map(hide),
    scores: trace.scoringResults,
  };
  // The engine leaves open what its rows hold; decision-schemas.test.ts checks them for every decision of the corpus.
  return rows as unknown as ToolRows;
}
