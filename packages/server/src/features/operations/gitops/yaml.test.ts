import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@arbiter/engine';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { readYaml } from '../../../platform/read-yaml.ts';
import { writeYaml } from './write-yaml.ts';

function read(text: string): Json {
  const result = readYaml(text);
  assert.ok('value' in result, JSON.stringify(result));
  return result.value;
}

/** Strings that YAML might misread, among all others. */
const trickyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc
    .array(fc.constantFrom(...'-?:,[]{}#&*!|>\'"%@`=<~ \t\n\r\u0000\u0085\u2028\ufeff.0123456789eExXoOtruefalsn/\\'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'null',
    'Null',
    '~',
    '',
    'true',
    'False',
    'yes',
    'no',
    'on',
    '0x1F',
    '0o17',
    '1e5',
    '.5',
    '5.',
    '+1',
    '-.inf',
    '.NaN',
    '---',
    '...',
    '<<',
    '=',
    '__proto__',
    'constructor',
    '2026-01-01',
    '12:30:00',
    'a: b',
    'a #b',
    '#a',
    ' a',
    'a ',
    'a:',
    '- a',
    '? a',
  ),
  fc.string({ minLength: 1010, maxLength: 1100 }),
);

const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, -0, 1e21, 1.5e-7, 2 ** 53 + 2, [], {}),
    trickyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

test('reads any written JSON value back, and writes the same bytes again', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = writeYaml(value);
      const again = read(text);
      assert.deepEqual(again, value);
      assert.equal(Object.is(again, value) || typeof value === 'object' || again === value, true);
      assert.equal(writeYaml(again), text);
      assert.ok(text.endsWith('\n') && !/[\r\t]/.test(text));
    }),
    randomCases(3000),
  );
});

test("the order of keys doesn't matter", () => {
  assert.equal(writeYaml({ b: 1, a: { d: 1, c: [] } }), writeYaml({ a: { c: [], d: 1 }, b: 1 }));
});

test('has the format that the design describes', () => {
  const value = {
    text: 'Gold card',
    quoted: 'yes: no',
    number: '12',
    lines: 'a\nb',
    list: ['x', ['y', 'z'], { k: 1, l: {} }],
    empty: [],
    nothing: null,
    deep: { a: { b: true } },
  };
  assert.equal(
    writeYaml(value),
    `deep:
  a:
    b: true
empty: []
lines: "a\\nb"
list:
  - x
  - - y
    - z
  - k: 1
    l: {}
nothing: null
number: "12"
quoted: "yes: no"
text: Gold card
`,
  );
});

test("rejects what JSON can't express, with its path", () => {
  for (const [text, message, pointer] of [
    ['a: &x 1\nb: *x\n', /anchor|alias/, '/a'],
    ['b: *x\n', /alias|Unresolved/, '/b'],
    ['a: !!str 1\n', /tag/, '/a'],
    ['a: !mine {b: 1}\n', /tag/, null],
    ['!!map {a: 1}\n', /tag/, ''],
    ['a: 1\nb: 2\na: 3\n', /is listed more than once/, '/a'],
    ['deep:\n  a: 1\n  "a": 2\n', /is listed more than once/, '/deep/a'],
    ['? [1, 2]\n: x\n', /key that is not a plain string/, ''],
    ['a: .nan\n', /finite/, '/a'],
    ['a: 1e999\n', /finite/, '/a'],
    ['a: 1\n---\nb: 2\n', /a single document/, null],
    ['a: [1, 2\n', /not valid YAML/, null],
    ['a: b: c\n', /not valid YAML/, null],
    ['', /empty/, null],
    ['# nothing\n', /empty/, null],
    ['['.repeat(50_000), /nested|not valid YAML/, null],
    [`${'['.repeat(150)}${']'.repeat(150)}`, /nested at most 100 levels/, '/0'.repeat(101)],
  ] as const) {
    const result = readYaml(text);
    assert.ok('problems' in result, text.slice(0, 40));
    const [first] = result.problems;
    assert.match(String(first?.message), message, text.slice(0, 40));
    assert.equal(first?.pointer, pointer, text.slice(0, 40));
  }
});

test('a problem names its line', () => {
  const result = readYaml('a: 1\nb: 2\nc: &x 3\n');
  assert.ok('problems' in result);
  assert.equal(result.problems[0]?.line, 3);
});

test('reports fifty of many faults, each with its line', () => {
  const text = `a: 1\n${'b: }\n'.repeat(3_000)}`;
  const result = readYaml(text);
  assert.ok('problems' in result);
  assert.equal(result.problems.length, 50);
  assert.equal(result.problems[0]?.line, 2);
  const lines = result.problems.map(({ line }) => line ?? 0);
  assert.deepEqual(
    lines,
    lines.toSorted((a, b) => a - b),
  );
  assert.ok(lines.every((line) => line >= 2 && line <= 52));
});

test('names the line of a problem in the first line, in the last one, and without line breaks', () => {
  const lineOf = (text: string) => {
    const result = readYaml(text);
    assert.ok('problems' in result, text);
    return result.problems[0]?.line;
  };
  assert.equal(lineOf('a: !tag 1'), 1);
  assert.equal(lineOf('a: !tag 1\nb: 2\n'), 1);
  assert.equal(lineOf('a: 1\n\n\nb: &anchor 2'), 4);
  assert.equal(lineOf('a: 1\n\n\nb: &anchor 2\n'), 4);
});

test('reports brackets nested too deep, open or closed', () => {
  for (const text of ['['.repeat(200_000), `a: ${'{b: '.repeat(201)}1${'}'.repeat(201)}`]) {
    const result = readYaml(text);
    assert.ok('problems' in result);
    assert.deepEqual(
      result.problems.map(({ message }) => message),
      ['must be nested at most 100 levels deep'],
    );
  }
  const rows = Array.from({ length: 300 }, () => '[1, {a: 2}]').join(', ');
  assert.ok('value' in readYaml(`a: [${rows}]`), 'many that are closed again are not deep');
  assert.ok('value' in readYaml(`a: '${'['.repeat(300)}'\nb: x${'[{'.repeat(300)}\n`), 'in texts they are none');
});
