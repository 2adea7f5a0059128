import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { htmlPieces } from './html.ts';
import type { ReportDocument } from './report-document.ts';
import { businessWeek, column, documentOf, hostileTexts, sectionOf } from './test-documents.ts';

/** HTML whose markup is entirely ours. */

const htmlOf = (document: ReportDocument): string => [...htmlPieces(document)].join('');

/** The tags of a page, without their attributes' values; text outside of them may hold no `<`. */
function tagsOf(html: string): string[] {
  const body = html.slice(html.indexOf('<body>'));
  const tags = body.match(/<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>/gi) ?? [];
  const rest = tags.reduce((text, tag) => text.replace(tag, ''), body);
  assert.doesNotMatch(rest, /[<>]/, 'no tag but the ones that were read');
  return tags.map((tag) => tag.replace(/="[^"]*"/g, ''));
}

function hostile(text: string, other: string): ReportDocument {
  const columns = [column('a', 'text', text), column('b', 'integer', text)];
  return documentOf(
    [
      sectionOf({
        title: text,
        columns,
        rows: [
          { a: text, b: 5 },
          { a: other, b: text },
        ],
        filters: [{ label: text, value: text }],
        notes: [text],
        narrative: text,
        chart: { kind: 'bar', x: 'a', y: ['b'] },
      }),
      sectionOf({ id: 's2', title: text, columns, rows: [{ a: text, b: 7 }] }),
    ],
    {
      name: text,
      description: text,
      tenantName: text,
      runId: text,
      narrative: { executiveSummary: text, sectionNarratives: [], keyTakeaways: [text] },
    },
  );
}

test("names, cells, labels and words can't inject markup, attributes or styles", () => {
  const allowed = new Set(tagsOf(htmlOf(hostile('plain', 'other'))));
  for (const text of hostileTexts) {
    const html = htmlOf(hostile(text, 'other'));
    for (const tag of tagsOf(html)) assert.ok(allowed.has(tag), `${tag} comes of ${JSON.stringify(text)}`);
    assert.equal(html.match(/<\/title>/g)?.length, 1);
    assert.equal(html.match(/<\/style>/g)?.length, 1);
    assert.doesNotMatch(html, /[\u202a-\u202e\u2066-\u2069]|(?!\n)\p{Cc}/u);
  }
});

test('every section shows its period, zone and filters, and highlights a different period', () => {
  const html = htmlOf(
    documentOf([
      sectionOf({ filters: [{ label: 'Offer', value: 'Gold' }] }),
      sectionOf({ id: 's2', period: { from: '2026-10-22', to: '2026-11-20' } }),
      sectionOf({ id: 's3', period: null }),
    ]),
  );
  const scopes = [...html.matchAll(/<p class="(scope[^"]*)">([^<]*)<\/p>/g)].map(([, look, text]) => [look, text]);
  assert.deepEqual(scopes, [
    ['scope', '2026-11-14 to 2026-11-20 (7 days) · Europe/Athens · Offer: Gold'],
    ['scope own', 'Different period: 2026-10-22 to 2026-11-20 (30 days) · Europe/Athens'],
    ['scope', 'As of 2026-11-21 00:30 Europe/Athens'],
  ]);
});

test('no text injects markup', () => {
  const allowed = new Set(tagsOf(htmlOf(hostile('plain', 'other'))));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      for (const tag of tagsOf(htmlOf(hostile(text, 'other')))) assert.ok(allowed.has(tag), tag);
    }),
    randomCases(50),
  );
});

test('the page is self-contained: no script and no address to load, which its own policy forbids', () => {
  const html = htmlOf(businessWeek());
  assert.doesNotMatch(html, /<(script|link|img|iframe|object|embed|form|base)\b/i);
  assert.doesNotMatch(html, /\b(src|action|srcset)=|url\(|@import|https?:/i);
  assert.ok(html.includes(`default-src 'none'; style-src 'unsafe-inline'`));
  assert.deepEqual(
    [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target?.[0]),
    Array(6).fill('#'),
  );
});

test('formats figures for people', () => {
  const columns = [
    column('n', 'integer'),
    column('m', 'money'),
    column('r', 'ratio'),
    column('d', 'decimal'),
    column('day', 'date'),
    column('at', 'instant'),
  ];
  const rows = [
    { n: 1234567, m: '12345678901234567890.125', r: 0.0126, d: 0.5, day: '2026-10-25', at: '2026-10-25T00:30:00.000Z' },
    { n: -5, m: 0, r: null, d: 12.25, day: null, at: 'never' },
  ];
  const html = htmlOf(documentOf([sectionOf({ columns, rows })]));
  const cells = [...html.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
  assert.deepEqual(cells, [
    '1,234,567',
    '12,345,678,901,234,567,890.13',
    '1.3 %',
    '0.50',
    '2026-10-25',
    '2026-10-25 03:30',
    '−5',
    '0.00',
    '–',
    '12.25',
    '–',
    'never',
  ]);
});

test('draws a chart for wide and narrow screens, and describes it in words', () => {
  const html = htmlOf(businessWeek());
  assert.equal(html.match(/<svg class="wide"/g)?.length, 4);
  assert.equal(html.match(/<svg class="narrow"/g)?.length, 4);
  assert.ok(
    html.includes('aria-label="Bar chart of Offer performance: Impressions. The table below has the figures."'),
  );
});
