import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { compileRegex } from './compile-regex.ts';

function matches(pattern: string, text: string): boolean {
  const compiled = compileRegex(pattern);
  assert.ok(compiled.ok, `${pattern}: ${compiled.ok ? '' : compiled.message}`);
  return compiled.regex.test(text);
}

const atoms = fc.constantFrom(
  ...[
    'a',
    'b',
    '1',
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[ab]',
    '[^a]',
    '[a-c\\d]',
    '[^\\w]',
    '[\\-_]',
    '\\.',
  ],
  ...['é', '😀', '[é-😀]', '\\u{1F600}', '\\u00e9', '\\x41', '\\t'],
);
const anchors = fc.constantFrom('^', '$', '\\b', '(?:^|a)', '(?:b|$)');
const bounds = fc.constantFrom('*', '+', '?', '{0}', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{1,2}?');

const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atoms,
    anchors,
    fc.tuple(atoms, bounds).map(([atom, bound]) => atom + bound),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie('pattern'), bounds).map(([inner, bound]) => `(?:${inner})${bound}`),
  ),
}));
const texts = fc.array(fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '_', '-', '.', 'é', '😀', 'A'), {
  maxLength: 12,
});

test('matches what the language matches', () => {
  fc.assert(
    fc.property(pattern, fc.array(texts, { maxLength: 4 }), (source, samples) => {
      fc.pre(source.length <= 200);
      const compiled = compileRegex(source);
      if (!compiled.ok) {
        assert.match(compiled.message, /too many/);
        return;
      }
      const oracle = new RegExp(source, 'u');
      for (const sample of samples) {
        const text = sample.join('');
        assert.equal(compiled.regex.test(text), oracle.test(text), `${source} on ${JSON.stringify(text)}`);
      }
    }),
    randomCases(10_000),
  );
});

test('compiles only what the language accepts, and never throws', () => {
  const unit = fc.constantFrom(...'ab1()[]{}*+?|^$\\.,-<>:=!dwsbkxu0'.split(''));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), fc.string({ maxLength: 10 }), (source, text) => {
      const compiled = compileRegex(source);
      if (compiled.ok) compiled.regex.test(text);
    }),
    randomCases(20_000),
  );
});

/** Milliseconds of processor time since then: what others do on the machine does not count. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

test('takes linear time where backtracking takes forever', () => {
  const text = 'a'.repeat(1000);
  const start = process.cpuUsage();
  for (const source of [
    '^(a+)+$b',
    '(a|a)*b',
    '(a|aa)+$b',
    '([ab]*[ac]*[ad]*)*z',
    '(.*)*(.*)*(.*)*x',
    '((a?){20}){20}b',
  ]) {
    assert.equal(matches(source, text), false, source);
  }
  assert.ok(cpuMs(start) < 1000, `${cpuMs(start)} ms`);
});

test('limits: 200 characters of pattern, 1,000 of text, states', () => {
  assert.equal(compileRegex('😀'.repeat(200)).ok, true);
  assert.equal(compileRegex('a'.repeat(201)).ok, false);
  assert.equal(compileRegex('(a{1,40}){1,40}').ok, false);
  assert.equal(compileRegex('a{100000000}').ok, false);
  assert.equal(matches('b', `${'a'.repeat(999)}b`), true);
  assert.equal(matches('b', `${'a'.repeat(1000)}b`), false);
  assert.equal(matches('a$', 'a'.repeat(1000)), true);
  assert.equal(matches('a$', 'a'.repeat(1001)), false);
});

test("answers don't depend on earlier texts", () => {
  const compiled = compileRegex('^b');
  assert.ok(compiled.ok);
  assert.deepEqual(
    ['b', 'b', 'a', 'b', ''].map((text) => compiled.regex.test(text)),
    [true, true, false, true, false],
  );
});
