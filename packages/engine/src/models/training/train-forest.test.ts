import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { defaultForest } from '../gradient-boosted.ts';
import { forestProblems } from '../trees/forest-state.ts';
import { scoreRows } from '../trees/score-rows.ts';
import { randomNumbers } from '../trees/test-forests.ts';
import { trainForest } from './train-forest.ts';
import type { TrainingRows } from './training-rows.ts';

const seed = '0123456789abcdef0123456789abcdef';
const quiet = () => {};

/** Rows whose chance of a 1 is given by their values. */
function rowsOf(
  count: number,
  features: readonly string[],
  draw: (next: () => number) => readonly Json[],
  chance: (values: readonly Json[]) => number,
): TrainingRows {
  const next = randomNumbers(1);
  const rows = Array.from({ length: count }, () => {
    const values = draw(next);
    return { values, label: next() < chance(values) ? (1 as const) : (0 as const), weight: 1 };
  });
  return { features, categorical: new Set(), rows };
}

function nodesOf(node: JsonObject): JsonObject[] {
  if (Object.hasOwn(node, 'leaf_value')) return [node];
  return [node, ...nodesOf(node.left_child as JsonObject), ...nodesOf(node.right_child as JsonObject)];
}
const rootsOf = (state: JsonObject): JsonObject[] =>
  (state.trees as readonly JsonObject[]).map(({ tree_structure }) => tree_structure as JsonObject);

const mixed = rowsOf(
  2_000,
  ['age', 'job', 'visits', 'active'],
  (next) => [
    Math.round(18 + next() * 60),
    ['clerk', 'nurse', 'pilot', 'cook'][Math.floor(next() * 4)]!,
    next() < 0.3 ? null : Math.floor(next() * 5),
    next() < 0.5,
  ],
  ([age, job, visits, active]) =>
    Math.min(
      0.95,
      (Number(age) > 45 ? 0.4 : 0.1) +
        (job === 'nurse' || job === 'cook' ? 0.2 : 0) +
        (visits === null ? 0.25 : 0) +
        (active === true ? 0.1 : 0),
    ),
);

test('learns the chances that the rows were drawn with', () => {
  const state = trainForest(mixed, defaultForest, seed, quiet);
  assert.deepEqual(forestProblems(state), []);
  const scores = scoreRows(state, [
    { values: [60, 'nurse', null, true] },
    { values: [20, 'clerk', 2, false] },
    { values: [20, 'clerk', null, false] },
    { values: [20, 'a job nobody had', 2, false] },
  ]);
  const expected = [0.95, 0.1, 0.35, 0.1];
  for (const [at, chance] of expected.entries()) {
    assert.ok(Math.abs(scores[at]! - chance) < 0.12, `${scores[at]} is far from ${chance}`);
  }
});

test('gives the same state for the same rows and seed, and another for another seed', () => {
  const params = { ...defaultForest, trees: 10, subsample: 0.6 };
  const state = trainForest(mixed, params, seed, quiet);
  assert.deepEqual(trainForest(mixed, params, seed, quiet), state);
  assert.notDeepEqual(trainForest(mixed, params, seed.replace('0', '1'), quiet), state);
});

test('keeps depth, leaf sizes and the number of trees within the parameters', () => {
  for (const [maxDepth, minLeaf, subsample] of [
    [1, 20, 1],
    [3, 150, 1],
    [8, 5, 0.5],
  ] as const) {
    const state = trainForest(mixed, { ...defaultForest, trees: 7, maxDepth, minLeaf, subsample }, seed, quiet);
    const roots = rootsOf(state);
    assert.equal(roots.length, 7);
    const depthOf = (node: JsonObject): number =>
      Object.hasOwn(node, 'leaf_value')
        ? 0
        : 1 + Math.max(depthOf(node.left_child as JsonObject), depthOf(node.right_child as JsonObject));
    for (const root of roots) {
      assert.ok(depthOf(root) <= maxDepth && depthOf(root) >= 1);
      for (const node of nodesOf(root)) assert.ok(Number(node.leaf_count ?? node.internal_count) >= minLeaf);
    }
  }
});

test('takes the first leaf from gradients, l2 and the learning rate', () => {
  const rows = rowsOf(
    200,
    ['x'],
    () => [1],
    () => 0.25,
  );
  const positives = rows.rows.filter(({ label }) => label === 1).length;
  const state = trainForest(rows, { ...defaultForest, trees: 1, learningRate: 0.5, l2: 3 }, seed, quiet);
  const chance = (positives + 1) / 202;
  assert.ok(Math.abs(Number(state.init_score) - Math.log(chance / (1 - chance))) < 1e-12);
  const leaf = Number(rootsOf(state)[0]!.leaf_value);
  const expected = (-0.5 * (200 * chance - positives)) / (200 * chance * (1 - chance) + 3);
  assert.ok(Math.abs(leaf - expected) < 1e-12, `${leaf} is not ${expected}`);
});

test('splits between values, and sends a missing one where it fits', () => {
  const rows = rowsOf(
    400,
    ['x'],
    (next) => [next() < 0.25 ? null : next() < 0.5 ? 1 : 4],
    ([x]) => (x === 4 ? 0 : 1),
  );
  const root = rootsOf(trainForest(rows, { ...defaultForest, trees: 1, maxDepth: 1 }, seed, quiet))[0]!;
  assert.deepEqual([root.split_feature, root.threshold, root.decision_type, root.default_left], ['x', 2.5, '<=', true]);
});

test('tells missing values from all others', () => {
  const rows = rowsOf(
    400,
    ['x'],
    (next) => [next() < 0.5 ? null : Math.floor(next() * 3)],
    ([x]) => (x === null ? 1 : 0),
  );
  const state = trainForest(rows, { ...defaultForest, trees: 20 }, seed, quiet);
  const [missing, ...others] = scoreRows(
    state,
    [null, -5, 0, 2, 50].map((x) => ({ values: [x] })),
  );
  assert.ok(missing! > 0.8);
  assert.ok(others.every((score) => score < 0.2));
});

test('counts a row of weight 3 as three rows', () => {
  const [first, ...rest] = mixed.rows;
  const set = (rows: TrainingRows['rows']): TrainingRows => ({ ...mixed, rows });
  const params = { ...defaultForest, trees: 5, minLeaf: 1, maxDepth: 2, bins: 255 };
  const weighted = trainForest(set([{ ...first!, weight: 3 }, ...rest]), params, seed, quiet);
  const repeated = trainForest(set([first!, first!, first!, ...rest]), params, seed, quiet);
  const values = rest.slice(0, 50);
  const scores = scoreRows(repeated, values);
  scoreRows(weighted, values).forEach((score, at) => {
    assert.ok(Math.abs(score - scores[at]!) < 1e-9);
  });
});

test('treats numbers of a categorical predictor as names', () => {
  const rows = rowsOf(
    600,
    ['code'],
    (next) => [Math.floor(next() * 6)],
    ([code]) => (code === 1 || code === 4 ? 0.9 : 0.1),
  );
  const state = trainForest(
    { ...rows, categorical: new Set(['code']) },
    { ...defaultForest, trees: 1, maxDepth: 1 },
    seed,
    quiet,
  );
  const root = rootsOf(state)[0]!;
  assert.equal(root.decision_type, '==');
  assert.deepEqual(
    [...(root.threshold as number[])].sort().join() === '1,4' ||
      [...(root.threshold as number[])].sort().join() === '0,2,3,5',
    true,
  );
});

test('reports progress after each tree, and stops when that throws', () => {
  const shares: number[] = [];
  trainForest(mixed, { ...defaultForest, trees: 4 }, seed, (share) => void shares.push(share));
  assert.deepEqual(shares, [0.25, 0.5, 0.75, 1]);
  assert.throws(
    () =>
      trainForest(mixed, { ...defaultForest, trees: 4 }, seed, () => {
        throw new Error('cancelled');
      }),
    /cancelled/,
  );
});

test('copes with rows that have nothing to learn from', () => {
  const empty = rowsOf(
    100,
    ['x', 'y'],
    () => [null, null],
    () => 0.5,
  );
  const state = trainForest(empty, { ...defaultForest, trees: 3 }, seed, quiet);
  assert.deepEqual(forestProblems(state), []);
  assert.ok(rootsOf(state).every((root) => Object.hasOwn(root, 'leaf_value')));
});
