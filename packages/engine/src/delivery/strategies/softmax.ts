import { exp } from '../../arithmetic/exp.ts';
import { type ExploreStrategy, shareOf } from './strategy.ts';

/** Draws with weights `exp((n - 1)/temperature)`, n being the score as a share of the best: the hotter, the more even. */
export const softmax: ExploreStrategy = {
  name: 'softmax',
  readsEvidence: () => false,
  begin(run, { temperature }, { next, maxScore }) {
    const weights = run.scratch.poolNumbers;
    let sum = 0;
    return {
      choose(pool, size) {
        sum = 0;
        for (let at = 0; at < size; at++) {
          weights[at] = exp((shareOf(run, pool[at]!, maxScore) - 1) / temperature);
          sum += weights[at]!;
        }
        const drawn = next() * sum;
        let until = 0;
        for (let at = 0; at < size - 1; at++) {
          until += weights[at]!;
          if (drawn < until) return at;
        }
        return size - 1;
      },
      chance: (position) => weights[position]! / sum,
    };
  },
};
