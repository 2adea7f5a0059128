import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chiSquareP, compareProportions, erf, erfc, round6, sampleRatio, twoSidedP, wilson } from '../src/index.ts';

interface Oracle {
  readonly erf: readonly (readonly [number, number])[];
  readonly erfc: readonly (readonly [number, number])[];
  readonly twoSidedP: readonly (readonly [number, number])[];
  readonly wilson: readonly (readonly [hits: number, total: number, lower: number, upper: number])[];
  readonly pooled: readonly (readonly [number, number, number, number, z: number, p: number])[];
  readonly chiSquare: readonly (readonly [x: number, degrees: number, p: number])[];
  readonly sampleRatio: readonly {
    readonly counts: readonly number[];
    readonly shares: readonly number[];
    readonly expected: readonly [chiSquare: number, p: number];
  }[];
}

/** Scipy's numbers, written by oracles/statistics.py. */
const oracle: Oracle = JSON.parse(readFileSync(new URL('oracles/statistics.json', import.meta.url), 'utf8'));

function assertNear(actual: number | null | undefined, expected: number, what: string, relative = 1e-12): void {
  assert.ok(
    typeof actual === 'number' && Math.abs(actual - expected) <= relative * Math.max(1e-300, Math.abs(expected)),
    `${what}: ${actual}, not ${expected}`,
  );
}

const rounded = (values: object | null) => Object.values(values ?? {}).map((value) => round6(value));

test('erf, erfc and p agree with scipy to 1e-12, far out too', () => {
  assert.ok(oracle.erf.length > 200);
  for (const [x, expected] of oracle.erf) assertNear(erf(x), expected, `erf(${x})`);
  for (const [x, expected] of oracle.erfc) assertNear(erfc(x), expected, `erfc(${x})`);
  for (const [z, expected] of oracle.twoSidedP) assertNear(twoSidedP(z), expected, `p(${z})`);
  assert.deepEqual([erf(-0.5), erfc(-3)], [-erf(0.5), 2 - erfc(3)]);
});

test("Wilson's intervals agree with scipy to 1e-12", () => {
  for (const [hits, total, lower, upper] of oracle.wilson) {
    const interval = wilson({ hits, total });
    if (hits > 0) assertNear(interval?.lower, lower, `${hits}/${total}`, 1e-11);
    assert.ok(Math.abs(interval!.lower - lower) <= 1e-12 && Math.abs(interval!.upper - upper) <= 1e-12);
  }
  assert.equal(wilson({ hits: 0, total: 0 }), null);
});

test('z and p of two proportions agree with scipy to 1e-12', () => {
  for (const [a, n, b, m, z, p] of oracle.pooled) {
    const compared = compareProportions({ hits: a, total: n }, { hits: b, total: m });
    assert.ok(Math.abs(compared!.zScore! - z) <= 1e-12 * Math.max(1, Math.abs(z)), `z of ${a}/${n}, ${b}/${m}`);
    assert.ok(Math.abs(compared!.pValue! - p) <= 1e-12, `p of ${a}/${n}, ${b}/${m}: ${compared!.pValue}, not ${p}`);
  }
});

test('chi-square agrees with scipy to 1e-12', () => {
  for (const [x, degrees, p] of oracle.chiSquare) assertNear(chiSquareP(x, degrees), p, `${x}, ${degrees}`, 1e-11);
  for (const { counts, shares, expected } of oracle.sampleRatio) {
    const ratio = sampleRatio(counts, shares);
    assertNear(ratio?.chiSquare, expected[0], String(counts), 1e-10);
    assert.ok(Math.abs(ratio!.pValue - expected[1]) <= 1e-12, String(counts));
    assert.equal(ratio?.mismatch, expected[1] < 0.001);
  }
});

test('matches the worked example X8 exactly', () => {
  assert.deepEqual(rounded(wilson({ hits: 12, total: 80 })), [0.08794, 0.244132]);
  assert.deepEqual(rounded(wilson({ hits: 0, total: 25 })), [0, 0.133192]);
  assert.deepEqual(rounded(wilson({ hits: 50, total: 50 })), [0.928652, 1]);
  assert.deepEqual(rounded(wilson({ hits: 120, total: 1000 })), [0.101299, 0.141609]);
  assert.deepEqual(rounded(wilson({ hits: 150, total: 1000 })), [0.12921, 0.173469]);
  const compared = compareProportions({ hits: 120, total: 1000 }, { hits: 150, total: 1000 })!;
  assert.deepEqual(rounded(compared), [0.03, 0.25, 1.96305, 0.04964]);
});

test('returns null for undefined results', () => {
  assert.equal(compareProportions({ hits: 0, total: 0 }, { hits: 1, total: 2 }), null);
  assert.deepEqual(compareProportions({ hits: 0, total: 5 }, { hits: 0, total: 9 }), {
    absoluteUplift: 0,
    relativeUplift: null,
    zScore: null,
    pValue: null,
  });
  assert.equal(compareProportions({ hits: 0, total: 5 }, { hits: 3, total: 9 })?.relativeUplift, null);
  assert.equal(sampleRatio([0, 0], [50, 50]), null);
  assert.equal(sampleRatio([7], [100]), null);
});
