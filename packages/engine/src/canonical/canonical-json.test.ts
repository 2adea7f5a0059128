import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { canonicalJson } from './canonical-json.ts';

/** Objects with their members in another order, at every depth. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test('writes the example of RFC 8785', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '😀': 5, '\u0080': 6, ö: 7 };
  assert.deepEqual(Object.values(JSON.parse(canonicalJson(keys))), [4, 2, 6, 7, 1, 5, 3]);
});

/** The definition, as plainly as it can be written. */
function reference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reference).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${reference(member)}`).join()}}`;
}

test('matches the definition, whatever the order of members', () => {
  const stringUnit = fc.constantFrom(...'abz19_-"\\/\n\u0001\u007fé€\ufb33'.split(''), '😀', '\ud800');
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit }), (value) => {
      const text = canonicalJson(value);
      assert.equal(text, reference(value));
      assert.equal(canonicalJson(reversed(value)), text);
    }),
    randomCases(3000),
  );
});

test('parses to the same value', () => {
  // Without backslashes: JSON.parse of Node 24.21 mixes up members whose names start with one.
  const stringUnit = fc.constantFrom(...'abz19_-"/\n\u0001\u007fé€\ufb33'.split(''), '😀');
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit }), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
    randomCases(1000),
  );
});

test('sorts many members too', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${(index * 37) % 100}`, index]));
  assert.deepEqual(Object.keys(JSON.parse(canonicalJson(many))), Object.keys(many).sort());
});

test("omits undefined members, writes -0 as 0, and rejects what JSON can't hold", () => {
  assert.equal(canonicalJson({ b: undefined, a: -0, c: [undefined] }), '{"a":0,"c":[null]}');
  assert.throws(() => canonicalJson({ a: Number.NaN }), RangeError);
  assert.throws(() => canonicalJson([() => 1]), TypeError);
  assert.throws(() => canonicalJson(1n), TypeError);
});
