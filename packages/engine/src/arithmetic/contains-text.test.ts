import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { containsText } from './contains-text.ts';

test("finds what the language's own search finds", () => {
  const unit = fc.constantFrom('a', 'b', 'aab');
  const text = fc.string({ unit, maxLength: 600, size: 'max' });
  const found = fc
    .tuple(text, fc.nat(300), fc.nat(900))
    .map(([whole, from, size]) => [whole, whole.slice(from, from + size)]);
  fc.assert(
    fc.property(fc.oneof(fc.tuple(text, text), found), ([whole = '', part = '']) => {
      assert.equal(containsText(whole, part), whole.includes(part));
    }),
    randomCases(500),
  );
});

/** Milliseconds of processor time since then: what others do on the machine does not count. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

test('is linear for texts made to be slow', () => {
  const start = process.cpuUsage();
  const half = 'a'.repeat(16_000);
  assert.equal(containsText('a'.repeat(64_000), `${half}b${half}`), false);
  assert.ok(cpuMs(start) < 100, `${cpuMs(start)} ms`);
});
