import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { metricsOf } from '../src/models/training/metrics.ts';
import { scoreRows, trainingSeed, trainModel } from '../src/models/training/train-model.ts';
import { modelTrainer } from '../src/models/training/trainers.ts';
import type { TrainingRow, TrainingRows } from '../src/models/training/training-rows.ts';
import { chiSquareP } from '../src/statistics/chi-square.ts';

/** Training against scikit-learn and scipy, whose numbers oracles/linear.py wrote. */

interface Oracle {
  readonly bank: { readonly rows: number; readonly positives: number; readonly logisticAuc: number };
  readonly metrics: {
    readonly scores: readonly number[];
    readonly labels: readonly (0 | 1)[];
    readonly auc: number;
    readonly logLoss: number;
    readonly brier: number;
    readonly accuracy: number;
  };
  readonly tails: readonly { readonly statistic: number; readonly freedom: number; readonly p: number }[];
  readonly bayes: {
    readonly rows: readonly (readonly [number, number])[];
    readonly labels: readonly (0 | 1)[];
    readonly scores: readonly { readonly row: readonly [number, number]; readonly score: number }[];
  };
}
const oracle: Oracle = JSON.parse(readFileSync(new URL('./oracles/linear.json', import.meta.url), 'utf8'));

const close = (actual: number | null, expected: number, within: number, what: string): void =>
  assert.ok(
    actual !== null && Math.abs(actual - expected) <= within,
    `${what}: ${actual}, expected ${expected} within ${within}`,
  );

test('metrics match scikit-learn', () => {
  const { scores, labels, auc, logLoss, brier, accuracy } = oracle.metrics;
  const metrics = metricsOf(scores.map((score, at) => ({ score, label: labels[at]! })));
  close(metrics.auc, auc, 1e-12, 'auc');
  close(metrics.logLoss, logLoss, 1e-12, 'log loss');
  close(metrics.brier, brier, 1e-12, 'brier');
  close(metrics.accuracy, accuracy, 1e-12, 'accuracy');
});

test('chi-square probabilities match scipy', () => {
  for (const { statistic, freedom, p } of oracle.tails) {
    close(chiSquareP(statistic, freedom), p, 1e-12 + p * 1e-9, `${statistic} with ${freedom}`);
  }
});

test('bayesian scores match scikit-learn with one added to each count', () => {
  const { rows, labels, scores } = oracle.bayes;
  const text = ([a, b]: readonly [number, number]) => [`a${a}`, `b${b}`];
  const set: TrainingRows = {
    features: ['a', 'b'],
    categorical: new Set(['a', 'b']),
    rows: rows.map((row, at): TrainingRow => ({ values: text(row), label: labels[at]!, weight: 1 })),
  };
  const state = modelTrainer('bayesian')!.train(set, {}, trainingSeed('m', 1), () => undefined);
  const asked = { ...set, rows: scores.map(({ row }): TrainingRow => ({ values: text(row), label: 0, weight: 1 })) };
  const answers = scoreRows({ modelType: 'bayesian', config: {} }, state, asked);
  scores.forEach(({ row, score }, at) => {
    close(answers[at]!.score, score, 1e-12, row.join());
  });
});

const file = new URL('../../../../shared/data/uci-bank/bank-full.csv', import.meta.url);

/** Columns known before the call, in the file's order. */
const columns =
  'age job marital education default balance housing loan contact day month campaign pdays previous poutcome';

function bankRows(): TrainingRow[] {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = head.trim().split(',');
  const places = columns.split(' ').map((name) => names.indexOf(name));
  return lines.map((line): TrainingRow => {
    const cells = line.trim().split(',');
    const values = places.map((place) => (/^-?\d+$/.test(cells[place]!) ? Number(cells[place]) : cells[place]!));
    return { values, label: cells[names.indexOf('y')] === 'yes' ? 1 : 0, weight: 1 };
  });
}

test("logistic regression reaches scikit-learn's AUC on bank-full.csv", (t) => {
  if (!existsSync(file)) return t.skip('bank-full.csv is not here');
  const rows = bankRows();
  assert.equal(rows.length, oracle.bank.rows);
  const train = rows.filter((_, at) => at % 5 !== 4);
  const test = rows.filter((_, at) => at % 5 === 4);
  const set: TrainingRows = { features: columns.split(' '), categorical: new Set(), rows: train };
  const started = process.cpuUsage();
  const state = modelTrainer('logistic_regression')!.train(set, {}, trainingSeed('bank', 1), () => undefined);
  const { user } = process.cpuUsage(started);
  const scored = scoreRows({ modelType: 'logistic_regression', config: {} }, state, { ...set, rows: test });
  const { auc, positives } = metricsOf(scored.map(({ score, label }) => ({ score: score ?? 0.5, label })));
  t.diagnostic(`AUC ${auc}, scikit-learn ${oracle.bank.logisticAuc}, ${Math.round(user / 1000)} ms of training`);
  assert.equal(positives, oracle.bank.positives);
  close(auc, oracle.bank.logisticAuc, 0.01, 'AUC');
});

test('the same rows and seed give the same model, and the latest fifth is held out', () => {
  const rows = Array.from({ length: 200 }, (_, at): TrainingRow => {
    const x = (at * 37) % 100;
    return { values: [x], label: x + ((at * 13) % 40) > 70 ? 1 : 0, weight: 1 };
  });
  const set: TrainingRows = { features: ['x'], categorical: new Set(), rows };
  const task = {
    model: { modelType: 'logistic_regression', config: {} },
    rows: set,
    params: {},
    seed: trainingSeed('k', 3),
  };
  const [first, second] = [trainModel(task, () => undefined), trainModel(task, () => undefined)];
  assert.deepEqual(first, second);
  assert.ok(first.kind === 'trained');
  assert.deepEqual([first.samples, first.metrics.samples], [160, 40]);
  const other = trainModel({ ...task, seed: trainingSeed('k', 4) }, () => undefined);
  assert.notDeepEqual(other, first, 'another version draws another order');
  // Held-out rows don't reach the model.
  const flipped = rows.map((row, at): TrainingRow => (at < 160 ? row : { ...row, label: row.label === 1 ? 0 : 1 }));
  const again = trainModel({ ...task, rows: { ...set, rows: flipped } }, () => undefined);
  assert.ok(again.kind === 'trained');
  assert.deepEqual(again.state, first.state);
  const few = (count: number, type: string) =>
    trainModel(
      { ...task, model: { modelType: type, config: {} }, rows: { ...set, rows: rows.slice(0, count) } },
      () => undefined,
    ).kind;
  assert.deepEqual(
    [few(99, 'logistic_regression'), few(100, 'logistic_regression'), few(100, 'bayesian')],
    ['insufficient_data', 'trained', 'trained'],
  );
  const rare = rows.map((row, at): TrainingRow => ({ ...row, label: at % 20 === 0 && at < 180 ? 1 : 0 }));
  assert.equal(rare.filter(({ label }) => label === 1).length, 9);
  assert.equal(trainModel({ ...task, rows: { ...set, rows: rare } }, () => undefined).kind, 'insufficient_data');
});
