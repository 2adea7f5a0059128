import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactNumber, timeOfSeconds } from './statement-rows.rules.ts';

test('times keep their decimals on both sides of 1970', () => {
  for (const [text, time] of [
    ['0', '1970-01-01T00:00:00'],
    ['1700000000.123456789', '2023-11-14T22:13:20.123456789'],
    ['1700000000.500000000', '2023-11-14T22:13:20.5'],
    ['-1', '1969-12-31T23:59:59'],
    ['-1.250000', '1969-12-31T23:59:58.75'],
    ['-0.000001', '1969-12-31T23:59:59.999999'],
  ] as const) {
    assert.equal(timeOfSeconds(text, ''), time);
    assert.equal(timeOfSeconds(text, 'Z'), `${time}Z`);
  }
  for (const text of ['', 'x', '1e5', '1.', '9999999999999', '999999999999']) {
    assert.throws(() => timeOfSeconds(text, ''), { reason: 'unexpected_response' }, text);
  }
});

test('keeps numbers as text that a double would change', () => {
  assert.deepEqual(
    ['12', '-1.5', '123456789012345', '1234567890123456', '0.1234567890123456', 'NaN', 'inf'].map(exactNumber),
    [12, -1.5, 123456789012345, '1234567890123456', '0.1234567890123456', 'NaN', 'inf'],
  );
});
