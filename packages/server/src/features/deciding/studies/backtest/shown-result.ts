import type { BacktestResult } from '@arbiter/contract';
import type { StudyRow } from '../studies.store.ts';

const noLoad = { engineUsP50: null, engineUsP99: null };

/** Returns the result of a study with its measured times; null until it's completed. */
export function shownResult({ result, load, spec }: StudyRow): BacktestResult | null {
  // A row of another kind has none.
  if (result === null || !('byKind' in result) || !('limits' in spec)) return null;
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
