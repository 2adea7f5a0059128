import { unknownKeys } from '../compile/config-problems.ts';
import type { Json } from '../plan/snapshot.ts';
import { betaSampler } from '../random/beta.ts';
import { armNumber, armsOf, checkNames, checkNumber, maxOutcomes, stateProblems } from './arms.ts';
import type { ModelKind } from './model-kind.ts';

/** Minimum for alpha and beta: smaller numbers draw nothing but 0 and 1. */
const minShape = 0.001;

/**
 * Thompson sampling: draws an offer's score from Beta(alpha, beta) of what was learned about it
 * (docs/design/api-decisioning.md 15).
 */
export const thompsonBandit: ModelKind = {
  type: 'thompson_bandit',
  isBandit: true,
  fields: {},
  required: [],
  check: () => [],
  remarks: (config) => unknownKeys(config, []),
  state: {
    empty: () => ({ arms: {} }),
    check: (state) =>
      stateProblems(state, {}, (arm, path, refuse) => {
        checkNumber(arm, 'alpha', path, minShape, maxOutcomes, refuse);
        checkNumber(arm, 'beta', path, minShape, maxOutcomes, refuse);
        checkNames(arm, ['alpha', 'beta'], path, refuse);
      }),
  },
  learn(state, lessons) {
    const arms: Record<string, Json> = { ...armsOf(state) };
    for (const { offerId, reward, weight } of lessons) {
      arms[offerId] = {
        alpha: armNumber(arms, offerId, 'alpha', 1) + weight * reward,
        beta: armNumber(arms, offerId, 'beta', 1) + weight * (1 - reward),
      };
    }
    return { ...state, arms };
  },
  compile: () => ({
    paths: [],
    isRandom: true,
    begin(state) {
      const arms = armsOf(state);
      const shapes = (offerId: string): [number, number] => [
        armNumber(arms, offerId, 'alpha', 1),
        armNumber(arms, offerId, 'beta', 1),
      ];
      const raw = (offerId: string): number => {
        const [a, b] = shapes(offerId);
        return a / (a + b);
      };
      return {
        raw,
        greedy: raw,
        explain: () => [],
        uniformChance: null,
        isUniform: false,
        score(offerId, next) {
          const [a, b] = shapes(offerId);
          return a > 0 && b > 0 && Number.isFinite(a + b) ? betaSampler(next)(a, b) : Number.NaN;
        },
      };
    },
  }),
};
