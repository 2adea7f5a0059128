import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { compareText, finiteNumber } from './order.ts';

test('orders texts by code point', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ufffd', '\ue000', '😀', '\u{10ffff}') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      // UTF-8 bytes are in code point order.
      assert.equal(compareText(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    randomCases(5000),
  );
});

test('accepts only finite numbers, and turns -0 into 0', () => {
  assert.ok(Object.is(finiteNumber(-0), 0));
  assert.equal(finiteNumber(1.5), 1.5);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, true, [1]]) {
    assert.equal(finiteNumber(value), null);
  }
});
