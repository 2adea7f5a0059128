import { finiteNumber } from '../arithmetic/order.ts';
import { numberField } from '../compile/config-fields.ts';
import { readConfig, unknownKeys } from '../compile/config-problems.ts';
import type { Json } from '../plan/snapshot.ts';
import { armNumber, armsOf, checkNames, checkNumber, maxOutcomes, stateProblems } from './arms.ts';
import type { ModelKind } from './model-kind.ts';

const defaultEpsilon = 0.1;
const defaultDecay = 0.001;

const fields = {
  epsilon: numberField(0, 1, 'Probability of picking an offer at random before the model has learned anything.', {
    default: defaultEpsilon,
  }),
  decayRate: numberField(0, 1, 'How fast that probability decreases as the model learns.', { default: defaultDecay }),
};

/**
 * Scores with the mean reward of each offer, 1 for one that was never tried; with probability e, which falls with
 * experience, with one uniform per offer instead (docs/design/api-decisioning.md 15). `epsilon` and `decayRate` of the
 * config start an empty state.
 */
export const epsilonGreedy: ModelKind = {
  type: 'epsilon_greedy',
  isBandit: true,
  fields,
  required: [],
  check(config) {
    const reader = readConfig(config);
    reader.number('epsilon', fields.epsilon);
    reader.number('decayRate', fields.decayRate);
    return reader.problems;
  },
  remarks: (config) => unknownKeys(config, Object.keys(fields)),
  state: {
    empty: (config) => ({
      arms: {},
      epsilon: finiteNumber(config.epsilon) ?? defaultEpsilon,
      decayRate: finiteNumber(config.decayRate) ?? defaultDecay,
      totalPulls: 0,
    }),
    check: (state) =>
      stateProblems(
        state,
        { epsilon: [0, 1], decayRate: [0, 1], totalPulls: [0, maxOutcomes] },
        (arm, path, refuse) => {
          checkNumber(arm, 'pulls', path, 0, maxOutcomes, refuse);
          const { pulls } = arm;
          const most = typeof pulls === 'number' && pulls >= 0 ? Math.min(pulls, maxOutcomes) : maxOutcomes;
          checkNumber(arm, 'totalReward', path, 0, most, refuse);
          checkNames(arm, ['pulls', 'totalReward'], path, refuse);
        },
      ),
  },
  learn(state, lessons) {
    const arms: Record<string, Json> = { ...armsOf(state) };
    let totalPulls = finiteNumber(state.totalPulls) ?? 0;
    for (const { offerId, reward, weight } of lessons) {
      arms[offerId] = {
        totalReward: armNumber(arms, offerId, 'totalReward', 0) + weight * reward,
        pulls: armNumber(arms, offerId, 'pulls', 0) + weight,
      };
      totalPulls += weight;
    }
    return { ...state, arms, totalPulls };
  },
  compile: () => ({
    paths: [],
    isRandom: true,
    begin(state, _scope, next) {
      const arms = armsOf(state);
      const epsilon = finiteNumber(state?.epsilon) ?? defaultEpsilon;
      const decay = finiteNumber(state?.decayRate) ?? defaultDecay;
      const uniformChance = epsilon / (1 + decay * (finiteNumber(state?.totalPulls) ?? 0));
      const isUniform = next() < uniformChance;
      const mean = (offerId: string): number => {
        const pulls = armNumber(arms, offerId, 'pulls', 0);
        return pulls === 0 ? 1 : armNumber(arms, offerId, 'totalReward', 0) / pulls;
      };
      return {
        raw: mean,
        greedy: mean,
        explain: () => [],
        uniformChance,
        isUniform,
        score: (offerId, draw) => (isUniform ? draw() : mean(offerId)),
      };
    },
  }),
};
