import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stream } from '../../random/stream.ts';
import { distributionOf, driftOf } from './drift.ts';
import { quantileEdges } from './quantile-edges.ts';
import type { TrainingRow, TrainingRows } from './training-rows.ts';

const rowsOf = (values: readonly (readonly (number | string | null)[])[]): TrainingRows => ({
  features: ['age', 'job'],
  categorical: new Set(),
  rows: values.map((row): TrainingRow => ({ values: row, label: 0, weight: 1 })),
});

function sample(name: string, count: number, shift: number): TrainingRows {
  const next = stream('0'.repeat(32), name);
  return rowsOf(
    Array.from({ length: count }, () => [
      next() < 0.1 ? null : Math.floor(next() * 60) + 20 + shift,
      next() < 0.5 + shift / 60 ? 'cook' : 'nurse',
    ]),
  );
}

test('finds drift in a shifted distribution, but not in the same one', () => {
  const known = distributionOf(sample('training', 4_000, 0));
  for (const { psi, pValue, recentRows } of driftOf(known, sample('recent', 2_000, 0))) {
    assert.ok(psi < 0.02 && pValue > 0.001, `${psi} ${pValue}`);
    assert.equal(recentRows, 2_000);
  }
  for (const { psi, pValue } of driftOf(known, sample('shifted', 2_000, 20))) {
    assert.ok(psi > 0.25 && pValue < 1e-9, `${psi} ${pValue}`);
  }
});

test('psi and chi-square follow from the counts of each bin', () => {
  const training = rowsOf([...Array(30).fill([1, 'a']), ...Array(10).fill([1, 'b'])]);
  const recent = rowsOf([...Array(20).fill([1, 'a']), ...Array(20).fill([1, 'b'])]);
  const [age, job] = driftOf(distributionOf(training), recent);
  assert.deepEqual([age?.psi, age?.pValue, age?.degreesOfFreedom], [0, 1, 0]);
  const [p, q] = [30.5 / 41, 20.5 / 41];
  assert.ok(Math.abs(job!.psi - ((q - p) * Math.log(q / p) + (p - q) * Math.log((1 - q) / (1 - p)))) < 1e-12);
  // Expected 25 and 15 in each sample.
  assert.ok(Math.abs(job!.chiSquare - (2 * (25 / 25) + 2 * (25 / 15))) < 1e-12);
  assert.equal(job!.degreesOfFreedom, 1);
  assert.ok(Math.abs(job!.pValue - 0.0209213) < 1e-6, String(job!.pValue));
});

test('counts new categories and missing values as drift', () => {
  const known = distributionOf(rowsOf(Array(100).fill([5, 'a'])));
  const [age, job] = driftOf(known, rowsOf(Array(100).fill([null, 'new'])));
  assert.ok(age!.psi > 1 && job!.psi > 1);
});

test('quantile edges split numbers evenly, and repeated numbers have one edge', () => {
  const numbers = Array.from({ length: 100 }, (_, at) => (at * 37) % 100);
  assert.deepEqual(quantileEdges(numbers, 10), [9, 19, 29, 39, 49, 59, 69, 79, 89]);
  assert.deepEqual(quantileEdges([1, 1, 1, 1, 1, 1, 1, 1, 2, 3], 10), [1, 2]);
  assert.deepEqual(quantileEdges([7, 7], 10), []);
  assert.deepEqual(quantileEdges([], 10), []);
});

test("ignores values that weren't recorded", () => {
  const known = distributionOf(rowsOf(Array.from({ length: 100 }, (_, at) => [at, 'a'])));
  const recent = { features: ['age', 'job'], rows: [{ values: [undefined, 'a'] }, { values: [undefined, 'a'] }] };
  const [job, ...others] = driftOf(known, recent);
  assert.deepEqual([job?.predictor, job?.recentRows, others], ['job', 2, []]);
});
