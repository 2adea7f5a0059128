import type { Candidate } from '../plan/candidate.ts';
import type { RankMethod } from '../plan/ranking.ts';
import { bestLeft, gatherBest } from './best-left.ts';
import { certain, type RankMethodKind } from './rank-method.ts';

/** Collected beyond the wanted items, to replace those that a limit removes on the way. */
const spare = 5;

/** Always the best candidate left. */
export const topN: RankMethod = {
  name: 'topN',
  begin(run) {
    const most = run.maxItems + spare;
    const { best } = run.scratch;
    const count = gatherBest(run, most, best);
    return {
      picksFirst: true,
      next(left) {
        let candidate: Candidate | null = null;
        for (let at = 0; at < count && candidate === null; at++) if (left(best[at]!)) candidate = best[at]!;
        // None of the gathered is left; behind them there may be others.
        if (candidate === null && count === most) candidate = bestLeft(run, left);
        return candidate === null ? null : { candidate, pick: certain };
      },
    };
  },
};

export const topNKind: RankMethodKind = { name: 'topN', compile: () => topN };
