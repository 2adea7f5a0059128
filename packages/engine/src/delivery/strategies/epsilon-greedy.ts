import { evidenceOf } from '../../scoring/propensity.ts';
import type { ExploreStrategy } from './strategy.ts';

/**
 * The best of the pool, but with chance `explorationRate` any of the pool, evenly; with pool `low_evidence` any
 * with little evidence, and always the best if there are none.
 */
export const epsilonGreedy: ExploreStrategy = {
  name: 'epsilon_greedy',
  readsEvidence: ({ lowEvidence }) => lowEvidence,
  begin(run, { explorationRate, lowEvidence, minEvidence }, { next }) {
    const isIn = run.scratch.poolNumbers;
    let count = 0;
    return {
      choose(pool, size) {
        count = 0;
        for (let at = 0; at < size; at++) {
          const [positives, negatives] = lowEvidence ? evidenceOf(run, pool[at]!) : none;
          isIn[at] = !lowEvidence || positives + negatives < minEvidence ? 1 : 0;
          count += isIn[at]!;
        }
        if (count === 0 || next() >= explorationRate) return 0;
        let before = Math.floor(next() * count);
        for (let at = 0; ; at++) {
          if (isIn[at] === 0) continue;
          if (before === 0) return at;
          before -= 1;
        }
      },
      chance(position) {
        const greedy = position === 0 ? 1 : 0;
        if (count === 0) return greedy;
        return (1 - explorationRate) * greedy + (explorationRate * isIn[position]!) / count;
      },
    };
  },
};

const none: readonly [number, number] = [0, 0];
