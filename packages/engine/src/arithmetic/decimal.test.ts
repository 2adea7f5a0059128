import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { groupedDecimal, round6, roundHalfAway } from './decimal.ts';
import { parseDecimal } from './decimal-text.ts';

/** Rounds the shortest decimal form by its digits, with whole numbers only. */
function byDigits(x: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = Math.abs(x).toExponential().split('e');
  const significand = BigInt(mantissa.replace('.', ''));
  const scale = mantissa.replace('.', '').length - 1 - Number(exponent);
  const drop = scale - digits;
  if (drop <= 0) return x + 0;
  const unit = 10n ** BigInt(drop);
  const rounded = (significand + unit / 2n) / unit;
  return Number(`${x < 0 ? '-' : ''}${rounded}e${-digits}`) + 0;
}

test('rounds half away from zero on the shortest decimal form', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -1000, max: 1000, noNaN: true }),
    fc.integer({ min: -9_999_999, max: 9_999_999 }).map((n) => n / 10_000),
    fc.integer({ min: -9_999_999, max: 9_999_999 }).map((n) => (n * 10 + 5) / 10_000_000),
  );
  fc.assert(
    fc.property(value, fc.integer({ min: -15, max: 15 }), (x, digits) => {
      assert.equal(roundHalfAway(x, digits), byDigits(x, digits));
    }),
    randomCases(20_000),
  );
});

test('never returns -0, and is stable after one round', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (x) => {
      const once = round6(x);
      assert.ok(!Object.is(once, -0));
      assert.equal(round6(once), once);
    }),
    randomCases(5000),
  );
});

test('groups thousands', () => {
  assert.equal(groupedDecimal(0, 0), '0');
  assert.equal(groupedDecimal(-1234.5, 1), '-1,234.5');
  assert.equal(groupedDecimal(999.995, 2), '1,000.00');
  assert.equal(groupedDecimal(0.05, 1), '0.1');
  assert.equal(groupedDecimal(0.04, 1), '0.0');
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.integer({ min: 0, max: 6 }), (x, digits) => {
      const text = groupedDecimal(x, digits);
      assert.match(text, /^-?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$/);
      assert.equal(Number(text.replaceAll(',', '')) + 0, roundHalfAway(x, digits));
    }),
  );
});

test('reads decimal texts only', () => {
  for (const [text, value] of [
    ['12', 12],
    ['-1.50', -1.5],
    ['+3e2', 300],
    ['1E-2', 0.01],
    ['-0', 0],
    ['007', 7],
  ] as const) {
    assert.ok(Object.is(parseDecimal(text), value), text);
  }
  for (const text of ['', ' 1', '1 ', '1.', '.5', '0x10', '1e', 'Infinity', 'NaN', '1,5', '1_000', '--1', '1e999']) {
    assert.equal(parseDecimal(text), null, text);
  }
});
