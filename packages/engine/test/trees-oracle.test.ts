import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inTurn } from '../../../test/form.ts';
import type { Json, JsonObject } from '../src/index.ts';
import { defaultForest } from '../src/models/gradient-boosted.ts';
import { trainForest } from '../src/models/training/train-forest.ts';
import type { TrainingRow } from '../src/models/training/training-rows.ts';
import { newFeatureValues, setFeature } from '../src/models/trees/feature-values.ts';
import { forestOf } from '../src/models/trees/forest.ts';
import { importForest } from '../src/models/trees/import/import-forest.ts';
import { scoreRows } from '../src/models/trees/score-rows.ts';
import { forestShap } from '../src/models/trees/shap.ts';

// XGBoost's and LightGBM's own answers, made by oracles/trees/make.py.
const folder = new URL('oracles/trees/', import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface Expected {
  readonly scores: readonly number[];
  /** By row: one per feature, then the baseline; LightGBM's for the first 200 rows. */
  readonly contributions: readonly (readonly number[])[];
}

function stateOf(name: string): JsonObject {
  const read = importForest(textOf(name), null);
  assert.ok(read.ok, JSON.stringify(read));
  return read.state;
}

const worst = (differences: readonly number[]): number => Math.max(...differences.map(Math.abs));

/** `scale`: the sigmoid's factor, which scores have and contributions have not. */
function compare(state: JsonObject, rows: readonly (readonly Json[])[], expected: Expected, scale = 1): void {
  const scores = scoreRows(
    state,
    rows.map((values) => ({ values })),
  );
  const off = worst(expected.scores.map((score, at) => score - scores[at]!));
  assert.ok(off <= 1e-6, `a score is off by ${off}`);
  const forest = forestOf(state)!;
  assert.equal(forest.coverSource, 'data');
  const features = newFeatureValues(forest);
  const differences = expected.contributions.flatMap((row, at) => {
    for (const [feature, value] of rows[at]!.entries()) setFeature(forest, features, feature, value);
    const { values, baseline, additivityResidual } = forestShap(forest, features);
    assert.ok(additivityResidual <= 1e-9, `${additivityResidual}`);
    return [...values, baseline].map((value, place) => value - row[place]! * scale);
  });
  assert.ok(differences.length >= 1_400);
  assert.ok(worst(differences) <= 1e-6, `a contribution is off by ${worst(differences)}`);
}

test('scores and explains 1,000 rows with missing values and categories as XGBoost does', () => {
  const { rows, ...expected } = JSON.parse(textOf('xgboost.cases.json'));
  compare(stateOf('xgboost.model.json'), rows, expected);
});

test('scores and explains 1,000 rows as LightGBM does, with every missing type, from text and JSON', () => {
  const cases = JSON.parse(textOf('lightgbm.cases.json'));
  for (const [file, name, scale] of [
    ['lightgbm.nan.model.txt', 'nan', 1],
    ['lightgbm.nan.model.json', 'nan', 1],
    ['lightgbm.zero.model.txt', 'zero', 1.7],
    ['lightgbm.none.model.txt', 'none', 1],
  ] as const) {
    compare(stateOf(file), cases.rows, cases[name], scale);
  }
});

const bank = new URL('../../../../shared/data/uci-bank/bank-full.csv', import.meta.url);

/** Area under the ROC curve. */
function aucOf(scores: Float64Array, rows: readonly TrainingRow[]): number {
  const order = [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
  let ranks = 0;
  let positives = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && scores[order[to]!] === scores[order[from]!]) to += 1;
    const ones = order.slice(from, to).filter((row) => rows[row]!.label === 1).length;
    ranks += (ones * (from + 1 + to)) / 2;
    positives += ones;
    from = to;
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (rows.length - positives));
}

test(
  'trains as well as XGBoost on the bank data',
  existsSync(bank) ? inTurn('XGBoost', 3) : { skip: 'bank-full.csv is not here' },
  () => {
    const [head, ...lines] = readFileSync(bank, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const names = head!.filter((name) => !['customer_id', 'duration', 'y'].includes(name));
    const places = names.map((name) => head!.indexOf(name));
    const label = head!.indexOf('y');
    const rows = lines.map((line): TrainingRow => {
      const values = places.map((place) => (Number.isFinite(Number(line[place])) ? Number(line[place]) : line[place]!));
      return { values, label: line[label] === 'yes' ? 1 : 0, weight: 1 };
    });
    const held = rows.filter((_, at) => at % 5 === 0);
    const expected = JSON.parse(textOf('bank-auc.json'));
    const seed = '0'.repeat(32);
    const set = { features: names, categorical: new Set<string>() };
    for (const maxDepth of [4, 6]) {
      const rest = rows.filter((_, at) => at % 5 !== 0);
      const state = trainForest({ ...set, rows: rest }, { ...defaultForest, maxDepth }, seed, () => {});
      const auc = aucOf(scoreRows(state, held), held);
      assert.ok(Math.abs(auc - expected[`depth${maxDepth}`]) <= 0.01, `${auc} against ${expected[`depth${maxDepth}`]}`);
    }
  },
);
