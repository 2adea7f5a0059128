import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../plan/snapshot.ts';
import { goesLeft, newFeatureValues, setFeature } from './feature-values.ts';
import { type Forest, forestOf } from './forest.ts';
import { forestShap } from './shap.ts';
import { randomForest, randomNumbers } from './test-forests.ts';

const example = (covers: boolean): JsonObject => {
  const count = (name: string, value: number) => (covers ? { [name]: value } : {});
  const leaf = (leaf_value: number, cover: number) => ({ leaf_value, ...count('leaf_count', cover) });
  return {
    feature_names: ['f0', 'f1'],
    objective: 'binary',
    init_score: -1,
    trees: [
      {
        tree_structure: {
          split_feature: 'f0',
          threshold: 40,
          ...count('internal_count', 100),
          left_child: {
            split_feature: 1,
            threshold: 2,
            ...count('internal_count', 60),
            left_child: leaf(-0.4, 45),
            right_child: leaf(0.2, 15),
          },
          right_child: {
            split_feature: 1,
            threshold: 5,
            ...count('internal_count', 40),
            left_child: leaf(0.1, 10),
            right_child: leaf(0.9, 30),
          },
        },
      },
    ],
  };
};

function shapOf(forest: Forest, values: readonly (number | string | null)[]) {
  const features = newFeatureValues(forest);
  for (const [at, value] of values.entries()) setFeature(forest, features, at, value);
  return { features, ...forestShap(forest, features) };
}

const near = (actual: number, expected: number, tolerance = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

test('matches the worked example X10, with covers and without', () => {
  const counted = shapOf(forestOf(example(true))!, [35, 3]);
  near(counted.baseline, -0.87);
  near(counted.values[0]!, -0.17);
  near(counted.values[1]!, 0.24);
  near(counted.rawMargin, -0.8);
  const bare = forestOf(example(false))!;
  assert.equal(bare.coverSource, 'leaf_count');
  const uncounted = shapOf(bare, [35, 3]);
  near(uncounted.baseline, -0.8);
  near(uncounted.values[0]!, -0.125);
  near(uncounted.values[1]!, 0.125);
});

/** The expected margin when only the features of a set are known, by its definition. */
function expectation(forest: Forest, features: ReturnType<typeof newFeatureValues>, known: number): number {
  let sum = forest.initScore;
  const cover = (node: number) => (node < 0 ? forest.leafCover[~node]! : forest.splitCover[node]!);
  const follow = (node: number): number => {
    if (node < 0) return forest.leafValue[~node]!;
    const left = forest.left[node]!;
    const right = forest.right[node]!;
    if ((known >>> forest.feature[node]!) & 1) return follow(goesLeft(forest, node, features) ? left : right);
    const both = cover(left) + cover(right);
    return (cover(left) / both) * follow(left) + (cover(right) / both) * follow(right);
  };
  for (const root of forest.roots) sum += follow(root);
  return sum;
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

test('equals Shapley values by enumeration on 300 random small trees', () => {
  const next = randomNumbers(7);
  for (let round = 0; round < 300; round++) {
    const count = 1 + Math.floor(next() * 6);
    const state = randomForest(next, {
      features: count,
      trees: 1 + Math.floor(next() * 3),
      depth: 1 + Math.floor(next() * 5),
    });
    const forest = forestOf(state)!;
    const result = shapOf(
      forest,
      Array.from({ length: count }, () =>
        next() < 0.2 ? null : next() < 0.3 ? `c${Math.floor(next() * 4)}` : Math.round(next() * 10),
      ),
    );
    for (let feature = 0; feature < count; feature++) {
      let value = 0;
      for (let known = 0; known < 1 << count; known++) {
        if ((known >>> feature) & 1) continue;
        const size = [...known.toString(2)].filter((bit) => bit === '1').length;
        const weight = (factorial(size) * factorial(count - size - 1)) / factorial(count);
        value +=
          weight *
          (expectation(forest, result.features, known | (1 << feature)) - expectation(forest, result.features, known));
      }
      near(result.values[feature]!, value, 1e-11);
    }
    near(result.baseline, expectation(forest, result.features, 0), 1e-12);
    assert.ok(result.additivityResidual <= 1e-9, `${result.additivityResidual}`);
  }
});

test('adds up on the deepest trees, where every split reads another feature', () => {
  const next = randomNumbers(3);
  const depth = 128;
  let node: JsonObject = { leaf_value: 1, leaf_count: 1 };
  for (let at = depth - 1; at >= 0; at--) {
    const leaf = { leaf_value: next() * 2 - 1, leaf_count: 1 + Math.floor(next() * 50) };
    const isLeft = next() < 0.5;
    node = { split_feature: at, threshold: 0.5, left_child: isLeft ? leaf : node, right_child: isLeft ? node : leaf };
  }
  const state = {
    feature_names: Array.from({ length: depth }, (_, at) => `f${at}`),
    trees: [{ tree_structure: node }],
  };
  const forest = forestOf(state)!;
  for (let round = 0; round < 20; round++) {
    const { additivityResidual } = shapOf(
      forest,
      Array.from({ length: depth }, () => Math.round(next())),
    );
    assert.ok(additivityResidual <= 1e-9, `${additivityResidual}`);
  }
});
