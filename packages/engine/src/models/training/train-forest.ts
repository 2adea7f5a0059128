import { exp } from '../../arithmetic/exp.ts';
import { ln } from '../../arithmetic/ln.ts';
import type { JsonObject } from '../../plan/snapshot.ts';
import { stream } from '../../random/stream.ts';
import { binFeatures } from './bin-features.ts';
import { createGrower, growTree } from './grow-tree.ts';
import type { Gradients } from './histograms.ts';
import { addOthers } from './route-rows.ts';
import type { TrainingRow, TrainingRows } from './training-rows.ts';

/** How boosted trees are trained (docs/design/api-decisioning.md 15). */
export interface ForestParams {
  /** 1 to 500. */
  readonly trees: number;
  /** Splits on the way to a leaf; 1 to 8. */
  readonly maxDepth: number;
  /** Above 0, at most 1. Leaves are that part of the best step. */
  readonly learningRate: number;
  /** Least rows of a leaf. */
  readonly minLeaf: number;
  /** Least 0; keeps leaves of few rows small. */
  readonly l2: number;
  /** 2 to 255; values of a feature that splits can tell apart. */
  readonly bins: number;
  /** Part of the rows that each tree sees; above 0, at most 1. */
  readonly subsample: number;
}

/**
 * Trains boosted trees with logistic loss on histograms and returns the state of the model. The same rows, parameters and
 * seed (32 hex digits) give the same state. `onProgress` hears the finished part after each tree, 0 to 1; it stops the
 * training by throwing.
 */
export function trainForest(
  set: TrainingRows,
  params: ForestParams,
  seed: string,
  onProgress: (share: number) => void,
): JsonObject {
  const { rows } = set;
  const features = binFeatures(set, params.bins);
  const grower = createGrower(set.features, features, params);
  const initScore = startOf(rows);
  const margins = new Float64Array(rows.length).fill(initScore);
  const gradients: Gradients = {
    first: new Float64Array(rows.length),
    second: new Float64Array(rows.length),
    order: new Int32Array(rows.length),
  };
  const trees: JsonObject[] = [];
  for (let at = 0; at < params.trees; at++) {
    setGradients(gradients, margins, rows);
    const count = chooseRows(gradients.order, rows.length, params.subsample, seed, at);
    const tree = growTree(grower, gradients, count, margins);
    if (count < rows.length) addOthers(tree, set.features, features, gradients.order, count, margins);
    trees.push({ tree_structure: tree });
    onProgress((at + 1) / params.trees);
  }
  return { feature_names: [...set.features], objective: 'binary', init_score: initScore, trees };
}

/** The logit of the positive share; with a row more of each class, so that it's finite. */
function startOf(rows: readonly TrainingRow[]): number {
  let positives = 1;
  let negatives = 1;
  for (const { label, weight } of rows) {
    if (label === 1) positives += weight;
    else negatives += weight;
  }
  return ln(positives) - ln(negatives);
}

function setGradients({ first, second }: Gradients, margins: Float64Array, rows: readonly TrainingRow[]): void {
  for (let row = 0; row < margins.length; row++) {
    const { label, weight } = rows[row]!;
    const chance = 1 / (1 + exp(-margins[row]!));
    first[row] = weight * (chance - label);
    second[row] = weight * Math.max(chance * (1 - chance), 1e-16);
  }
}

/** Puts the rows that a tree sees first, and returns how many they are. */
function chooseRows(order: Int32Array, rows: number, subsample: number, seed: string, tree: number): number {
  if (subsample >= 1) {
    for (let row = 0; row < rows; row++) order[row] = row;
    return rows;
  }
  const next = stream(seed, `tree:${tree}`);
  let seen = 0;
  let unseen = rows;
  for (let row = 0; row < rows; row++) {
    if (next() < subsample) order[seen++] = row;
    else order[--unseen] = row;
  }
  return seen;
}
