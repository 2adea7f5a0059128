import { isObject } from '../../../json-object.ts';
import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { maxCategories, maxDepth, maxNodes } from '../forest-limits.ts';
import { categoryNames, finiteThreshold, type NameCategory, readObjective } from './lightgbm-parts.ts';
import { checkTreeCount, featureNames, listOf, looseNumber, refuse } from './model-file.ts';

/** The state of a model that LightGBM dumped as JSON. */
export function readLightgbmJson(file: JsonObject): JsonObject {
  const trees = listOf(file, 'tree_info', '');
  checkTreeCount(trees.length, '/tree_info');
  if (file.average_output === true) refuse('/average_output', 'must be false: random forests are not supported');
  if (
    looseNumber(file.num_class ?? 1, '/num_class') !== 1 ||
    looseNumber(file.num_tree_per_iteration ?? 1, '/num_tree_per_iteration') !== 1
  ) {
    refuse('/num_class', 'must be 1: models of several classes are not supported');
  }
  const scale = readObjective(file.objective);
  const features = featureNames(
    Array.isArray(file.feature_names) ? file.feature_names : [],
    looseNumber(file.max_feature_idx, '/max_feature_idx') + 1,
    '/feature_names',
  );
  const nameCategory = categoryNames(file.pandas_categorical, infosOf(file.feature_infos, features));
  const budget = { nodes: 0 };
  return {
    feature_names: features,
    objective: 'binary',
    init_score: 0,
    trees: trees.map((tree: Json, at) => {
      const path = `/tree_info/${at}`;
      if (!isObject(tree)) return refuse(path, 'must be an object');
      return {
        tree_structure: readNode(tree.tree_structure, `${path}/tree_structure`, 0, {
          scale,
          nameCategory,
          budget,
          features,
        }),
      };
    }),
  };
}

/** Texts as in the text format. The dump has objects, with the values of categorical features. */
function infosOf(infos: Json | undefined, features: readonly string[]): Json[] {
  if (Array.isArray(infos)) return [...infos];
  if (!isObject(infos)) return [];
  return features.map((name) => {
    const info = infos[name];
    return isObject(info) && Array.isArray(info.values) && info.values.length > 0 ? info.values.join(':') : 'none';
  });
}

interface Reading {
  readonly scale: number;
  readonly nameCategory: NameCategory;
  readonly budget: { nodes: number };
  readonly features: readonly string[];
}

/** Goes as deep as a tree may be, and no deeper. */
function readNode(node: Json | undefined, path: string, depth: number, reading: Reading): JsonObject {
  const { budget, scale } = reading;
  budget.nodes += 1;
  if (budget.nodes > maxNodes) refuse('/tree_info', `must have at most ${maxNodes} splits and leaves together`);
  if (depth > maxDepth)
    refuse(path.slice(0, path.indexOf('/tree_structure')), `must be at most ${maxDepth} splits deep`);
  if (!isObject(node)) return refuse(path, 'must be a split or a leaf');
  if (node.leaf_value !== undefined) {
    const count = node.leaf_count;
    return {
      leaf_value: looseNumber(node.leaf_value, `${path}/leaf_value`) * scale,
      ...(count === undefined ? {} : { leaf_count: looseNumber(count, `${path}/leaf_count`) }),
    };
  }
  const isSet = node.decision_type === '==';
  if (!isSet && node.decision_type !== '<=') refuse(`${path}/decision_type`, 'must be <= or ==');
  const feature = looseNumber(node.split_feature, `${path}/split_feature`);
  if (!Number.isInteger(feature) || feature < 0 || feature >= reading.features.length) {
    refuse(`${path}/split_feature`, `must be an index from 0 to ${reading.features.length - 1}`);
  }
  return {
    split_feature: feature,
    threshold: isSet
      ? setOf(node.threshold, feature, `${path}/threshold`, reading.nameCategory)
      : thresholdOf(node.threshold, `${path}/threshold`),
    decision_type: isSet ? '==' : '<=',
    default_left: !isSet && node.default_left === true,
    missing_type: isSet ? 'nan' : String(node.missing_type).toLowerCase(),
    ...(node.internal_count === undefined
      ? {}
      : { internal_count: looseNumber(node.internal_count, `${path}/internal_count`) }),
    left_child: readNode(node.left_child, `${path}/left_child`, depth + 1, reading),
    right_child: readNode(node.right_child, `${path}/right_child`, depth + 1, reading),
  };
}

function thresholdOf(threshold: Json | undefined, path: string): number {
  return typeof threshold === 'number' && !Number.isNaN(threshold)
    ? finiteThreshold(threshold)
    : looseNumber(threshold, path);
}

/** `0||2||5`. */
function setOf(
  threshold: Json | undefined,
  feature: number,
  path: string,
  nameCategory: NameCategory,
): (string | number)[] {
  const codes = String(threshold).split('||');
  if (codes.length > maxCategories) refuse(path, `must have at most ${maxCategories} categories`);
  return codes.map((text) => {
    const code = Number(text);
    if (text === '' || !Number.isInteger(code)) refuse(path, 'must be categories with || between them');
    return nameCategory(feature, code);
  });
}
