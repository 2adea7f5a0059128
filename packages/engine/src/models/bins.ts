import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import type { PredictorValue } from './predictor-values.ts';

/** Edges of a numeric predictor. Quantile bins need 9; people may set more. */
export const maxEdges = 100;
/** Categories of a predictor. Values that come later don't count. */
export const maxCategories = 200;

/** The bins of one predictor: between edges, or one per category. */
export type Bins =
  | { readonly kind: 'edges'; readonly edges: readonly number[] }
  | { readonly kind: 'categories'; readonly categories: readonly string[] };

export const binCount = (bins: Bins): number =>
  bins.kind === 'edges' ? bins.edges.length + 1 : bins.categories.length;

/** Returns the bin of a value, the lower one at an edge (docs/design/api-decisioning.md 20, Models); -1: none. */
export function binOf(bins: Bins, value: PredictorValue): number {
  if (bins.kind === 'categories') return value === null ? -1 : bins.categories.indexOf(String(value));
  if (typeof value !== 'number') return -1;
  let low = 0;
  let high = bins.edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= bins.edges[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Reads the bins that a state has for a predictor; null: none. */
export function binsIn(state: JsonObject, name: string): Bins | null {
  const edges = numbers(own(state.binEdges, name));
  if (edges !== null) return { kind: 'edges', edges };
  const categories = own(state.categories, name);
  if (!Array.isArray(categories)) return null;
  return { kind: 'categories', categories: categories.filter((entry) => typeof entry === 'string') };
}

/** Returns an object's own property, or undefined. */
export const own = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns a list of numbers; null when it is no list. */
export const numbers = (value: Json | undefined): readonly number[] | null =>
  Array.isArray(value) ? value.map((entry: Json) => (typeof entry === 'number' ? entry : Number.NaN)) : null;
