import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileNameOf, slugOf } from './file-name.ts';
import { renderReport } from './render.ts';
import { manyLines, oneLine } from './safe-text.ts';
import { businessWeek, documentOf, hostileTexts } from './test-documents.ts';
import { linesOf } from './text-lines.ts';

/** File names, text without invisible characters, and lines. */

test('a file name is the slug, the day of the zone and the extension', () => {
  const names = (['html', 'pdf', 'csv', 'markdown'] as const).map((format) => fileNameOf(businessWeek(), format));
  assert.deepEqual(
    names,
    ['html', 'pdf', 'csv', 'md'].map((extension) => `business-week-2026-11-21.${extension}`),
    'half past midnight in Athens',
  );
  assert.equal(fileNameOf(documentOf([], { timezone: 'America/New_York' }), 'csv'), 'business-week-2026-11-20.csv');
});

test('every name has a slug', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Überblick: Q3/2026', 'uberblick-q3-2026'],
    ['業務報告', 'report'],
    ['報告 2026', '2026'],
    ['', 'report'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\r\nSet-Cookie: x', 'a-set-cookie-x'],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
    ['CON', 'con'],
  ];
  for (const [name, slug] of cases) assert.equal(slugOf(name), slug);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) =>
      /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(slugOf(name)),
    ),
  );
});

test('removes invisible characters, and keeps lines', () => {
  assert.equal(oneLine(' a\r\n\tb\u202ec\u0000 \ud800'), 'a bc');
  assert.equal(manyLines('a\r\nb\u2028c\td\u0007'), 'a\nb\nc d');
  assert.equal(oneLine('e\u0301'), '\u00e9');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const clean of [oneLine(text), manyLines(text)]) {
        assert.ok(clean.isWellFormed());
        assert.doesNotMatch(clean, /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069\ufeff]/u);
      }
      assert.ok(!oneLine(text).includes('\n'));
      assert.equal(oneLine(oneLine(text)), oneLine(text));
    }),
  );
});

const letters = (text: string): number => [...text].length;

test('breaks lines at spaces, hyphens, and between characters of scripts without spaces; splits longer words', () => {
  assert.deepEqual(linesOf('one two three', 8, letters), ['one two', 'three']);
  assert.deepEqual(linesOf('well-known fact', 6, letters), ['well-', 'known', 'fact']);
  assert.deepEqual(linesOf('abcdefghij kl', 4, letters), ['abcd', 'efgh', 'ij', 'kl']);
  assert.deepEqual(linesOf('学生向け、カード', 4, letters), ['学生向', 'け、カー', 'ド']);
  assert.deepEqual(linesOf('a\n\nb', 4, letters), ['a', '', 'b']);
  assert.deepEqual(linesOf('', 4, letters), ['']);
  assert.deepEqual(linesOf('長い', 0.5, letters), ['長', 'い'], 'what is wider than the room stands alone');
});

test('no line is too long, and no letter is lost', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '長', '、', '\n', '7'), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (words, width) => {
      const lines = linesOf(words, width, letters);
      for (const line of lines) assert.ok(letters(line) <= width, JSON.stringify(line));
      assert.equal(lines.join('').replace(/\s/g, ''), words.replace(/\s/g, ''));
    }),
  );
});

test('renders the requested formats in order, each with its type', async () => {
  const artifacts = await renderReport(businessWeek(), ['markdown', 'csv', 'pdf', 'html']);
  assert.deepEqual(
    artifacts.map(({ format, mimeType }) => [format, mimeType]),
    [
      ['markdown', 'text/markdown; charset=utf-8'],
      ['csv', 'text/csv; charset=utf-8'],
      ['pdf', 'application/pdf'],
      ['html', 'text/html; charset=utf-8'],
    ],
  );
  for (const { content } of artifacts) assert.ok(content.length > 1000);
  assert.deepEqual(await renderReport(businessWeek(), []), []);
  for (const name of hostileTexts) assert.match(fileNameOf(documentOf([], { name }), 'pdf'), /^[a-z0-9-]+\.pdf$/);
});
