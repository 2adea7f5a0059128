import { sigmoid } from '../arithmetic/sigmoid.ts';
import { integerField, numberField } from '../compile/config-fields.ts';
import { type ConfigProblem, readConfig, unknownKeys } from '../compile/config-problems.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Contribution, ModelProgram, Scorer } from '../plan/models.ts';
import type { JsonObject, SnapshotModel } from '../plan/snapshot.ts';
import type { ModelKind } from './model-kind.ts';
import { type Feature, predictorFeatures } from './predictors.ts';
import { type Forest, forestOf } from './trees/forest.ts';
import { forestProblems } from './trees/forest-state.ts';
import { forestShap } from './trees/shap.ts';
import { createWorkbench, marginOf, openDecision, valuesOf, type Workbench } from './trees/workbench.ts';

export const defaultForest = { trees: 100, maxDepth: 4, learningRate: 0.1, minLeaf: 20, l2: 1, bins: 64, subsample: 1 };

export const forestFields = {
  trees: integerField(1, 500, 'Trees that training grows.', { default: defaultForest.trees }),
  maxDepth: integerField(1, 8, 'Splits between the root of a tree and a leaf, at most.', {
    default: defaultForest.maxDepth,
  }),
  learningRate: numberField(0.0001, 1, 'Share of the best step that each tree takes.', {
    default: defaultForest.learningRate,
  }),
  minLeaf: integerField(1, 1_000_000, 'Rows that a leaf must have at least.', { default: defaultForest.minLeaf }),
  l2: numberField(0, 1_000_000, 'How strongly training pulls leaves towards 0.', { default: defaultForest.l2 }),
  bins: integerField(2, 255, 'Values of a predictor that splits can tell apart.', { default: defaultForest.bins }),
  subsample: numberField(0.01, 1, 'Share of the rows that each tree sees.', { default: defaultForest.subsample }),
};

/** Returns the problems of parameters of training, which a config may set. */
export function forestParamProblems(params: JsonObject): readonly ConfigProblem[] {
  const reader = readConfig(params);
  reader.integer('trees', forestFields.trees);
  reader.integer('maxDepth', forestFields.maxDepth);
  reader.number('learningRate', forestFields.learningRate);
  reader.integer('minLeaf', forestFields.minLeaf);
  reader.number('l2', forestFields.l2);
  reader.integer('bins', forestFields.bins);
  reader.number('subsample', forestFields.subsample);
  return reader.problems;
}

/**
 * A sum of decision trees, in log-odds (docs/design/api-decisioning.md 15). Learns from training, or is imported. Its
 * decisions read the features of its state that its predictors name.
 */
export const gradientBoosted: ModelKind = {
  type: 'gradient_boosted',
  isBandit: false,
  fields: forestFields,
  required: [],
  check: forestParamProblems,
  remarks: (config) => unknownKeys(config, Object.keys(forestFields)),
  state: {
    empty: () => ({ feature_names: [], objective: 'binary', init_score: 0, trees: [] }),
    check: forestProblems,
  },
  learn: null,
  compile: compileBoosted,
};

export function compileBoosted({ predictors }: Pick<SnapshotModel, 'config' | 'predictors'>): ModelProgram {
  const features = predictorFeatures(predictors);
  const benches = new WeakMap<Forest, Workbench>();
  return {
    paths: [...features.values()].flatMap(({ paths }) => paths),
    isRandom: false,
    begin(state, scope) {
      const forest = forestOf(state);
      if (forest === null) return untrained;
      let bench = benches.get(forest);
      if (bench === undefined) {
        bench = createWorkbench(forest, features);
        benches.set(forest, bench);
      }
      openDecision(bench, scope);
      return scorerOf(bench, scope, features);
    },
  };
}

function scorerOf(bench: Workbench, scope: FormulaScope, features: ReadonlyMap<string, Feature>): Scorer {
  const raw = (): number => marginOf(bench, scope);
  let margin = Number.NaN;
  let last = Number.NaN;
  const score = (): number => {
    const current = raw();
    // Without features of the offer, all candidates have one score.
    if (current !== margin) {
      margin = current;
      last = sigmoid(current);
    }
    return last;
  };
  return {
    raw,
    score,
    greedy: score,
    confidence: null,
    uniformChance: null,
    isUniform: false,
    explain: () => explain(bench, scope, features),
  };
}

/** What each feature adds to the margin, in logits; features that add nothing are left out. */
function explain(
  bench: Workbench,
  scope: FormulaScope,
  features: ReadonlyMap<string, Feature>,
): readonly Contribution[] {
  const { forest } = bench;
  const { values } = forestShap(forest, valuesOf(bench, scope));
  return forest.features.flatMap((feature, at): Contribution[] => {
    const contribution = values[at]!;
    return contribution === 0 ? [] : [{ feature, value: features.get(feature)?.read(scope) ?? null, contribution }];
  });
}

const noScore = (): number => Number.NaN;
/** Without trees there's nothing to score with. */
const untrained: Scorer = {
  raw: noScore,
  score: noScore,
  greedy: noScore,
  confidence: null,
  uniformChance: null,
  isUniform: false,
  explain: () => [],
};
