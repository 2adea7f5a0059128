import { type Candidate, type Run, standsBefore } from '../run.ts';
import type { RankMethod, RankMethodKind } from './rank-method.ts';

/** The best candidate left, by the tie break of api-decisioning.md 1. */
export function bestLeft(run: Run, left: (candidate: Candidate) => boolean): Candidate | null {
  let best: Candidate | null = null;
  const { list } = run;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    if ((best === null || standsBefore(candidate, best)) && left(candidate)) best = candidate;
  }
  return best;
}

export const topN: RankMethod = {
  name: 'topN',
  begin: (run) => ({
    next(left) {
      const candidate = bestLeft(run, left);
      return candidate === null ? null : { candidate, probability: 1, estimated: false, explored: false };
    },
  }),
};

/** Rank methods that are built. */
const kinds: readonly RankMethodKind[] = [{ name: 'topN', compile: () => topN }];

export const rankMethods: ReadonlyMap<string, RankMethodKind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** Methods of api-decisioning.md 8 that are refused until they are built. */
export const unbuiltRankMethods: readonly string[] = ['diversity', 'round_robin', 'explore_exploit'];
