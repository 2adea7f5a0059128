import { ln } from '../../arithmetic/ln.ts';
import type { Run } from '../../plan/run.ts';
import { evidenceOf } from '../../scoring/propensity.ts';
import { type ExploreStrategy, shareOf } from './strategy.ts';

/**
 * Picks the candidate with the largest `n + ucbC * sqrt(ln(1 + N)/(1 + evidence))`, where N is the evidence of all that
 * enter the rank node: little-known offers move up. Leaves nothing to chance.
 */
export const ucb: ExploreStrategy = {
  name: 'ucb',
  readsEvidence: () => true,
  begin(run, { ucbC }, { maxScore }) {
    const all = ln(1 + evidenceOfAll(run));
    let chosen = 0;
    return {
      choose(pool, size) {
        chosen = 0;
        let most = Number.NEGATIVE_INFINITY;
        for (let at = 0; at < size; at++) {
          const candidate = pool[at]!;
          const [positives, negatives] = evidenceOf(run, candidate);
          const index = shareOf(run, candidate, maxScore) + ucbC * Math.sqrt(all / (1 + positives + negatives));
          // Among equals, the first in the pool wins.
          if (index <= most) continue;
          most = index;
          chosen = at;
        }
        return chosen;
      },
      chance: (position) => (position === chosen ? 1 : 0),
    };
  },
};

/** An offer counts once, however many placements it competes for; its candidates are adjacent. */
function evidenceOfAll(run: Run): number {
  let sum = 0;
  let last = -1;
  for (const candidate of run.list) {
    if (candidate.reason !== null || candidate.ordinal === last) continue;
    last = candidate.ordinal;
    const [positives, negatives] = evidenceOf(run, candidate);
    sum += positives + negatives;
  }
  return sum;
}
