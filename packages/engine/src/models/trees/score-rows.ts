import { exp } from '../../arithmetic/exp.ts';
import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { leafOf, newFeatureValues, setFeature } from './feature-values.ts';
import { forestOf } from './forest.ts';

/** Returns the score of each row by a state with trees; values in the order of `feature_names`. */
export function scoreRows(state: JsonObject, rows: readonly { readonly values: readonly Json[] }[]): Float64Array {
  const forest = forestOf(state);
  if (forest === null) throw new Error('the state has no trees');
  const features = newFeatureValues(forest);
  return Float64Array.from(rows, ({ values }) => {
    for (let at = 0; at < forest.features.length; at++) setFeature(forest, features, at, values[at]);
    let margin = forest.initScore;
    for (let tree = 0; tree < forest.roots.length; tree++) margin += forest.leafValue[leafOf(forest, tree, features)]!;
    return 1 / (1 + exp(-margin));
  });
}
