import type { JsonObject } from '../../plan/snapshot.ts';
import { type BinnedFeature, slotsBeside } from './bin-features.ts';

/** Adds the leaves of a tree to the margins of the rows that it wasn't grown on: `order[from]` and after. */
export function addOthers(
  tree: JsonObject,
  names: readonly string[],
  features: readonly BinnedFeature[],
  order: Int32Array,
  from: number,
  margins: Float64Array,
): void {
  const numbers = new Map(names.map((name, at) => [name, at]));
  const route = (node: JsonObject, rows: Int32Array): void => {
    if (Object.hasOwn(node, 'leaf_value')) {
      for (const row of rows) margins[row]! += Number(node.leaf_value);
      return;
    }
    const feature = features[numbers.get(String(node.split_feature))!]!;
    const left = leftSlots(node, feature);
    route(
      node.left_child as JsonObject,
      rows.filter((row) => left[feature.binOf[row]!] === 1),
    );
    route(
      node.right_child as JsonObject,
      rows.filter((row) => left[feature.binOf[row]!] === 0),
    );
  };
  route(tree, order.slice(from));
}

/** By bin, then for missing values and rare categories: 1 when the split sends it to the left. */
function leftSlots(node: JsonObject, { bins, isCategorical, categories, thresholds }: BinnedFeature): Uint8Array {
  const left = new Uint8Array(bins + slotsBeside);
  const { threshold } = node;
  for (let bin = 0; bin < bins; bin++) {
    const isLeft = isCategorical
      ? Array.isArray(threshold) && threshold.includes(categories[bin]!)
      : (thresholds[bin] ?? Number.MAX_VALUE) <= Number(threshold);
    left[bin] = isLeft ? 1 : 0;
  }
  left[bins] = node.default_left === true ? 1 : 0;
  return left;
}
