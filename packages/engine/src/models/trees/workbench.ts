import { readPath } from '../../compile/paths.ts';
import type { FormulaScope } from '../../plan/formula.ts';
import type { Json } from '../../plan/snapshot.ts';
import type { Feature } from '../predictors.ts';
import { type FeatureValues, goesLeft, leafOf, newFeatureValues, setFeature } from './feature-values.ts';
import type { Forest } from './forest.ts';
import { arrangeTrees, type FeatureSplits, leavesPerTree, type TreeOrder } from './tree-order.ts';

/**
 * What a program needs to score with one forest, reused from one decision to the next. A decision reads the features
 * that no offer changes once. What an offer contributes never changes, so it's worked out once per offer of a plan.
 */
export interface Workbench {
  readonly forest: Forest;
  readonly order: TreeOrder;
  readonly values: FeatureValues;
  readonly shared: readonly SharedFeature[];
  readonly ofOffer: readonly OfferFeature[];
  /** Of trees in masks: the leaves that the shared features leave possible. */
  readonly masks: Int32Array;
  /** By offer, as formulas see it: the leaves that it leaves possible. */
  readonly offers: WeakMap<object, Int32Array>;
  /** Offers in `offers`, also those that are no more. */
  offerCount: number;
  /** Shared features that an offer has a value for when nothing else has; null: no offer was seen. All offers have the same keys. */
  alternatives: readonly SharedFeature[] | null;
  /** Scope whose shared features are in `values`. */
  scope: FormulaScope | null;
  /** Sum of the trees that no offer changes. */
  sharedMargin: number;
}

interface SharedFeature {
  readonly feature: number;
  readonly paths: readonly (readonly string[])[];
  readonly usual: Json;
  /** Name under which an offer may have it, when nothing else does; null: it can't come from an offer. */
  readonly offerKey: string | null;
}

interface OfferFeature {
  readonly feature: number;
  readonly source: Feature;
}

/** Numbers in the masks of all offers together; 16 MB. */
const maxMasks = 4_000_000;

export function createWorkbench(forest: Forest, features: ReadonlyMap<string, Feature>): Workbench {
  const shared: SharedFeature[] = [];
  const ofOffer: OfferFeature[] = [];
  const isOfOffer = new Uint8Array(forest.features.length);
  for (const [feature, name] of forest.features.entries()) {
    const source = features.get(name);
    // Records hold what predictors name. Anything else a replay could not read again.
    if (source === undefined) continue;
    const paths = source.paths.filter(([root]) => root !== 'offer');
    if (paths.length === 0) {
      ofOffer.push({ feature, source });
      isOfOffer[feature] = 1;
    } else {
      const offerPath = source.paths.find(([root]) => root === 'offer');
      shared.push({ feature, paths, usual: source.usual, offerKey: offerPath?.[1] ?? null });
    }
  }
  const order = arrangeTrees(forest, isOfOffer);
  return {
    forest,
    order,
    values: newFeatureValues(forest),
    shared,
    ofOffer,
    masks: new Int32Array(order.masked.length),
    offers: new WeakMap(),
    offerCount: 0,
    alternatives: null,
    scope: null,
    sharedMargin: 0,
  };
}

/** Reads the features that all offers of a decision share, and follows them through the trees. */
export function openDecision(bench: Workbench, scope: FormulaScope): void {
  const { forest, order, values, masks } = bench;
  bench.scope = scope;
  for (const { feature, paths, usual } of bench.shared) {
    setFeature(forest, values, feature, firstValue(scope, paths) ?? usual);
  }
  let margin = forest.initScore;
  for (const tree of order.shared) margin += forest.leafValue[leafOf(forest, tree, values)]!;
  bench.sharedMargin = margin;
  masks.fill(-1);
  narrow(bench, order.sharedSplits, masks);
}

/** Takes the leaves out of `masks` that the values rule out at these splits. */
function narrow({ forest, order, values }: Workbench, groups: readonly FeatureSplits[], masks: Int32Array): void {
  for (const { feature, atMost, below, readsZero, sets } of groups) {
    const number = values.numbers[feature]!;
    if (Number.isNaN(number) || (readsZero && number === 0)) {
      askEach(forest, order, atMost.splits, values, masks);
      askEach(forest, order, below.splits, values, masks);
    } else {
      const { thresholds, places, keeps } = atMost;
      for (let at = 0; at < thresholds.length && thresholds[at]! < number; at++) masks[places[at]!]! &= keeps[at]!;
      for (let at = 0; at < below.thresholds.length && below.thresholds[at]! <= number; at++) {
        masks[below.places[at]!]! &= below.keeps[at]!;
      }
    }
    askEach(forest, order, sets, values, masks);
  }
}

function askEach(
  forest: Forest,
  { place, keep }: TreeOrder,
  splits: Int32Array,
  values: FeatureValues,
  masks: Int32Array,
): void {
  for (let at = 0; at < splits.length; at++) {
    const split = splits[at]!;
    if (!goesLeft(forest, split, values)) masks[place[split]!]! &= keep[split]!;
  }
}

function firstValue(scope: FormulaScope, paths: SharedFeature['paths']): Json {
  for (const path of paths) {
    const value = readPath(scope, path);
    if (value !== null) return value;
  }
  return null;
}

/** Returns the margin of the offer in the scope: the start value, and its leaf of every tree in one order. */
export function marginOf(bench: Workbench, scope: FormulaScope): number {
  if (bench.scope !== scope) openDecision(bench, scope);
  const { offer } = scope;
  if (offer === null || replacesShared(bench, scope, offer)) return walkAll(bench, scope);
  const { masked, leafValue, walked } = bench.order;
  let margin = bench.sharedMargin;
  if (masked.length > 0) {
    const own = masksOf(bench, scope, offer);
    if (own === null) return walkAll(bench, scope);
    margin += sumOfLeaves(leafValue, own, bench.masks);
  }
  if (walked.length === 0) return margin;
  readOffer(bench, scope);
  for (const tree of walked) margin += bench.forest.leafValue[leafOf(bench.forest, tree, bench.values)]!;
  return margin;
}

/**
 * The sum over the trees in masks, in four sums of every fourth tree, because each addition would wait for the one before.
 * `walkAll` adds in the same order, so a score has the same bits either way.
 */
function sumOfLeaves(leafValue: Float64Array, own: Int32Array, masks: Int32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = own.length & ~3;
  let at = 0;
  for (; at < whole; at += 4) {
    const base = at * leavesPerTree;
    a += leafValue[base + Math.clz32(own[at]! & masks[at]!)]!;
    b += leafValue[base + leavesPerTree + Math.clz32(own[at + 1]! & masks[at + 1]!)]!;
    c += leafValue[base + 2 * leavesPerTree + Math.clz32(own[at + 2]! & masks[at + 2]!)]!;
    d += leafValue[base + 3 * leavesPerTree + Math.clz32(own[at + 3]! & masks[at + 3]!)]!;
  }
  for (; at < own.length; at++) a += leafValue[at * leavesPerTree + Math.clz32(own[at]! & masks[at]!)]!;
  return a + b + (c + d);
}

/** Null: there are too many offers to keep what each leaves possible. */
function masksOf(bench: Workbench, scope: FormulaScope, offer: object): Int32Array | null {
  const known = bench.offers.get(offer);
  if (known !== undefined) return known;
  const { masked, offerSplits } = bench.order;
  if (bench.offerCount * masked.length > maxMasks) return null;
  readOffer(bench, scope);
  const masks = new Int32Array(masked.length).fill(-1);
  narrow(bench, offerSplits, masks);
  bench.offers.set(offer, masks);
  bench.offerCount += 1;
  return masks;
}

function readOffer({ forest, values, ofOffer }: Workbench, scope: FormulaScope): void {
  for (const { feature, source } of ofOffer) setFeature(forest, values, feature, source.read(scope));
}

/** Whether the offer provides a bare name that neither attributes nor the customer have. */
function replacesShared(bench: Workbench, scope: FormulaScope, offer: object): boolean {
  bench.alternatives ??= bench.shared.filter(({ offerKey }) => offerKey !== null && Object.hasOwn(offer, offerKey));
  for (const { paths } of bench.alternatives) if (firstValue(scope, paths) === null) return true;
  return false;
}

/** Follows every tree, in the order in which `marginOf` adds them. */
function walkAll(bench: Workbench, scope: FormulaScope): number {
  const { forest, order } = bench;
  const values = valuesOf(bench, scope);
  const leaf = (tree: number): number => forest.leafValue[leafOf(forest, tree, values)]!;
  let margin = forest.initScore;
  for (const tree of order.shared) margin += leaf(tree);
  const { masked } = order;
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  const whole = masked.length & ~3;
  for (let at = 0; at < masked.length; at++) sums[at < whole ? ((at & 3) as 0 | 1 | 2 | 3) : 0] += leaf(masked[at]!);
  if (masked.length > 0) margin += sums[0] + sums[1] + (sums[2] + sums[3]);
  for (const tree of order.walked) margin += leaf(tree);
  return margin;
}

/** Returns all features of the offer in the scope. The next offer overwrites them. */
export function valuesOf(bench: Workbench, scope: FormulaScope): FeatureValues {
  const { forest, values, shared } = bench;
  readOffer(bench, scope);
  for (const { feature, paths, usual, offerKey } of shared) {
    const ofOffer = offerKey === null ? null : readPath(scope, ['offer', offerKey]);
    setFeature(forest, values, feature, firstValue(scope, paths) ?? ofOffer ?? usual);
  }
  // What offers share is read again before the next score.
  bench.scope = null;
  return values;
}
