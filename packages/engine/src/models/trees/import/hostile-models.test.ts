import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { importForest } from './import-forest.ts';

/** A sound XGBoost model of one split; `change` breaks its tree, `rest` its learner. */
function xgboost(change: JsonObject = {}, rest: JsonObject = {}): JsonObject {
  const tree = {
    left_children: [1, -1, -1],
    right_children: [2, -1, -1],
    split_indices: [0, 0, 0],
    split_conditions: [0.5, 0.25, -0.25],
    default_left: [1, 0, 0],
    sum_hessian: [10, 4, 6],
    split_type: [0, 0, 0],
    categories: [],
    categories_nodes: [],
    categories_segments: [],
    categories_sizes: [],
    ...change,
  };
  return {
    learner: {
      feature_names: ['x', 'y'],
      learner_model_param: { base_score: '5E-1', num_class: '0', num_feature: '2' },
      objective: { name: 'binary:logistic' },
      gradient_booster: { name: 'gbtree', model: { trees: [tree], tree_info: [0] } },
      ...rest,
    },
  };
}

const treeText: Readonly<Record<string, string>> = {
  num_leaves: '3',
  num_cat: '0',
  split_feature: '0 1',
  threshold: '0.5 1.5',
  decision_type: '2 2',
  left_child: '1 -1',
  right_child: '-2 -3',
  leaf_value: '0.1 0.2 0.3',
  leaf_count: '5 5 5',
  internal_count: '15 10',
};

/** The same in LightGBM's text; null takes a line out. */
function lightgbm(change: Record<string, string | null> = {}, head: Record<string, string | null> = {}): string {
  const lines = (values: Record<string, string | null>): string =>
    Object.entries(values)
      .flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`]))
      .join('\n');
  const usual = {
    num_class: '1',
    num_tree_per_iteration: '1',
    max_feature_idx: '1',
    objective: 'binary sigmoid:1',
    feature_names: 'x y',
  };
  return `tree\nversion=v4\n${lines({ ...usual, ...head })}\n\nTree=0\n${lines({ ...treeText, ...change })}\n\nend of trees\n`;
}

const dump = (tree_structure: Json, more: JsonObject = {}): JsonObject => ({
  objective: 'binary sigmoid:1',
  max_feature_idx: 1,
  feature_names: ['x', 'y'],
  tree_info: [{ tree_structure }],
  ...more,
});
const dumped = { split_feature: 0, threshold: 1, decision_type: '<=', default_left: true, missing_type: 'NaN' };
const ends = { left_child: { leaf_value: 1 }, right_child: { leaf_value: 2 } };

const chain = (depth: number): JsonObject => {
  const size = 2 * depth + 1;
  const numbers = (of: (at: number) => number) => Array.from({ length: size }, (_, at) => of(at));
  return xgboost({
    left_children: numbers((at) => (at % 2 === 0 && at < size - 1 ? at + 1 : -1)),
    right_children: numbers((at) => (at % 2 === 0 && at < size - 1 ? at + 2 : -1)),
    split_indices: numbers(() => 0),
    split_conditions: numbers(() => 0.5),
    default_left: numbers(() => 0),
    sum_hessian: numbers(() => 1),
    split_type: numbers(() => 0),
  });
};

const text = (file: JsonObject): string => JSON.stringify(file);
const tree = '/learner/gradient_booster/model/trees/0';

const hostile: Readonly<Record<string, readonly [file: string | JsonObject, path: string, message: RegExp]>> = {
  'an empty file': ['', '', /must be a model that XGBoost saved as JSON, or LightGBM as text or JSON/],
  'a picture': ['\u0089PNG\r\n\u001a\n\u0000\u0000', '', /must be a model that XGBoost/],
  'JSON that ends early': [text(xgboost()).slice(0, 200), '', /must be JSON/],
  'a string of escapes that never ends': [`{"a": "${'\\"'.repeat(1_000_000)}`, '', /must be JSON/],
  'a string of 20 MB beside a NaN': [`{"a": "${'x'.repeat(20_000_000)}", NaN}`, '', /must be JSON/],
  'a list': ['[1, 2]', '', /must be a model that XGBoost/],
  'JSON of something else': ['{"name": "x"}', '', /must be a model that XGBoost/],
  'a node that is its own parent': [
    xgboost({ left_children: [0, -1, -1] }),
    tree,
    /has a cycle: node 0 is reached twice/,
  ],
  'two nodes that are parents of each other': [
    xgboost({ left_children: [1, 0, -1], right_children: [2, 2, -1] }),
    tree,
    /has a cycle/,
  ],
  'a node with two parents': [xgboost({ right_children: [1, -1, -1] }), tree, /has a cycle: node 1 is reached twice/],
  'a child that does not exist': [xgboost({ left_children: [7, -1, -1] }), tree, /child 7 doesn't exist/],
  'a child that is no number of a node': [xgboost({ left_children: [1.5, -1, -1] }), tree, /child 1.5 doesn't exist/],
  'a NaN threshold': [text(xgboost()).replace('0.5,', 'NaN,'), `${tree}/split_conditions/0`, /must be a finite number/],
  'an infinite threshold': [
    text(xgboost()).replace('0.5,', 'Infinity,'),
    `${tree}/split_conditions/0`,
    /finite number/,
  ],
  'a NaN leaf': [text(xgboost()).replace('-0.25', 'NaN'), `${tree}/split_conditions/2`, /must be a finite number/],
  'a leaf beyond all numbers': [text(xgboost()).replace('-0.25', '1e999'), `${tree}/split_conditions/2`, /finite/],
  'a leaf of 400 digits': [text(xgboost()).replace('-0.25', '9'.repeat(400)), `${tree}/split_conditions/2`, /finite/],
  'a feature beyond the list': [xgboost({ split_indices: [2, 0, 0] }), `${tree}/split_indices/0`, /index from 0 to 1/],
  'a feature below 0': [xgboost({ split_indices: [-1, 0, 0] }), `${tree}/split_indices/0`, /index from 0 to 1/],
  'lists of different lengths': [xgboost({ sum_hessian: [1] }), `${tree}/sum_hessian`, /must have 3 entries, not 1/],
  'no nodes': [xgboost({ left_children: [] }), `${tree}/left_children`, /at least one node/],
  'a chain of 100,000 splits': [chain(100_000), tree, /must be at most 128 splits deep/],
  'more nodes than fit': [chain(260_000), '/learner/gradient_booster/model/trees', /at most 500000 splits and leaves/],
  'categories out of range': [
    xgboost({
      split_type: [1, 0, 0],
      categories: [1],
      categories_nodes: [0],
      categories_segments: [0],
      categories_sizes: [9],
    }),
    `${tree}/categories_segments/0`,
    /must be within the 1 categories/,
  ],
  'one category in several sets': [
    xgboost({
      split_type: [1, 0, 0],
      categories: [1],
      categories_nodes: [0, 0],
      categories_segments: [0, 0],
      categories_sizes: [1, 1],
    }),
    `${tree}/categories_sizes/1`,
    /must sum to at most 1, the number of categories/,
  ],
  'a categorical split without categories': [
    xgboost({ split_type: [1, 0, 0] }),
    `${tree}/categories_nodes`,
    /must name node 0/,
  ],
  'several classes': [
    xgboost({}, { learner_model_param: { base_score: '0.5', num_class: '3', num_feature: '2' } }),
    '/learner/learner_model_param/num_class',
    /several classes/,
  ],
  'a regression': [
    xgboost({}, { objective: { name: 'reg:squarederror' } }),
    '/learner/objective/name',
    /binary objective/,
  ],
  'a base score of 1': [
    xgboost({}, { learner_model_param: { base_score: '1', num_class: '0', num_feature: '2' } }),
    '/learner/learner_model_param/base_score',
    /above 0 and below 1/,
  ],
  'a million features': [
    xgboost({}, { feature_names: [], learner_model_param: { base_score: '0.5', num_feature: '1000000' } }),
    '/learner/feature_names',
    /at most 2000 features/,
  ],
  'a linear booster': [
    xgboost({}, { gradient_booster: { name: 'gblinear', model: {} } }),
    '/learner/gradient_booster/name',
    /gbtree/,
  ],
  'no trees': [
    xgboost({}, { gradient_booster: { name: 'gbtree', model: { trees: [] } } }),
    '/learner/gradient_booster/model/trees',
    /at least one tree/,
  ],
  'too many trees': [
    xgboost({}, { gradient_booster: { name: 'gbtree', model: { trees: Array.from({ length: 5_001 }, () => 0) } } }),
    '/learner/gradient_booster/model/trees',
    /at most 5000 trees, not 5001/,
  ],
  'a text cycle': [lightgbm({ left_child: '1 0' }), '/Tree=0', /has a cycle/],
  'a text leaf that does not exist': [lightgbm({ left_child: '1 -9' }), '/Tree=0', /child 10 doesn't exist/],
  'a text NaN threshold': [lightgbm({ threshold: 'nan 1' }), '/Tree=0/threshold/0', /finite number, not nan/],
  'a text leaf that is infinite': [
    lightgbm({ leaf_value: '1 inf 2' }),
    '/Tree=0/leaf_value/1',
    /finite number, not inf/,
  ],
  'a text feature beyond the list': [
    lightgbm({ split_feature: '0 2' }),
    '/Tree=0/split_feature/1',
    /index from 0 to 1/,
  ],
  'a billion leaves': [lightgbm({ num_leaves: '1000000000' }), '/Tree=0/num_leaves', /1 to 4096/],
  'leaves that the lists lack': [lightgbm({ num_leaves: '4' }), '/Tree=0/leaf_value', /must have 4 numbers, not 3/],
  'a text without objective': [lightgbm({}, { objective: null }), '/objective', /must be binary, not missing/],
  'a ranking': [lightgbm({}, { objective: 'lambdarank' }), '/objective', /must be binary, not lambdarank/],
  'a sigmoid of 0': [lightgbm({}, { objective: 'binary sigmoid:0' }), '/objective', /sigmoid above 0/],
  'linear leaves': [lightgbm({ is_linear: '1' }), '/Tree=0/is_linear', /linear trees/],
  'category bits out of range': [
    lightgbm({ decision_type: '1 2', threshold: '5 1', cat_boundaries: '0 1', cat_threshold: '7' }),
    '/Tree=0/cat_boundaries',
    /must delimit set 5/,
  ],
  'category bounds that fall': [
    lightgbm({ decision_type: '1 2', threshold: '0 1', cat_boundaries: '0 2 0 2', cat_threshold: '7 7' }),
    '/Tree=0/cat_boundaries',
    /must rise/,
  ],
  'names of another length': [lightgbm({}, { feature_names: 'x' }), '/feature_names', /must have 2 names, not 1/],
  'one name twice': [lightgbm({}, { feature_names: 'x x' }), '/feature_names/1', /x is listed more than once/],
  'a dump without children': [dump(dumped), '/tree_info/0/tree_structure/left_child', /must be a split or a leaf/],
  'a dump with an unknown comparison': [
    dump({ ...dumped, ...ends, decision_type: '>' }),
    '/tree_info/0/tree_structure/decision_type',
    /must be <= or ==/,
  ],
  'a dump with an unknown missing type': [
    dump({ ...dumped, ...ends, missing_type: 'Sometimes' }),
    '/trees/0/tree_structure/missing_type',
    /must be one of none, zero, nan/,
  ],
  'a dump with categories that are none': [
    dump({ ...dumped, ...ends, decision_type: '==', threshold: '1||x' }),
    '/tree_info/0/tree_structure/threshold',
    /categories with/,
  ],
  'a dump that is 100,000 splits deep': [
    `{"objective":"binary","max_feature_idx":0,"tree_info":[{"tree_structure":${'{"split_feature":0,"threshold":1,"decision_type":"<=","missing_type":"NaN","left_child":{"leaf_value":1},"right_child":'.repeat(100_000)}{"leaf_value":1}${'}'.repeat(100_000)}}]}`,
    '/tree_info/0',
    /must be at most 128 splits deep/,
  ],
  'a prototype in place of a tree': ['{"__proto__":{"learner":{}},"tree_info":7}', '', /must be a model that XGBoost/],
};

test('names the fault of a hostile or broken model file, without crashing or hanging', () => {
  for (const [name, [file, path, message]] of Object.entries(hostile)) {
    const read = importForest(file, null);
    assert.equal(read.ok, false, name);
    assert.ok(!read.ok && read.problems.length > 0, name);
    assert.equal(read.problems[0]!.path, path, `${name}: ${read.problems[0]!.message}`);
    assert.match(read.problems[0]!.message, message, name);
  }
});

test('reads valid files', () => {
  for (const file of [xgboost(), text(xgboost()), lightgbm(), dump({ ...dumped, ...ends }), chain(128)]) {
    const read = importForest(file, null);
    assert.ok(read.ok, JSON.stringify(read).slice(0, 300));
  }
});

test('leaves words for numbers alone in strings', () => {
  const file = text(xgboost({}, { feature_names: ['NaN', 'say "Infinity"'] }));
  const read = importForest(file.replace('"sum_hessian"', '"unused":[NaN,-Infinity],"sum_hessian"'), null);
  assert.ok(read.ok, JSON.stringify(read).slice(0, 300));
  assert.deepEqual(read.state.feature_names, ['NaN', 'say "Infinity"']);
});

test('requires the given format', () => {
  const asText = importForest(xgboost(), 'lightgbm_text');
  assert.deepEqual(asText.ok ? [] : asText.problems, [
    { path: '', message: 'must be text in the format lightgbm_text' },
  ]);
  assert.equal(importForest(text(xgboost()), 'lightgbm_json').ok, false);
  assert.equal(importForest(lightgbm(), 'lightgbm_text').ok, true);
});

test('takes names of categories from the data frame that LightGBM was trained on', () => {
  const named = lightgbm(
    { decision_type: '1 2', threshold: '0 1', cat_boundaries: '0 1', cat_threshold: '5' },
    { feature_infos: '0:1:2 [0:5]' },
  );
  const read = importForest(`${named}\npandas_categorical:[["red", "green", "blue"]]\n`, null);
  assert.ok(read.ok, JSON.stringify(read));
  const [{ tree_structure }] = read.state.trees as [{ tree_structure: JsonObject }];
  assert.deepEqual([tree_structure.decision_type, tree_structure.threshold], ['==', ['red', 'blue']]);
  assert.equal(importForest(`${named}\npandas_categorical:[["red"], ["a"]]\n`, null).ok, false);
});
