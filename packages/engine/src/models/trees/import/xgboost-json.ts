import { ln } from '../../../arithmetic/ln.ts';
import { isObject } from '../../../json-object.ts';
import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { shortenWord } from '../../../words/word-texts.ts';
import { maxCategories, maxNodes } from '../forest-limits.ts';
import { nestNodes } from './linked-nodes.ts';
import { checkTreeCount, featureNames, listOf, looseNumber, memberOf, numbersOf, refuse } from './model-file.ts';

const objectives = ['binary:logistic', 'binary:logitraw', 'reg:logistic'];

/**
 * The state of a model that XGBoost saved as JSON. XGBoost computes in single precision, compares with `<`, and sends a
 * case to the right when its category is in the set of a split, so sides change places there.
 */
export function readXgboost(file: JsonObject): JsonObject {
  const learner = memberOf(file, 'learner', '');
  const objective = memberOf(learner, 'objective', '/learner').name;
  if (typeof objective !== 'string' || !objectives.includes(objective)) {
    refuse(
      '/learner/objective/name',
      `must be a binary objective (${objectives.join(', ')}), not ${shortenWord(String(objective))}`,
    );
  }
  const params = memberOf(learner, 'learner_model_param', '/learner');
  if (looseNumber(params.num_class ?? 0, '/learner/learner_model_param/num_class') > 1) {
    refuse('/learner/learner_model_param/num_class', 'must be 0 or 1: models of several classes are not supported');
  }
  const features = featureNames(
    Array.isArray(learner.feature_names) ? learner.feature_names : [],
    looseNumber(params.num_feature, '/learner/learner_model_param/num_feature'),
    '/learner/feature_names',
  );
  const booster = memberOf(learner, 'gradient_booster', '/learner');
  if (booster.name !== 'gbtree') refuse('/learner/gradient_booster/name', 'must be gbtree');
  const path = '/learner/gradient_booster/model';
  const model = memberOf(booster, 'model', '/learner/gradient_booster');
  const trees = listOf(model, 'trees', path);
  checkTreeCount(trees.length, `${path}/trees`);
  if (Array.isArray(model.tree_info) && model.tree_info.some((group: Json) => group !== 0)) {
    refuse(`${path}/tree_info`, 'must be 0 for every tree: models of several classes are not supported');
  }
  let nodes = 0;
  const nested = trees.map((tree: Json, at) => {
    const treePath = `${path}/trees/${at}`;
    if (!isObject(tree)) return refuse(treePath, 'must be an object');
    nodes += listOf(tree, 'left_children', treePath).length;
    if (nodes > maxNodes) refuse(`${path}/trees`, `must have at most ${maxNodes} splits and leaves together`);
    return { tree_structure: readTree(tree, features.length, treePath) };
  });
  return {
    feature_names: features,
    objective: 'binary',
    init_score: marginOf(looseNumber(params.base_score, '/learner/learner_model_param/base_score')),
    value_precision: 'float32',
    trees: nested,
  };
}

function marginOf(baseScore: number): number {
  const chance = Math.fround(baseScore);
  if (!(chance > 0 && chance < 1))
    return refuse('/learner/learner_model_param/base_score', 'must be above 0 and below 1');
  return Math.fround(ln(chance / (1 - chance)));
}

function readTree(tree: JsonObject, features: number, path: string): JsonObject {
  const size = listOf(tree, 'left_children', path).length;
  if (size === 0) return refuse(`${path}/left_children`, 'must have at least one node');
  const column = (key: string): Float64Array => numbersOf(tree, key, size, path);
  const left = column('left_children');
  const right = column('right_children');
  const feature = column('split_indices');
  const defaultLeft = column('default_left');
  const cover = column('sum_hessian');
  const sets = readSets(tree, path);
  const types = tree.split_type === undefined ? new Float64Array(size) : column('split_type');
  const conditions = listOf(tree, 'split_conditions', path);
  if (conditions.length !== size)
    refuse(`${path}/split_conditions`, `must have ${size} entries, not ${conditions.length}`);
  const condition = (node: number): number => {
    const value = conditions[node];
    if (typeof value === 'number' && Number.isFinite(value)) return Math.fround(value);
    return refuse(`${path}/split_conditions/${node}`, 'must be a finite number');
  };
  return nestNodes({
    root: 0,
    size,
    path,
    childrenOf: (node) => {
      if (left[node] === -1) return null;
      const isSet = types[node] === 1;
      return isSet ? [right[node]!, left[node]!] : [left[node]!, right[node]!];
    },
    show(node) {
      const sum_hessian = Math.fround(cover[node]!);
      if (left[node] === -1) return { leaf_value: condition(node), sum_hessian };
      const split_feature = feature[node]!;
      if (!Number.isInteger(split_feature) || split_feature < 0 || split_feature >= features) {
        refuse(`${path}/split_indices/${node}`, `must be an index from 0 to ${features - 1}`);
      }
      if (types[node] !== 1) {
        const default_left = defaultLeft[node] === 1;
        return {
          split_feature,
          threshold: condition(node),
          decision_type: '<',
          default_left,
          missing_type: 'nan',
          sum_hessian,
        };
      }
      const threshold = sets.get(node) ?? refuse(`${path}/categories_nodes`, `must name node ${node}`);
      const default_left = defaultLeft[node] !== 1;
      return { split_feature, threshold, decision_type: '==', default_left, missing_type: 'nan', sum_hessian };
    },
  });
}

/** By node: the categories that XGBoost sends to the right. */
function readSets(tree: JsonObject, path: string): ReadonlyMap<number, number[]> {
  const sets = new Map<number, number[]>();
  const nodes = tree.categories_nodes ?? [];
  if (!Array.isArray(nodes) || nodes.length === 0) return sets;
  const categories = listOf(tree, 'categories', path);
  const owners = numbersOf(tree, 'categories_nodes', nodes.length, path);
  const starts = numbersOf(tree, 'categories_segments', nodes.length, path);
  const sizes = numbersOf(tree, 'categories_sizes', nodes.length, path);
  let total = 0;
  for (const [at, owner] of owners.entries()) {
    // Each category is in one set, so that a file can't have the same ones read for every node.
    total += sizes[at]!;
    const from = starts[at]!;
    const to = from + sizes[at]!;
    if (!(from >= 0 && sizes[at]! >= 0 && to <= categories.length && sizes[at]! <= maxCategories)) {
      refuse(`${path}/categories_segments/${at}`, `must be within the ${categories.length} categories`);
    }
    if (total > categories.length) {
      refuse(`${path}/categories_sizes/${at}`, `must sum to at most ${categories.length}, the number of categories`);
    }
    const members = categories
      .slice(from, to)
      .map((category: Json, place) =>
        typeof category === 'number' && Number.isInteger(category) && category >= 0
          ? category
          : refuse(`${path}/categories/${from + place}`, 'must be an integer of at least 0'),
      );
    sets.set(owner, members);
  }
  return sets;
}
