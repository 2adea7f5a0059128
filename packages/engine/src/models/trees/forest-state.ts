import { type ConfigProblem, pointerStep } from '../../compile/config-problems.ts';
import { isObject } from '../../json-object.ts';
import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { mustBeOneOf, shortenWord } from '../../words/word-texts.ts';
import {
  maxCategories,
  maxDepth,
  maxFeatures,
  maxLeaves,
  maxNameCharacters,
  maxNodes,
  maxTrees,
} from './forest-limits.ts';

const stateKeys = ['feature_names', 'objective', 'init_score', 'value_precision', 'trees'];
/** LightGBM writes more about a tree than is needed to score; a dump may be pasted as it is. */
const treeKeys = ['tree_structure', 'tree_index', 'num_leaves', 'num_cat', 'shrinkage'];
const nodeKeys = [
  'split_feature',
  'threshold',
  'decision_type',
  'default_left',
  'missing_type',
  'left_child',
  'right_child',
  'internal_count',
  'sum_hessian',
  'split_index',
  'split_gain',
  'internal_value',
  'internal_weight',
];
const leafKeys = ['leaf_value', 'leaf_count', 'sum_hessian', 'leaf_index', 'leaf_weight'];
const decisionTypes = ['<=', '<', '=='] as const;
const missingTypes = ['none', 'zero', 'nan'] as const;

/** After this many problems the state is beyond repair, and more of them help nobody. */
const maxProblems = 20;

type Refuse = (path: string, message: string) => void;

/** Returns the problems of a state of boosted trees, with JSON Pointers. Never recurses, however deep a tree is. */
export function forestProblems(state: Json): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse: Refuse = (path, message) => void (problems.length < maxProblems && problems.push({ path, message }));
  if (!isObject(state)) return [{ path: '', message: 'must be an object' }];
  checkKeys(state, stateKeys, '', 'the state', refuse);
  const features = readFeatures(state.feature_names, refuse);
  if ((state.objective ?? 'binary') !== 'binary') refuse('/objective', 'must be binary');
  if (!isFiniteNumber(state.init_score ?? 0)) refuse('/init_score', 'must be a finite number');
  const precision = state.value_precision ?? 'float64';
  if (precision !== 'float32' && precision !== 'float64') {
    refuse('/value_precision', mustBeOneOf(precision, ['float32', 'float64']));
  }
  const { trees } = state;
  if (!Array.isArray(trees)) refuse('/trees', 'must be a list');
  else if (trees.length > maxTrees) refuse('/trees', `must have at most ${maxTrees} trees`);
  else if (problems.length === 0) checkTrees(trees, features, () => problems.length >= maxProblems, refuse);
  return problems;
}

function readFeatures(names: Json | undefined, refuse: Refuse): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  if (!Array.isArray(names)) {
    refuse('/feature_names', 'must be a list of names');
    return features;
  }
  if (names.length > maxFeatures) refuse('/feature_names', `must have at most ${maxFeatures} names`);
  names.slice(0, maxFeatures).forEach((name: Json, at) => {
    const path = `/feature_names/${at}`;
    if (typeof name !== 'string' || name === '' || name.length > maxNameCharacters) {
      refuse(path, `must be a string of 1 to ${maxNameCharacters} characters`);
    } else if (features.has(name)) refuse(path, 'is listed more than once');
    else features.set(name, at);
  });
  return features;
}

/** A node that is still to be checked. */
interface Pending {
  readonly node: Json | undefined;
  readonly path: string;
  readonly depth: number;
}

function checkTrees(
  trees: readonly Json[],
  features: ReadonlyMap<string, number>,
  isFull: () => boolean,
  refuse: Refuse,
): void {
  let nodes = 0;
  for (const [at, tree] of trees.entries()) {
    const path = `/trees/${at}`;
    if (!isObject(tree)) {
      refuse(path, 'must be an object');
      continue;
    }
    checkKeys(tree, treeKeys, path, 'a tree', refuse);
    const pending: Pending[] = [{ node: tree.tree_structure, path: `${path}/tree_structure`, depth: 0 }];
    let leaves = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      nodes += 1;
      if (!checkNode(next, features, pending, refuse)) leaves += 1;
      if (nodes > maxNodes) refuse('/trees', `must have at most ${maxNodes} splits and leaves together`);
      else if (next.depth > maxDepth) refuse(path, `must be at most ${maxDepth} splits deep`);
      else if (leaves > maxLeaves) refuse(path, `must have at most ${maxLeaves} leaves`);
      else if (!isFull()) continue;
      return;
    }
  }
}

/** Returns whether the node is a split. */
function checkNode(
  { node, path, depth }: Pending,
  features: ReadonlyMap<string, number>,
  pending: Pending[],
  refuse: Refuse,
): boolean {
  if (!isObject(node)) {
    refuse(path, 'must be a split or a leaf');
    return false;
  }
  if (Object.hasOwn(node, 'leaf_value')) {
    checkKeys(node, leafKeys, path, 'a leaf', refuse);
    if (!isFiniteNumber(node.leaf_value)) refuse(`${path}/leaf_value`, 'must be a finite number');
    checkCovers(node, ['leaf_count', 'sum_hessian'], path, refuse);
    return false;
  }
  if (!Object.hasOwn(node, 'split_feature')) {
    refuse(path, 'must have split_feature or leaf_value');
    return false;
  }
  checkKeys(node, nodeKeys, path, 'a split', refuse);
  const feature = node.split_feature;
  if (typeof feature === 'string') {
    if (!features.has(feature)) refuse(`${path}/split_feature`, `${shortenWord(feature)} must be one of feature_names`);
  } else if (!isIndex(feature, features.size)) {
    refuse(`${path}/split_feature`, `must be a name, or an index from 0 to ${features.size - 1}`);
  }
  checkDecision(node, path, refuse);
  checkCovers(node, ['internal_count', 'sum_hessian'], path, refuse);
  for (const side of ['right_child', 'left_child'] as const) {
    pending.push({ node: node[side], path: `${path}/${side}`, depth: depth + 1 });
  }
  return true;
}

function checkDecision(node: JsonObject, path: string, refuse: Refuse): void {
  const type = node.decision_type ?? '<=';
  if (!decisionTypes.some((known) => known === type)) refuse(`${path}/decision_type`, mustBeOneOf(type, decisionTypes));
  const missing = node.missing_type ?? 'nan';
  if (!missingTypes.some((known) => known === missing)) {
    refuse(`${path}/missing_type`, mustBeOneOf(missing, missingTypes));
  }
  if (typeof (node.default_left ?? true) !== 'boolean') refuse(`${path}/default_left`, 'must be true or false');
  const { threshold } = node;
  if (type !== '==') {
    if (!isFiniteNumber(threshold)) refuse(`${path}/threshold`, 'must be a finite number');
    return;
  }
  const categories = Array.isArray(threshold) ? threshold : [threshold];
  if (categories.length > maxCategories) {
    refuse(`${path}/threshold`, `must have at most ${maxCategories} categories`);
  } else if (!categories.every((category) => typeof category === 'string' || isFiniteNumber(category))) {
    refuse(`${path}/threshold`, 'must be a category (a string or a finite number) or a list of categories');
  }
}

function checkCovers(node: JsonObject, names: readonly string[], path: string, refuse: Refuse): void {
  for (const name of names) {
    const cover = node[name] ?? null;
    if (cover !== null && !(isFiniteNumber(cover) && cover >= 0))
      refuse(`${path}/${name}`, 'must be a number of at least 0');
  }
}

function checkKeys(value: JsonObject, known: readonly string[], path: string, owner: string, refuse: Refuse): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) refuse(`${path}/${pointerStep(key)}`, `is not a property of ${owner}`);
  }
}

const isFiniteNumber = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);

const isIndex = (value: Json | undefined, size: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < size;
