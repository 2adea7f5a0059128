import type { BacktestResult, EvaluationResult } from '@arbiter/contract';
import { shownResult } from './backtest/shown-result.ts';
import type { StudyRow } from './studies.store.ts';

/** Returns the result of a study of any kind; null until it's completed. */
export function shownStudy(row: StudyRow): BacktestResult | EvaluationResult | null {
  const { result } = row;
  return result !== null && 'headline' in result ? result : shownResult(row);
}
