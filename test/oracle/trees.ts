import type { Json, SnapshotModel } from '@arbiter/engine';
import { isRow, type Row } from './world.ts';

/**
 * The score of boosted trees (docs/design/api-decisioning.md 15), by following each tree. NaN without trees. `read` returns
 * the value of a predictor; features that no predictor names are missing.
 */
export function treesScore(model: SnapshotModel, state: Json | undefined, read: (name: string) => Json): number {
  if (!isRow(state) || !Array.isArray(state.trees) || state.trees.length === 0) return Number.NaN;
  const names = state.feature_names as readonly string[];
  const known = new Set(model.predictors.map((entry) => (isRow(entry) ? entry.name : entry)));
  const valueAt = (feature: Json): Json => {
    const name = typeof feature === 'number' ? names[feature]! : String(feature);
    return known.has(name) ? read(name) : null;
  };
  const leaves = state.trees.map((tree) => leafOf(isRow(tree) ? (tree.tree_structure as Row) : {}, valueAt));
  return 1 / (1 + Math.exp(-leaves.reduce((sum, leaf) => sum + leaf, Number(state.init_score ?? 0))));
}

function leafOf(root: Row, valueAt: (feature: Json) => Json): number {
  let node = root;
  while (node.leaf_value === undefined) {
    node = (goesLeft(node, valueAt(node.split_feature ?? null)) ? node.left_child : node.right_child) as Row;
  }
  return Number(node.leaf_value);
}

/** A missing value follows `default_left`. If `missing_type` is `None`, it counts as 0. */
function goesLeft(node: Row, value: Json): boolean {
  const { threshold, decision_type: type = '<=', default_left: byDefault = true, missing_type: missing = 'nan' } = node;
  if (type === '==') {
    if (value === null || typeof value === 'object') return byDefault === true;
    return [threshold].flat().map(String).includes(String(value));
  }
  let number = typeof value === 'number' || typeof value === 'boolean' ? Number(value) : Number.NaN;
  if (Number.isNaN(number) && missing === 'nan') return byDefault === true;
  if (Number.isNaN(number)) number = 0;
  if (missing === 'zero' && number === 0) return byDefault === true;
  return type === '<' ? number < Number(threshold) : number <= Number(threshold);
}
