import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyScope } from '../../formula/scope.ts';
import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { compileBoosted } from '../gradient-boosted.ts';
import { leafOf, newFeatureValues, setFeature } from './feature-values.ts';
import { forestOf } from './forest.ts';
import { forestProblems } from './forest-state.ts';
import { randomForest, randomNumbers } from './test-forests.ts';

const split = (rules: JsonObject): JsonObject => ({
  feature_names: ['x'],
  trees: [
    { tree_structure: { split_feature: 'x', ...rules, left_child: { leaf_value: 1 }, right_child: { leaf_value: 2 } } },
  ],
});

/** Where a value goes at one split. */
function sideOf(rules: JsonObject, value: Json | undefined): 'left' | 'right' {
  const forest = forestOf(split(rules))!;
  const values = newFeatureValues(forest);
  if (value !== undefined) setFeature(forest, values, 0, value);
  return leafOf(forest, 0, values) === 0 ? 'left' : 'right';
}

const sides: readonly [rules: JsonObject, value: Json | undefined, side: 'left' | 'right'][] = [
  [{ threshold: 2 }, 2, 'left'],
  [{ threshold: 2 }, 2.000001, 'right'],
  [{ threshold: 2, decision_type: '<' }, 2, 'right'],
  [{ threshold: 2, decision_type: '<' }, 1.999999, 'left'],
  [{ threshold: 2 }, undefined, 'left'],
  [{ threshold: 2, default_left: false }, undefined, 'right'],
  [{ threshold: 2, default_left: false }, 'two', 'right'],
  [{ threshold: 2, default_left: false }, null, 'right'],
  [{ threshold: 0.5 }, true, 'right'],
  [{ threshold: 0.5, default_left: false }, false, 'left'],
  // A missing value counts as 0.
  [{ threshold: -1, missing_type: 'none' }, undefined, 'right'],
  [{ threshold: 0, missing_type: 'none', default_left: false }, undefined, 'left'],
  // 0 counts as missing, and a missing value does too.
  [{ threshold: 2, missing_type: 'zero', default_left: false }, 0, 'right'],
  [{ threshold: 2, missing_type: 'zero', default_left: false }, undefined, 'right'],
  [{ threshold: 2, missing_type: 'zero', default_left: false }, 1e-36, 'right'],
  [{ threshold: 2, missing_type: 'zero', default_left: false }, 1e-30, 'left'],
  [{ threshold: 2, missing_type: 'nan', default_left: false }, 0, 'left'],
  [{ threshold: 'red', decision_type: '==' }, 'red', 'left'],
  [{ threshold: 'red', decision_type: '==' }, 'blue', 'right'],
  [{ threshold: ['red', 3], decision_type: '==' }, 3, 'left'],
  [{ threshold: ['red', 3], decision_type: '==' }, '3', 'left'],
  [{ threshold: ['red', '3'], decision_type: '==' }, 3, 'left'],
  [{ threshold: ['red', 3], decision_type: '==' }, '', 'right'],
  [{ threshold: 'red', decision_type: '==', default_left: false }, undefined, 'right'],
  [{ threshold: 'red', decision_type: '==' }, undefined, 'left'],
  [{ threshold: [], decision_type: '==', default_left: false }, 'red', 'right'],
];

test('sends values to the side that the split says', () => {
  for (const [rules, value, side] of sides) {
    assert.equal(sideOf(rules, value), side, `${JSON.stringify(rules)} with ${JSON.stringify(value)}`);
  }
});

test('rounds to single precision where the state says so', () => {
  const threshold = Math.fround(0.1);
  const state = (value_precision: string): JsonObject => ({
    ...split({ threshold, decision_type: '<' }),
    value_precision,
  });
  for (const [precision, leaf] of [
    ['float32', 1],
    ['float64', 0],
  ] as const) {
    const forest = forestOf(state(precision))!;
    const values = newFeatureValues(forest);
    setFeature(forest, values, 0, 0.1);
    assert.equal(leafOf(forest, 0, values), leaf);
  }
});

/** The margin by following each tree as JSON. */
function plainMargin(state: JsonObject, read: (feature: string) => Json): number {
  let margin = Number(state.init_score);
  const forest = forestOf({ ...state })!;
  const values = newFeatureValues(forest);
  for (const [at, name] of forest.features.entries()) setFeature(forest, values, at, read(name));
  for (let tree = 0; tree < forest.roots.length; tree++) margin += forest.leafValue[leafOf(forest, tree, values)]!;
  return margin;
}

test('scores offers as following every tree does, whatever the offers change', () => {
  const next = randomNumbers(11);
  const value = (): Json =>
    next() < 0.15 ? null : next() < 0.2 ? `c${Math.floor(next() * 4)}` : Math.round(next() * 10);
  for (let round = 0; round < 60; round++) {
    const ofOffer = Math.floor(next() * 7);
    const names = Array.from({ length: 6 }, (_, at) => (at < ofOffer ? `offer.metadata.f${at}` : `customer.f${at}`));
    // Trees of depth 7 have more leaves than fit a mask.
    const state = randomForest(next, { features: 6, trees: 12, depth: round % 3 === 0 ? 7 : 5, names });
    const program = compileBoosted({ config: {}, predictors: names });
    const scope = emptyScope();
    const offers = Array.from({ length: 10 }, () => ({
      metadata: Object.fromEntries(names.map((_, at) => [`f${at}`, value()])),
    }));
    for (let decision = 0; decision < 5; decision++) {
      const customer = Object.fromEntries(names.map((_, at) => [`f${at}`, value()]));
      scope.customer = customer;
      const scorer = program.begin(state, scope, () => 0);
      for (const offer of offers) {
        scope.offer = offer;
        const margin = plainMargin(state, (name) => {
          const [root, , key] = name.split('.');
          return root === 'offer' ? offer.metadata[key!]! : customer[name.split('.')[1]!]!;
        });
        assert.ok(Math.abs(scorer.raw('') - margin) < 1e-12);
        assert.ok(Math.abs(scorer.score('', () => 0) - 1 / (1 + Math.exp(-margin))) < 1e-12);
      }
    }
  }
});

test('takes a bare name from the offer only when neither attributes nor the customer have it', () => {
  const program = compileBoosted({ config: {}, predictors: [{ name: 'x', source: 'priority', default: 0 }] });
  const state = split({ threshold: 5 });
  const scope = emptyScope();
  const scorer = () => program.begin(state, scope, () => 0);
  assert.equal(scorer().raw(''), 1, 'the default');
  scope.offer = { priority: 9 };
  assert.equal(scorer().raw(''), 2, 'the offer');
  scope.customer = { priority: 1 };
  assert.equal(scorer().raw(''), 1, 'the customer before the offer');
  scope.attributes = { priority: 8 };
  assert.equal(scorer().raw(''), 2, 'attributes before the customer');
});

test('reads only what predictors name', () => {
  const scope = emptyScope();
  scope.attributes = { x: 9 };
  assert.equal(
    compileBoosted({ config: {}, predictors: [] })
      .begin(split({ threshold: 5 }), scope, () => 0)
      .raw(''),
    1,
  );
});

test('has no score without trees', () => {
  const scorer = compileBoosted({ config: {}, predictors: [] }).begin(
    { feature_names: [], trees: [] },
    emptyScope(),
    () => 0,
  );
  assert.ok(Number.isNaN(scorer.score('', () => 0)));
});

const leaf = { leaf_value: 0 };
const sound = split({ threshold: 1 });
const withTree = (tree_structure: Json): JsonObject => ({ ...sound, trees: [{ tree_structure }] });
const withSplit = (rules: JsonObject): JsonObject =>
  withTree({ split_feature: 'x', threshold: 1, left_child: leaf, right_child: leaf, ...rules });

const unsound: readonly [state: Json, path: string, message: RegExp][] = [
  [null, '', /must be an object/],
  [{ ...sound, extra: 1 }, '/extra', /is not a property of the state/],
  [{ ...sound, feature_names: 'x' }, '/feature_names', /must be a list of names/],
  [{ ...sound, feature_names: ['x', 'x'] }, '/feature_names/1', /is listed more than once/],
  [{ ...sound, feature_names: [''] }, '/feature_names/0', /1 to 255 characters/],
  [
    { ...sound, feature_names: Array.from({ length: 2_001 }, (_, at) => `f${at}`) },
    '/feature_names',
    /at most 2000 names/,
  ],
  [{ ...sound, objective: 'regression' }, '/objective', /must be binary/],
  [{ ...sound, init_score: Number.NaN }, '/init_score', /must be a finite number/],
  [{ ...sound, value_precision: 'float16' }, '/value_precision', /must be one of float32, float64/],
  [{ ...sound, trees: {} }, '/trees', /must be a list/],
  [
    { ...sound, trees: Array.from({ length: 5_001 }, () => ({ tree_structure: leaf })) },
    '/trees',
    /at most 5000 trees/,
  ],
  [{ ...sound, trees: [7] }, '/trees/0', /must be an object/],
  [withTree(7), '/trees/0/tree_structure', /must be a split or a leaf/],
  [withTree({}), '/trees/0/tree_structure', /must have split_feature or leaf_value/],
  [withTree({ leaf_value: Number.POSITIVE_INFINITY }), '/trees/0/tree_structure/leaf_value', /must be a finite number/],
  [withTree({ leaf_value: '1' }), '/trees/0/tree_structure/leaf_value', /must be a finite number/],
  [withTree({ leaf_value: 1, leaf_count: -1 }), '/trees/0/tree_structure/leaf_count', /at least 0/],
  [withTree({ leaf_value: 1, weight: 1 }), '/trees/0/tree_structure/weight', /is not a property of a leaf/],
  [withSplit({ threshold: Number.NaN }), '/trees/0/tree_structure/threshold', /must be a finite number/],
  [withSplit({ threshold: null }), '/trees/0/tree_structure/threshold', /must be a finite number/],
  [withSplit({ split_feature: 1 }), '/trees/0/tree_structure/split_feature', /an index from 0 to 0/],
  [withSplit({ split_feature: -1 }), '/trees/0/tree_structure/split_feature', /an index from 0 to 0/],
  [withSplit({ split_feature: 'y' }), '/trees/0/tree_structure/split_feature', /y must be one of feature_names/],
  [withSplit({ decision_type: '>' }), '/trees/0/tree_structure/decision_type', /must be one of <=, <, ==/],
  [withSplit({ missing_type: 'all' }), '/trees/0/tree_structure/missing_type', /must be one of none, zero, nan/],
  [withSplit({ default_left: 1 }), '/trees/0/tree_structure/default_left', /must be true or false/],
  [withSplit({ decision_type: '==', threshold: [{}] }), '/trees/0/tree_structure/threshold', /must be a category/],
  [withSplit({ left_child: null }), '/trees/0/tree_structure/left_child', /must be a split or a leaf/],
  [withSplit({ gain: 1 }), '/trees/0/tree_structure/gain', /is not a property of a split/],
];

test('names the error in a state, with its path', () => {
  assert.deepEqual(forestProblems(sound), []);
  for (const [state, path, message] of unsound) {
    const [problem] = forestProblems(state);
    assert.equal(problem?.path, path, `${JSON.stringify(state).slice(0, 100)}: ${problem?.message}`);
    assert.match(problem.message, message);
    assert.equal(forestOf(state as JsonObject | null), null);
  }
});

test('rejects trees that are too deep or too large, without exhausting the stack', () => {
  let deep: JsonObject = leaf;
  for (let at = 0; at < 200_000; at++) deep = { split_feature: 0, threshold: 1, left_child: leaf, right_child: deep };
  assert.match(forestProblems(withTree(deep))[0]!.message, /must be at most 128 splits deep/);
  const full = (depth: number): JsonObject =>
    depth === 0 ? leaf : { split_feature: 0, threshold: 1, left_child: full(depth - 1), right_child: full(depth - 1) };
  assert.deepEqual(forestProblems(withTree(full(12))), []);
  assert.match(forestProblems(withTree(full(13)))[0]!.message, /must have at most 4096 leaves/);
  const many = { ...sound, trees: Array.from({ length: 100 }, () => ({ tree_structure: full(12) })) };
  assert.match(forestProblems(many)[0]!.message, /must have at most 500000 splits and leaves/);
});
