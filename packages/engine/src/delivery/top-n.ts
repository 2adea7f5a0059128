import { bestLeft } from './best-left.ts';
import { certain, type RankMethod, type RankMethodKind } from './rank-method.ts';

/** Always the best candidate left. */
export const topN: RankMethod = {
  name: 'topN',
  begin: (run) => ({
    next(left) {
      const candidate = bestLeft(run, left);
      return candidate === null ? null : { candidate, ...certain };
    },
  }),
};

export const topNKind: RankMethodKind = { name: 'topN', compile: () => topN };
