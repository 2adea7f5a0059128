import type { Json } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';
import { hideValues, type Trial } from '../decisions/index.ts';

/** A row of a trace as the tools show it. */
export interface TraceRow {
  readonly offerId: string;
  readonly passed: boolean;
  readonly blocked: boolean;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly ruleType: string | null;
  readonly policyId: string;
  readonly policyName: string;
  readonly stage: string;
  readonly score: number;
  readonly detail: Json;
}

/** Rows of a trace, without the values that are never stored: what may be kept nowhere need not be shown either. */
export function rowsOf(trial: Trial, rows: readonly Json[]): TraceRow[] {
  const hide = hideValues(trial.flow);
  return rows.map((row) => {
    const shown = hide(row);
    const read = isObject(shown) ? shown : {};
    return {
      offerId: textOf(read.offerId),
      passed: read.passed === true,
      blocked: read.blocked === true,
      reason: textOrNull(read.reason),
      ruleId: textOrNull(read.ruleId),
      ruleName: textOrNull(read.ruleName),
      ruleType: textOrNull(read.ruleType),
      policyId: textOf(read.policyId),
      policyName: textOf(read.policyName),
      stage: textOf(read.stage),
      score: typeof read.score === 'number' ? read.score : 0,
      detail: read.detail ?? null,
    };
  });
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
