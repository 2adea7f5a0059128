import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { markdownPieces, markdownText } from './markdown.ts';
import type { ReportDocument } from './report-document.ts';
import { column, documentOf, hostileTexts, sectionOf } from './test-documents.ts';

/** Markdown that says what the cells say and nothing else. */

const markdownOf = (document: ReportDocument): string => [...markdownPieces(document)].join('');

test('a report in Markdown', () => {
  const document = documentOf(
    [
      sectionOf({
        columns: [column('offer', 'text', 'Offer'), column('rate', 'ratio', 'Rate'), column('mean', 'decimal', 'Mean')],
        rows: [
          { offer: 'Gold | card', rate: 0.125, mean: 1.5 },
          { offer: null, rate: null, mean: '-10.25' },
        ],
        truncated: true,
        notes: ['Sampled.'],
        chart: { kind: 'bar', x: 'offer', y: ['rate'] },
      }),
      sectionOf({
        id: 's2',
        title: 'Nothing',
        rows: [],
        period: { from: '2026-10-22', to: '2026-11-20' },
        filters: [{ label: 'Channel', value: 'Web | mail' }],
      }),
    ],
    {
      description: 'All of it.',
      narrative: {
        executiveSummary: 'In short.',
        sectionNarratives: [{ sectionId: 's1', narrative: 'Rates.' }],
        keyTakeaways: ['One', 'Two'],
      },
    },
  );
  assert.equal(
    markdownOf(document),
    `# Business week

All of it.

Example Bank · 2026-11-14 to 2026-11-20 (7 days) · Generated 2026-11-21 00:30 Europe/Athens

## Summary

In short.

- One
- Two

## Offer performance

2026-11-14 to 2026-11-20 (7 days) · Europe/Athens

Rates.

| Offer | Rate | Mean |
| --- | ---: | ---: |
| Gold \\| card | 12.5 % | 1.50 |
|  |  | −10.25 |

Only the first 2 rows are stored.

Sampled.

## Nothing

**Different period: 2026-10-22 to 2026-11-20 (30 days) · Europe/Athens · Channel: Web \\| mail**

No data for this section.

`,
  );
});

test('escapes what Markdown or HTML would interpret, and nothing else', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['[click](javascript:alert(1))', '\\[click\\](javascript:alert(1))'],
    ['<b>&amp; & <', '&lt;b>&amp;amp; & &lt;'],
    ['a_b*c`d|e~f^g$h\\', 'a\\_b\\*c\\`d\\|e\\~f\\^g\\$h\\\\'],
    ['https://x www.x.example', 'https\\://x www\\.x.example'],
    ['2026-11-20, 1.5 %', '2026-11-20, 1.5 %'],
  ];
  for (const [text, escaped] of cases) assert.equal(markdownText(text), escaped);
});

/** Cells of a row of a table, as GitHub cuts them: at bars that no backslash precedes. */
const cellsOf = (row: string): number => row.replace(/\\./g, '').split('|').length - 2;

test('hostile names stay in their cell, heading or item', () => {
  for (const text of hostileTexts) {
    const columns = [column('a', 'text', text), column('b', 'text')];
    const section = sectionOf({ title: text, columns, rows: [{ a: text, b: 'end' }], notes: [text] });
    const narrative = { executiveSummary: text, sectionNarratives: [], keyTakeaways: [text] };
    const written = markdownOf(documentOf([section], { name: text, description: text, tenantName: text, narrative }));
    assert.doesNotMatch(written, /<(?!br>)/, 'no tag but our line breaks');
    assert.doesNotMatch(written.replace(/\\./gs, ''), /\]\(|!\[|:\/\/|[`*_~]/);
    const rows = written.split('\n').filter((line) => line.startsWith('|'));
    assert.deepEqual(rows.map(cellsOf), [2, 2, 2], JSON.stringify(text));
    assert.ok(rows[2]?.endsWith('| end |'));
    const headings = written.split('\n').filter((line) => /^#+ /.test(line));
    assert.ok(headings.length <= 3, headings.join('\n'));
  }
});

test('writes any text as one cell', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const columns = [column('a', 'text'), column('b', 'text')];
      const written = markdownOf(documentOf([sectionOf({ columns, rows: [{ a: text, b: 'end' }] })]));
      const rows = written.split('\n').filter((line) => line.startsWith('|'));
      assert.deepEqual(rows.map(cellsOf), [2, 2, 2]);
    }),
  );
});
