import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign } from '../src/delivery/assignment.ts';
import { chanceOf } from './corpus/chance.ts';

/** Returns the largest total over all ways to give each row a distinct column or none. */
function largestTotal(rows: number, columns: number, values: Float64Array): number {
  const used = new Set<number>();
  const from = (row: number): number => {
    if (row === rows) return 0;
    let best = from(row + 1);
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column]!;
      if (Number.isNaN(value) || used.has(column)) continue;
      used.add(column);
      best = Math.max(best, value + from(row + 1));
      used.delete(column);
    }
    return best;
  };
  return from(0);
}

function totalOf(assigned: Int32Array, columns: number, values: Float64Array): number {
  const taken = new Set<number>();
  let total = 0;
  for (const [row, column] of assigned.entries()) {
    if (column === -1) continue;
    assert.ok(!taken.has(column), 'a column goes to one row');
    taken.add(column);
    const value = values[row * columns + column]!;
    assert.ok(!Number.isNaN(value), 'the column fits the row');
    total += value;
  }
  return total;
}

test('finds the largest total: 4,000 random cases against all permutations, many with ties', () => {
  const chance = chanceOf('0'.repeat(32), 'assignment 7');
  let ties = 0;
  for (let round = 0; round < 4000; round++) {
    const rows = chance.int(0, 5);
    const columns = chance.int(0, 6);
    // Eighths add up exactly; few of them, so that many totals are equal.
    const steps = chance.pick([1, 2, 8, 64]);
    if (steps < 3) ties += 1;
    const values = Float64Array.from({ length: rows * columns }, () =>
      chance.flip(0.25) ? Number.NaN : chance.int(0, steps) / 8,
    );
    const assigned = assign(rows, columns, values);
    assert.equal(assigned.length, rows);
    assert.equal(totalOf(assigned, columns, values), largestTotal(rows, columns, values), `round ${round}`);
    assert.deepEqual(assign(rows, columns, values), assigned, 'the same again');
  }
  assert.ok(ties > 500);
});

test("finds the largest total up to rounding if values don't add up exactly", () => {
  const chance = chanceOf('0'.repeat(32), 'assignment 11');
  for (let round = 0; round < 1000; round++) {
    const rows = chance.int(1, 5);
    const columns = chance.int(1, 6);
    const values = Float64Array.from({ length: rows * columns }, () => chance.int(0, 1_000_000) / 999_983);
    const total = totalOf(assign(rows, columns, values), columns, values);
    assert.ok(Math.abs(total - largestTotal(rows, columns, values)) < 1e-9, `round ${round}`);
  }
});

test('gives the lower of equal columns to the earlier row', () => {
  const same = new Float64Array(3 * 5).fill(0.5);
  assert.deepEqual([...assign(3, 5, same)], [0, 1, 2]);
  assert.deepEqual([...assign(2, 3, new Float64Array(6))], [0, 1], 'what is worth nothing is given all the same');
});

test('leaves a row empty if nothing fits', () => {
  assert.deepEqual([...assign(2, 1, Float64Array.of(Number.NaN, 1))], [-1, 0]);
  assert.deepEqual([...assign(2, 1, Float64Array.of(0.4, 0.5))], [-1, 0]);
  assert.deepEqual([...assign(2, 0, new Float64Array(0))], [-1, -1]);
  assert.deepEqual([...assign(0, 3, new Float64Array(0))], []);
});

test('comes close to the best column of each of 50 rows and 2,000 columns, and never exceeds it', () => {
  const chance = chanceOf('0'.repeat(32), 'assignment 3');
  const rows = 50;
  const columns = 2000;
  const values = Float64Array.from({ length: rows * columns }, () =>
    chance.flip(0.3) ? Number.NaN : chance.int(0, 4096) / 4096,
  );
  const total = totalOf(assign(rows, columns, values), columns, values);
  // Each row's best column bounds the total from above. With this many columns the bound is nearly reached.
  let bound = 0;
  for (let row = 0; row < rows; row++) {
    let best = 0;
    for (let column = 0; column < columns; column++) best = Math.max(best, values[row * columns + column] || 0);
    bound += best;
  }
  assert.ok(total <= bound && total > bound - 0.1, `${total} of ${bound}`);
});
