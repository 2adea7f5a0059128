import { finiteNumber } from '../arithmetic/order.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type Bins, binCount, binOf, binsIn, maxCategories, numbers, own } from './bins.ts';
import type { PredictorValue } from './predictor-values.ts';

/** Outcomes counted by class and by bin. The counts are those of a bayesian state, in a form that can grow. */
export interface BayesianCounts {
  pos: number;
  neg: number;
  readonly features: Map<string, FeatureCounts>;
}

interface FeatureCounts {
  readonly bins: Bins;
  /** Bin of each category; empty for edges. */
  readonly places: Map<string, number>;
  readonly pos: number[];
  readonly neg: number[];
}

export function newCounts(binEdges: Json | undefined): BayesianCounts {
  const counts: BayesianCounts = { pos: 0, neg: 0, features: new Map() };
  for (const [name, edges] of Object.entries(isObject(binEdges) ? binEdges : {})) {
    counts.features.set(name, featureCounts({ kind: 'edges', edges: numbers(edges) ?? [] }));
  }
  return counts;
}

function featureCounts(bins: Bins): FeatureCounts {
  const places = new Map(bins.kind === 'categories' ? bins.categories.map((value, at) => [value, at]) : []);
  const empty = (): number[] => new Array<number>(binCount(bins)).fill(0);
  return {
    bins: bins.kind === 'edges' ? bins : { ...bins, categories: [...bins.categories] },
    places,
    pos: empty(),
    neg: empty(),
  };
}

/** Reads the counts of a state. */
export function openCounts(state: JsonObject): BayesianCounts {
  const counts: BayesianCounts = {
    pos: finiteNumber(own(state.classes, 'pos')) ?? 0,
    neg: finiteNumber(own(state.classes, 'neg')) ?? 0,
    features: new Map(),
  };
  const names = [state.binEdges, state.categories].flatMap((part) => (isObject(part) ? Object.keys(part) : []));
  for (const name of names) {
    const bins = binsIn(state, name);
    if (bins === null) continue;
    const feature = featureCounts(bins);
    const counted = own(state.counts, name);
    for (const side of ['pos', 'neg'] as const) {
      numbers(own(counted, side))?.forEach((count, at) => {
        if (at < feature[side].length) feature[side][at] = count;
      });
    }
    counts.features.set(name, feature);
  }
  return counts;
}

/** Counts an outcome. `values`: of the predictors `names`. */
export function countOutcome(
  counts: BayesianCounts,
  names: readonly string[],
  values: (at: number) => PredictorValue,
  label: 0 | 1,
  weight: number,
): void {
  const side = label === 1 ? 'pos' : 'neg';
  counts[side] += weight;
  names.forEach((name, at) => {
    const value = values(at);
    if (value === null) return;
    let feature = counts.features.get(name);
    if (feature === undefined) {
      // A number needs edges first.
      if (typeof value === 'number') return;
      feature = featureCounts({ kind: 'categories', categories: [] });
      counts.features.set(name, feature);
    }
    const bin = feature.bins.kind === 'edges' ? binOf(feature.bins, value) : placeOf(feature, String(value));
    if (bin >= 0) feature[side][bin]! += weight;
  });
}

/** Returns the bin of a category, which may be a new one; -1 when there are too many. */
function placeOf({ places, pos, neg }: FeatureCounts, value: string): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  if (places.size >= maxCategories) return -1;
  const place = places.size;
  places.set(value, place);
  pos.push(0);
  neg.push(0);
  return place;
}

/** Adds the counts of `other`, which has the same edges. The order of additions doesn't matter, apart from last bits of fractional weights. */
export function addCounts(counts: BayesianCounts, other: BayesianCounts): void {
  counts.pos += other.pos;
  counts.neg += other.neg;
  for (const [name, from] of other.features) {
    let to = counts.features.get(name);
    if (to === undefined) {
      to = featureCounts(from.bins.kind === 'edges' ? from.bins : { kind: 'categories', categories: [] });
      counts.features.set(name, to);
    }
    const places =
      from.bins.kind === 'edges'
        ? from.pos.map((_, at) => at)
        : [...from.places.keys()].map((value) => placeOf(to, value));
    places.forEach((place, at) => {
      if (place < 0 || place >= to.pos.length) return;
      to.pos[place]! += from.pos[at]!;
      to.neg[place]! += from.neg[at]!;
    });
  }
}

/** Returns the counts as a state. Categories are sorted where `isSorted`, so that equal counts are equal states. */
export function stateOfCounts({ pos, neg, features }: BayesianCounts, isSorted = false): JsonObject {
  const binEdges: [string, Json][] = [];
  const categories: [string, Json][] = [];
  const counts: [string, Json][] = [];
  for (const [name, feature] of features) {
    if (feature.bins.kind === 'edges') {
      binEdges.push([name, feature.bins.edges]);
      counts.push([name, { pos: feature.pos, neg: feature.neg }]);
      continue;
    }
    const values = [...feature.places.keys()];
    if (isSorted) values.sort((a, b) => (a < b ? -1 : 1));
    categories.push([name, values]);
    const of = (side: 'pos' | 'neg'): number[] => values.map((value) => feature[side][feature.places.get(value)!]!);
    counts.push([name, { pos: of('pos'), neg: of('neg') }]);
  }
  return {
    n: pos + neg,
    classes: { pos, neg },
    binEdges: Object.fromEntries(binEdges),
    categories: Object.fromEntries(categories),
    counts: Object.fromEntries(counts),
  };
}
