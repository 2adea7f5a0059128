import assert from 'node:assert/strict';
import { test } from 'node:test';
import { centsOf, unitsOf } from './money.ts';

test('reads units as cents without rounding errors', () => {
  for (const [text, cents] of [
    ['12', 1200],
    ['12.5', 1250],
    ['0,29', 29],
    [' 1.10 ', 110],
    ['4.35', 435],
  ] as const)
    assert.equal(centsOf(text), cents, text);
  for (const text of ['', '1.234', '-1', '1.', 'x', '1,000.00']) assert.equal(centsOf(text), null, text);
});

test('writes cents as units', () => {
  assert.equal(unitsOf(1250), '12.50');
  assert.equal(unitsOf(1200), '12');
  assert.equal(unitsOf(1), '0.01');
  assert.equal(unitsOf(null), '');
});
