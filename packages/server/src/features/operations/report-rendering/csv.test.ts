import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvPieces, defused } from './csv.ts';
import type { ReportDocument, ReportRow } from './report-document.ts';
import { column, documentOf, hostileTexts, sectionOf } from './test-documents.ts';

/** CSV as spreadsheets and programs read it. */

const csvOf = (document: ReportDocument): string => [...csvPieces(document)].join('');
const recordsOf = (text: string, delimiter = ','): string[][] =>
  parse(text, {
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: false,
    relax_quotes: delimiter !== ',',
  });
const oneCell = (text: string): string =>
  csvOf(documentOf([sectionOf({ columns: [column('a', 'text'), column('b', 'integer')], rows: [{ a: text, b: 1 }] })]));

test('writes a section as its title, the header, the rows and an empty line', () => {
  const rows: ReportRow[] = [
    { offer: 'Gold, "card"', impressions: 1200, rate: '0.0125', at: '2026-11-20T08:10:00.000Z' },
    { offer: null, impressions: -3, rate: null, at: null },
  ];
  const columns = [
    column('offer', 'text', 'Offer'),
    column('impressions', 'integer'),
    column('rate', 'ratio'),
    column('at', 'instant'),
  ];
  const text = csvOf(
    documentOf([
      sectionOf({ title: 'First', columns, rows }),
      sectionOf({ title: 'Second', rows: [], period: null, filters: [{ label: 'Offer', value: 'Gold' }] }),
    ]),
  );
  assert.equal(
    text,
    '\ufeffFirst,2026-11-14 to 2026-11-20 (7 days),Europe/Athens\r\nOffer,impressions,rate,at\r\n"Gold, ""card""",1200,0.0125,2026-11-20T08:10:00.000Z\r\n,-3,,\r\n\r\n' +
      'Second,As of 2026-11-21 00:30 Europe/Athens,Offer: Gold\r\nOffer,Impressions\r\n\r\n',
  );
});

/** A cell in which a spreadsheet would calculate. */
const isFormula = (cell: string): boolean => /^["\s]*[=+\-@|\uff0b\uff0d\uff1d\uff20]/.test(cell.normalize('NFC'));

test('no text becomes a formula, with any separator of a spreadsheet', () => {
  for (const text of hostileTexts) {
    const written = oneCell(text);
    const [, , [cell = ''] = []] = recordsOf(written);
    assert.ok(!isFormula(cell), JSON.stringify(cell));
    for (const part of written.split(/[;\t\n]/))
      assert.ok(!/^"*\s*[=+@|]/.test(part) || /^"*'/.test(part), JSON.stringify(part));
  }
  assert.equal(defused('=1+1'), "'=1+1");
  assert.equal(defused('a;"=1+1'), `a;"'=1+1`);
  assert.equal(defused('5 - 3 = 2'), '5 - 3 = 2', 'a sign within a text stays as it is');
});

test('writes negative numbers as numbers in number columns, and as text elsewhere', () => {
  const columns = [column('n', 'decimal'), column('t', 'text')];
  const written = csvOf(
    documentOf([
      sectionOf({
        columns,
        rows: [
          { n: '-1.50', t: '-1.50' },
          { n: '-1+1', t: 'x' },
        ],
      }),
    ]),
  );
  assert.deepEqual(recordsOf(written).slice(2, 4), [
    ['-1.50', "'-1.50"],
    ["'-1+1", 'x'],
  ]);
});

test('treats titles and labels as cells', () => {
  const written = csvOf(
    documentOf([
      sectionOf({
        title: '=1\r\n+2',
        period: null,
        filters: [{ label: 'Offer', value: '=1' }],
        columns: [column('a', 'text', '@x')],
        rows: [],
      }),
    ]),
  );
  assert.equal(written, "\ufeff'=1 +2,As of 2026-11-21 00:30 Europe/Athens,Offer: =1\r\n'@x\r\n\r\n");
});

test('reads any text back as one cell, except for invisible characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const records = recordsOf(oneCell(text));
      assert.equal(records[2]?.length, 2);
      assert.equal(records[2]?.[1], '1');
      assert.ok(!isFormula(records[2]?.[0] ?? ''));
      assert.doesNotMatch(records[2]?.[0] ?? '', /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
