import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** Words that other products use where the glossary has one of its own; each stands there as "elsewhere also". */
const foreign = [
  'workspace',
  'subscriber',
  'principal',
  'treatment',
  'proposition',
  'content asset',
  'merge field',
  'placeholder',
  'strategy',
  'sub-flow',
  'circuit breaker',
  'cohort',
  'applicability',
  'suitability',
  'constraint',
  'impression cap',
];

/** The texts of a file of messages: what stands in quotes, but for where it imports from. */
function textsOf(file: string): readonly string[] {
  const source = readFileSync(file, 'utf8').replaceAll(/^import .*$/gm, '');
  return [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}

test('uses the words of the glossary', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  assert.ok(files.length > 20);
  const wrong = files.flatMap((name) =>
    textsOf(join(import.meta.dirname, name)).flatMap((text) =>
      foreign
        .filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(text))
        .map((word) => `${name}: ${word} in "${text}"`),
    ),
  );
  assert.deepEqual(wrong, []);
});

test('takes its list of foreign words from the glossary', () => {
  const glossary = readFileSync(join(import.meta.dirname, '../../../../docs/glossary.md'), 'utf8');
  const elsewhere = glossary
    .split('\n')
    .map((line) => line.split('|')[3] ?? '')
    .join('\n');
  assert.deepEqual(
    foreign.filter((word) => !elsewhere.includes(word)),
    [],
  );
});

/** Matches texts in a component: attributes that users see or hear, and what stands between tags. Ignores example IDs. */
const spelledTexts = (source: string): readonly string[] =>
  [
    ...source.matchAll(
      /\s(?:what|title|label|lead|placeholder|alt|aria-label|description|help|text|act)="([A-Za-z][^"]*)"/g,
    ),
    ...source.matchAll(/>\s*([A-Za-z][A-Za-z',.?! ]*)<\//g),
    ...source.matchAll(/^ {4,}([A-Z][a-z]+(?: [a-z']+)*[.?!]?)$/gm),
  ]
    .map(([, text = '']) => text)
    .filter((text) => !/^[A-Z]{2}-\d+$/.test(text));

test('keeps texts out of components', () => {
  assert.deepEqual(spelledTexts('<Id what="user id" />'), ['user id']);
  assert.deepEqual(spelledTexts('<p>No differences.</p>'), ['No differences.']);
  assert.deepEqual(spelledTexts('<p className="text-soft">\n      Nothing here\n    </p>'), ['Nothing here']);
  const source = join(import.meta.dirname, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  assert.ok(files.length > 200);
  const found = files.flatMap((name) =>
    spelledTexts(readFileSync(join(source, name), 'utf8')).map((text) => `${name}: ${text}`),
  );
  assert.deepEqual(found, []);
});
