import { sigmoid } from '../../arithmetic/sigmoid.ts';
import { viewOffer } from '../../compile/catalogue.ts';
import { emptyScope } from '../../formula/scope.ts';
import type { FormulaScope } from '../../plan/formula.ts';
import type { Json, JsonObject, SnapshotOffer } from '../../plan/snapshot.ts';
import { predictorFeatures } from '../predictors.ts';
import { newFeatureValues, setFeature } from './feature-values.ts';
import { type Forest, forestOf } from './forest.ts';
import { forestShap } from './shap.ts';
import { createWorkbench, valuesOf } from './workbench.ts';

/** Why boosted trees gave one score (docs/design/api-decisioning.md 15, SHAP). Unrounded. */
export interface CaseExplanation {
  /** By feature, all of them, in logits. */
  readonly shapValues: readonly (readonly [feature: string, value: number])[];
  readonly baseline: number;
  readonly rawMargin: number;
  readonly additivityResidual: number;
  readonly score: number;
  readonly coverSource: Forest['coverSource'];
}

/** Explains cases by one model. */
export interface CaseExplainer {
  /**
   * Explains a case with these values by feature name. What they leave out, predictors that read the offer take from it;
   * the rest is missing.
   */
  values(values: JsonObject, offer: SnapshotOffer | null): CaseExplanation;
  /** Explains a case as a decision reads it. */
  scope(scope: FormulaScope): CaseExplanation;
}

/** Returns what explains cases by a model of boosted trees; null when its state has no trees. */
export function openExplainer(predictors: readonly Json[], state: JsonObject | null): CaseExplainer | null {
  const forest = forestOf(state);
  if (forest === null) return null;
  const features = predictorFeatures(predictors);
  const bench = createWorkbench(forest, features);
  return {
    values(values, offer) {
      const scope = emptyScope();
      scope.offer = offer === null ? null : offerInScope(offer);
      const columns = newFeatureValues(forest);
      for (const [at, name] of forest.features.entries()) {
        const given = Object.hasOwn(values, name) ? values[name] : features.get(name)?.readOffer(scope);
        setFeature(forest, columns, at, given ?? null);
      }
      return explanationOf(forest, forestShap(forest, columns));
    },
    scope: (scope) => explanationOf(forest, forestShap(forest, valuesOf(bench, scope))),
  };
}

/** An offer, as scopes have it. */
export const offerInScope = (offer: SnapshotOffer): JsonObject => viewOffer(offer, offer.metadata);

function explanationOf(forest: Forest, shap: ReturnType<typeof forestShap>): CaseExplanation {
  const { baseline, rawMargin, additivityResidual } = shap;
  return {
    shapValues: forest.features.map((name, at) => [name, shap.values[at]! + 0] as const),
    baseline,
    rawMargin,
    additivityResidual,
    score: sigmoid(rawMargin),
    coverSource: forest.coverSource,
  };
}
