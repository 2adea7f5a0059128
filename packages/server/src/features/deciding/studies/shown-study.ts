import type { BacktestResult, CheckResult, EvaluationResult } from '@arbiter/contract';
import { isBacktest, shownResult } from './backtest/shown-result.ts';
import type { StudyRow } from './studies.store.ts';

/** Returns the result of a study of any kind; null until it's completed. */
export function shownStudy(row: StudyRow): BacktestResult | EvaluationResult | CheckResult | null {
  if (isBacktest(row)) return shownResult(row);
  return isEvaluation(row) || isCheck(row) ? row.result : null;
}

const isEvaluation = (row: StudyRow): row is StudyRow & { readonly result: EvaluationResult | null } =>
  row.kind === 'evaluate';

const isCheck = (row: StudyRow): row is StudyRow & { readonly result: CheckResult | null } => row.kind === 'check';
