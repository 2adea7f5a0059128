import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betaSampler } from '../../random/beta.ts';
import { stream } from '../../random/stream.ts';
import { betaCdf, betaOf } from '../../statistics/beta.ts';
import { winChances } from './win-chances.ts';

interface Arm {
  readonly a: number;
  readonly b: number;
  readonly score?: number;
  readonly propensity?: number;
  readonly exponent?: number;
}

function chancesOf(arms: readonly Arm[]): readonly number[] {
  const chances = new Float64Array(arms.length);
  const column = (read: (arm: Arm) => number): Float64Array => Float64Array.from(arms, read);
  const columns = {
    a: column(({ a }) => a),
    b: column(({ b }) => b),
    score: column(({ score = 1 }) => score),
    propensity: column(({ propensity = 1 }) => propensity),
    exponent: column(({ exponent = 1 }) => exponent),
  };
  winChances(columns, arms.length, chances);
  return [...chances];
}

/** Chance of at most x for whole shapes: of n = a + b - 1 independent draws, at least a are below x. */
function wholeCdf(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const n = a + b - 1;
  let term = (1 - x) ** n;
  let fewer = 0;
  for (let k = 0; k < a; k++) {
    fewer += term;
    term *= ((n - k) / (k + 1)) * (x / (1 - x));
  }
  return 1 - fewer;
}

/** The chances by brute force: the winner's value in even steps. */
function bruteForce(arms: readonly Arm[], steps: number): readonly number[] {
  const largest = Math.max(
    ...arms.map(({ score = 1, propensity = 1, exponent = 1 }) => score * propensity ** -exponent),
  );
  const below = arms.map(() => 0);
  const sums = arms.map(() => 0);
  for (let step = 1; step <= steps; step++) {
    const value = (largest * step) / steps;
    const now = arms.map(({ a, b, score = 1, propensity = 1, exponent = 1 }) =>
      wholeCdf(a, b, propensity * (value / score) ** (1 / exponent)),
    );
    for (let arm = 0; arm < arms.length; arm++) {
      // The others by the middle of the step, as far as the trapezoid knows it.
      let others = 1;
      for (let other = 0; other < arms.length; other++) if (other !== arm) others *= (now[other]! + below[other]!) / 2;
      sums[arm] = sums[arm]! + (now[arm]! - below[arm]!) * others;
    }
    for (let arm = 0; arm < arms.length; arm++) below[arm] = now[arm]!;
  }
  return sums;
}

test('the Beta distribution matches exact counts for integer parameters', () => {
  for (const [a, b] of [
    [1, 1],
    [3, 7],
    [20, 2],
    [1, 40],
  ] as const) {
    for (const x of [0.001, 0.1, 0.5, 0.9, 0.999]) {
      assert.ok(Math.abs(betaCdf(betaOf(a, b), x) - wholeCdf(a, b, x)) < 1e-12, `${a} ${b} ${x}`);
    }
  }
  // Far out, and where both shapes are large: half of a symmetric distribution is below its middle.
  assert.ok(Math.abs(betaCdf(betaOf(2_000_000, 2_000_000), 0.5) - 0.5) < 1e-8);
  assert.ok(betaCdf(betaOf(1_000_000, 10), 0.9) < 1e-300);
});

const cases: Readonly<Record<string, readonly Arm[]>> = {
  'two alike': [
    { a: 1, b: 1 },
    { a: 1, b: 1 },
  ],
  'much and little evidence': [
    { a: 21, b: 81 },
    { a: 1, b: 1 },
    { a: 5, b: 26 },
    { a: 2, b: 4 },
  ],
  'scores and exponents of their own': [
    { a: 10, b: 12, score: 0.4, propensity: 0.45, exponent: 0.5 },
    { a: 3, b: 4, score: 0.5, propensity: 0.4, exponent: 1 },
    { a: 5, b: 61, score: 0.2, propensity: 0.07, exponent: 2 },
    { a: 1, b: 1, score: 0.3, propensity: 0.5, exponent: 1.5 },
  ],
  'twenty of them': Array.from({ length: 20 }, (_, at) => ({ a: 1 + at, b: 60 + 3 * at })),
};

for (const [name, arms] of Object.entries(cases)) {
  test(`${name}: within a millionth of brute force`, () => {
    const chances = chancesOf(arms);
    const expected = bruteForce(arms, name.startsWith('twenty') ? 60_000 : 300_000);
    for (const [at, chance] of chances.entries()) {
      assert.ok(Math.abs(chance - expected[at]!) < 1e-6, `arm ${at}: ${chance}, by brute force ${expected[at]}`);
    }
    const sum = chances.reduce((so, chance) => so + chance, 0);
    assert.ok(Math.abs(sum - 1) < 1e-12, `${sum}`);
  });
}

test('closed forms: of two uniform ones, the one worth twice as much wins three of four', () => {
  const [small, large] = chancesOf([
    { a: 1, b: 1 },
    { a: 1, b: 1, score: 2 },
  ]);
  assert.ok(Math.abs(large! - 0.75) < 1e-9 && Math.abs(small! - 0.25) < 1e-9, `${small} ${large}`);
});

test('a fixed value wins if every draw is lower; ties go to the first', () => {
  const fixed = { a: 1, b: 1, score: 0.5, exponent: 0 };
  const [drawn, first, second] = chancesOf([{ a: 1, b: 1 }, fixed, fixed]);
  assert.ok(Math.abs(drawn! - 0.5) < 1e-9 && Math.abs(first! - 0.5) < 1e-9, `${drawn} ${first}`);
  assert.equal(second, 0);
  assert.deepEqual(
    chancesOf([
      { a: 2, b: 9, score: 0 },
      { a: 1, b: 1, score: 0 },
    ]),
    [1, 0],
  );
  assert.deepEqual(
    chancesOf([
      { a: 1, b: 1, score: 0.3 },
      { ...fixed, score: 2 },
    ]),
    [0, 1],
  );
});

test('a million outcomes: draws confirm the chances', () => {
  const arms = [
    { a: 100_000, b: 900_000 },
    { a: 1_005, b: 9_000 },
    { a: 12, b: 100 },
    { a: 1, b: 30 },
  ];
  const chances = chancesOf(arms);
  const next = stream('5eed', 'draws');
  const sample = betaSampler(next);
  const draws = 300_000;
  const wins = arms.map(() => 0);
  for (let draw = 0; draw < draws; draw++) {
    const values = arms.map(({ a, b }) => sample(a, b));
    wins[values.indexOf(Math.max(...values))]! += 1;
  }
  for (const [at, chance] of chances.entries()) {
    const spread = 5 * Math.sqrt((chance * (1 - chance)) / draws) + 1 / draws;
    assert.ok(Math.abs(wins[at]! / draws - chance) < spread, `arm ${at}: ${chance}, drawn ${wins[at]! / draws}`);
  }
});
