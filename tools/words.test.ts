import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, openapi, operations } from '@arbiter/contract';
import { foreignPhrases } from './foreign-phrases.ts';
import {
  errorDetails,
  errorDetailsOf,
  notesOf,
  type ScannedText,
  scannedNotes,
  scannedTexts,
  textsOf,
} from './scanned-texts.ts';

const patterns = foreignPhrases.map((entry) => ({ ...entry, pattern: wordPattern(entry.phrase) }));
/** One pass over a text finds out whether it has any of them. */
const anyPattern = new RegExp(patterns.map(({ pattern }) => pattern.source).join('|'), 'i');

function wordPattern(phrase: string): RegExp {
  return new RegExp(`(?<![\\w-])${phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'i');
}

const texts = scannedTexts();
const all: readonly Operation[] = Object.values(operations);
const document = openapi(all, { version: '0.1.0', serverUrl: 'http://localhost:3000' });
const described = describedIn(document, '');

/** Returns the foreign phrases in these texts, one line each. */
function foreignIn(found: readonly ScannedText[]): string[] {
  return found
    .filter(({ text }) => anyPattern.test(text))
    .flatMap(({ file, line, text }) =>
      patterns
        .filter(({ pattern }) => pattern.test(text))
        .map(({ phrase, instead }) => `${file}:${line} "${phrase}" in "${text}": write "${instead}"`),
    );
}

/** Returns summaries, descriptions and titles of an OpenAPI document, with their paths. */
function describedIn(value: unknown, path: string): ScannedText[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${path}/${key}`;
    return ['summary', 'description', 'title'].includes(key) && typeof inner === 'string'
      ? [{ file: here, line: 1, text: inner }]
      : describedIn(inner, here);
  });
}

test('no scanned text contains a foreign phrase', () => {
  assert.ok(texts.length > 3000, 'the scanned files are found');
  assert.deepEqual(foreignIn(texts), []);
});

test('no text of the OpenAPI document contains a foreign phrase', () => {
  assert.ok(described.length > 3000, 'the document is described');
  assert.deepEqual(foreignIn(described), []);
});

test('no comment and no test title contains a foreign phrase', () => {
  const notes = scannedNotes();
  assert.ok(notes.length > 20_000, 'the comments and titles are found');
  assert.deepEqual(foreignIn(notes), []);
});

test('writes ID in capitals', () => {
  const isWrong = ({ text }: ScannedText): boolean =>
    /(?<![\w./-])Ids?(?= [a-z])/.test(text.replaceAll(/`[^`]*`/g, ''));
  const wrong = [...described, ...texts].filter(isWrong);
  assert.deepEqual(
    wrong.map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  );
  assert.ok(isWrong({ file: 'a.ts', line: 1, text: 'Id of the offer.' }));
});

/** A sentence starts with a capital letter or a field name and ends with punctuation. A value can be at either end. */
function isSentence(text: string, names: ReadonlySet<string>): boolean {
  const [first = ''] = text.split(/[ .]/);
  return (/^[A-Z`/]|^\$\{\}/.test(text) || names.has(first)) && /(?:[.?!]|\$\{\})$/.test(text);
}

test('the detail of every error is a sentence', () => {
  const names = new Set([...JSON.stringify(document).matchAll(/"(\w+)":/g)].map(([, name = '']) => name));
  const details = errorDetails();
  assert.ok(details.length > 200, 'the details are found');
  assert.deepEqual(
    details.filter(({ text }) => !isSentence(text, names)).map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  );
  const [wrong] = errorDetailsOf('a.ts', "new AppError('not_found', { detail: a ? 'offer not found' : 'Gone.' });");
  assert.equal(isSentence(wrong?.text ?? '', names), false);
});

test('finds a phrase in literals, templates, split sentences, tags and prose', () => {
  const found = (file: string, source: string) => foreignIn(textsOf(file, source)).length;
  assert.equal(found('a.ts', "const a = 'The name is there twice';"), 1);
  assert.equal(found('a.ts', 'const a = `$' + '{key} is there twice`;'), 1);
  assert.equal(found('a.ts', 'const a = `$' + "{b ? 'is there twice' : ''} in the list`;"), 1);
  assert.equal(found('a.ts', "const a = 'The name is there ' +\n  'twice';"), 1);
  assert.equal(found('a.ts', "const a = f('is there twice' + key);"), 1);
  assert.equal(found('a.tsx', 'const a = <p>The name is\n  there twice</p>;'), 1);
  assert.equal(found('a.md', 'The name\nis there twice.\n'), 1);
  assert.equal(found('a.ts', '// The name is there twice\nconst a = 1;'), 0);
  assert.equal(found('a.md', '```\nis there twice\n```\n`is there twice`\n'), 0);
});

test('finds a phrase in comments and test titles', () => {
  const found = (source: string) => foreignIn(notesOf('a.ts', source)).length;
  assert.equal(found('/**\n * The name is there\n * twice.\n */'), 1);
  assert.equal(found('const a = 1; // is there\n// twice'), 1);
  assert.equal(found("  test('what is there twice', () => {});"), 1);
  assert.equal(found('describe(\n  `is there twice`,\n);'), 1);
  assert.equal(found("const a = 'https://is there twice';"), 0);
  assert.equal(found("pattern.test('is there twice');"), 0);
});

test('lists each phrase once', () => {
  const phrases = foreignPhrases.map(({ phrase }) => phrase.toLowerCase());
  assert.deepEqual([...new Set(phrases)], phrases);
});
