import type { BacktestResult, BacktestSpec } from '@arbiter/contract';
import type { StudyRow } from '../studies.store.ts';
import type { StoredBacktest } from './backtest-result.ts';

const noLoad = { engineUsP50: null, engineUsP99: null };

/** The row of a backtest. */
export type BacktestRow = StudyRow & { readonly spec: BacktestSpec; readonly result: StoredBacktest | null };

export const isBacktest = (row: StudyRow): row is BacktestRow => row.kind === 'backtest';

/** Returns the result of a backtest with its measured times; null until it's completed. */
export function shownResult({ result, load, spec }: BacktestRow): BacktestResult | null {
  if (result === null) return null;
  const times = load ?? noLoad;
  const bound = spec.limits.maxEngineUsP99;
  const value = times.engineUsP99;
  const limits =
    bound === undefined
      ? result.limits
      : [
          ...result.limits,
          { name: 'maxEngineUsP99', offerId: null, value, bound, passed: value !== null && value <= bound },
        ];
  const isBroken = limits.some(({ passed }) => !passed);
  const isRefused = result.reasons.length > 0;
  return {
    ...result,
    verdict: isRefused ? 'refused' : isBroken ? 'failed' : 'ok',
    reasons: isBroken ? [...result.reasons, 'limit_failed'] : result.reasons,
    load: times,
    limits,
  };
}
