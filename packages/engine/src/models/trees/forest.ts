import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { forestProblems } from './forest-state.ts';

/**
 * Boosted trees in columns, so that scoring follows numbers instead of objects. Splits are numbered tree by tree, left
 * before right; so are leaves. A child or root below 0 is the leaf `~child`.
 */
export interface Forest {
  readonly features: readonly string[];
  readonly initScore: number;
  /** True: values are rounded to single precision before they are compared, as XGBoost does. */
  readonly isSingle: boolean;
  readonly roots: Int32Array;
  /** By tree: number of its first split and leaf; one more entry ends the last tree. */
  readonly firstSplit: Int32Array;
  readonly firstLeaf: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  /** Bits of `splitBits`. */
  readonly rule: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** By split: number of its category set; -1: it compares numbers. */
  readonly set: Int32Array;
  readonly sets: readonly Uint32Array[];
  /** By feature: codes of the categories that splits name; null: none does. */
  readonly codes: readonly (ReadonlyMap<string | number, number> | null)[];
  readonly leafValue: Float64Array;
  readonly splitCover: Float64Array;
  readonly leafCover: Float64Array;
  /** Where the covers come from: the state, or the number of leaves below. */
  readonly coverSource: 'data' | 'leaf_count';
}

/** Without any of them: at most the threshold goes left, missing goes left, and only a missing value is missing. */
export const splitBits = { isLess: 1, missingRight: 2, zeroIsMissing: 4, missingIsZero: 8 } as const;

const forests = new WeakMap<object, Forest | null>();

/** Returns the trees of a state, compiled once per state object; null when the state has no trees or has problems. */
export function forestOf(state: JsonObject | null): Forest | null {
  if (state === null) return null;
  let forest = forests.get(state);
  if (forest === undefined) {
    const isSound = Array.isArray(state.trees) && state.trees.length > 0 && forestProblems(state).length === 0;
    forest = isSound ? compileForest(state) : null;
    forests.set(state, forest);
  }
  return forest;
}

/** Lists that grow while the trees are read. */
interface Columns {
  readonly numbers: ReadonlyMap<string, number>;
  readonly feature: number[];
  readonly threshold: number[];
  readonly rule: number[];
  readonly left: number[];
  readonly right: number[];
  readonly set: number[];
  readonly sets: Uint32Array[];
  readonly codes: (Map<string | number, number> | null)[];
  readonly leafValue: number[];
  readonly splitCover: number[];
  readonly leafCover: number[];
}

/** Compiles a state without problems. */
function compileForest(state: JsonObject): Forest {
  const features = (state.feature_names as readonly Json[]).map(String);
  const trees = state.trees as readonly JsonObject[];
  const columns: Columns = {
    numbers: new Map(features.map((name, at) => [name, at])),
    feature: [],
    threshold: [],
    rule: [],
    left: [],
    right: [],
    set: [],
    sets: [],
    codes: features.map(() => null),
    leafValue: [],
    splitCover: [],
    leafCover: [],
  };
  const firstSplit = new Int32Array(trees.length + 1);
  const firstLeaf = new Int32Array(trees.length + 1);
  const roots = Int32Array.from(trees, ({ tree_structure }, at) => {
    firstSplit[at] = columns.feature.length;
    firstLeaf[at] = columns.leafValue.length;
    return addNode(tree_structure as JsonObject, columns);
  });
  firstSplit[trees.length] = columns.feature.length;
  firstLeaf[trees.length] = columns.leafValue.length;
  const forest = {
    features,
    initScore: typeof state.init_score === 'number' ? state.init_score : 0,
    isSingle: state.value_precision === 'float32',
    roots,
    firstSplit,
    firstLeaf,
    feature: Int32Array.from(columns.feature),
    threshold: Float64Array.from(columns.threshold),
    rule: Uint8Array.from(columns.rule),
    left: Int32Array.from(columns.left),
    right: Int32Array.from(columns.right),
    set: Int32Array.from(columns.set),
    sets: columns.sets,
    codes: columns.codes,
    leafValue: Float64Array.from(columns.leafValue),
    splitCover: Float64Array.from(columns.splitCover),
    leafCover: Float64Array.from(columns.leafCover),
  };
  return { ...forest, coverSource: settleCovers(forest) ? 'data' : 'leaf_count' };
}

/** Returns the number of the node. The check has bounded the depth. */
function addNode(node: JsonObject, columns: Columns): number {
  if (Object.hasOwn(node, 'leaf_value')) {
    columns.leafCover.push(coverOf(node.leaf_count ?? node.sum_hessian));
    return ~(columns.leafValue.push(Number(node.leaf_value)) - 1);
  }
  const at = columns.feature.length;
  const { split_feature, threshold } = node;
  const feature = typeof split_feature === 'string' ? columns.numbers.get(split_feature)! : Number(split_feature);
  const isSet = node.decision_type === '==';
  columns.feature.push(feature);
  columns.threshold.push(isSet ? 0 : Number(threshold));
  columns.rule.push(ruleOf(node));
  columns.set.push(isSet ? addSet(threshold as Json, feature, columns) : -1);
  columns.splitCover.push(coverOf(node.internal_count ?? node.sum_hessian));
  columns.left.push(0);
  columns.right.push(0);
  columns.left[at] = addNode(node.left_child as JsonObject, columns);
  columns.right[at] = addNode(node.right_child as JsonObject, columns);
  return at;
}

function ruleOf({ decision_type, default_left, missing_type }: JsonObject): number {
  return (
    (decision_type === '<' ? splitBits.isLess : 0) |
    (default_left === false ? splitBits.missingRight : 0) |
    (missing_type === 'zero' ? splitBits.zeroIsMissing : 0) |
    (missing_type === 'none' ? splitBits.missingIsZero : 0)
  );
}

function addSet(threshold: Json, feature: number, { codes, sets }: Columns): number {
  codes[feature] ??= new Map();
  const known = codes[feature];
  const members = (Array.isArray(threshold) ? threshold : [threshold]).map((category: string | number) => {
    if (!known.has(category)) known.set(category, known.size);
    return known.get(category)!;
  });
  const bits = new Uint32Array((Math.max(0, ...members) >>> 5) + 1);
  for (const code of members) bits[code >>> 5]! |= 1 << (code & 31);
  return sets.push(bits) - 1;
}

/** NaN: the state doesn't say. */
const coverOf = (cover: Json | undefined): number => (typeof cover === 'number' ? cover : Number.NaN);

type Covers = Pick<Forest, 'left' | 'right' | 'splitCover' | 'leafCover'>;

/**
 * Replaces all covers by numbers of leaves when one is missing, or when both sides of a split have none. Returns whether
 * those of the state stay.
 */
function settleCovers({ left, right, splitCover, leafCover }: Covers): boolean {
  const of = (child: number): number => (child < 0 ? leafCover[~child]! : splitCover[child]!);
  let complete = leafCover.every((cover) => !Number.isNaN(cover)) && splitCover.every((cover) => !Number.isNaN(cover));
  for (let at = 0; complete && at < left.length; at++) complete = of(left[at]!) + of(right[at]!) > 0;
  if (complete) return true;
  leafCover.fill(1);
  // Children have higher numbers than their parents.
  for (let at = left.length - 1; at >= 0; at--) splitCover[at] = of(left[at]!) + of(right[at]!);
  return false;
}
