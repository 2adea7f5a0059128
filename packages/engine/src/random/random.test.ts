import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { h32, h32After, hashState, u } from './hash.ts';
import { stream } from './stream.ts';

/** The definition, byte by byte (docs/design/api-decisioning.md 1 no. 4). */
function reference(text: string): number {
  let hash = 2166136261n;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) & 0xffffffffn;
  hash ^= hash >> 16n;
  hash = (hash * 0x85ebca6bn) & 0xffffffffn;
  hash ^= hash >> 13n;
  hash = (hash * 0xc2b2ae35n) & 0xffffffffn;
  hash ^= hash >> 16n;
  return Number(hash);
}

const texts = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 12 })
  .map((codePoints) => String.fromCodePoint(...codePoints));

test('h32 matches its definition for every text', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 0, max: 0xffff })), (text, units) => {
      assert.equal(h32(text), reference(text));
      const anyUnits = String.fromCharCode(...units);
      assert.equal(h32(anyUnits), reference(anyUnits));
    }),
    randomCases(2000),
  );
});

test('a hash continued from a prefix is the hash of the whole', () => {
  fc.assert(
    fc.property(texts, texts, (prefix, rest) => {
      assert.equal(h32After(hashState(prefix), rest), h32(prefix + rest));
    }),
  );
});

test('u is uniform in [0, 1)', () => {
  const buckets = new Array<number>(10).fill(0);
  for (let index = 0; index < 20_000; index++) {
    const value = u(`customer-${index}`);
    assert.ok(value >= 0 && value < 1);
    const bucket = Math.floor(value * 10);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  for (const count of buckets) assert.ok(Math.abs(count - 2000) < 250, String(count));
});

test('streams repeat, differ by label, and are uniform', () => {
  const a = stream('seed', 'x');
  const b = stream('seed', 'x');
  const other = stream('seed', 'y');
  let sum = 0;
  let equal = 0;
  for (let index = 0; index < 10_000; index++) {
    const value = a();
    assert.ok(value >= 0 && value < 1);
    assert.equal(b(), value);
    if (other() === value) equal += 1;
    sum += value;
  }
  assert.equal(equal, 0);
  assert.ok(Math.abs(sum / 10_000 - 0.5) < 0.02);
});
