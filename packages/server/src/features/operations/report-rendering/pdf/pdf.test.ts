import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { randomCases } from '../../../../../../../test/form.ts';
import type { ReportDocument, ReportRow } from '../report-document.ts';
import { businessWeek, column, documentOf, hostileTexts, sectionOf } from '../test-documents.ts';
import { renderPdf } from './pdf.ts';

/** PDF files, read as viewers read them: by their own tables, and by Poppler where it is installed. */

const folder = mkdtempSync(join(tmpdir(), 'arbiter-pdf-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined;
const poppler = { skip: hasPoppler ? false : 'no pdftotext: install poppler-utils' };

/** Returns the text of a file as Poppler reads it. Any complaint of Poppler is an error. */
function textOf(pdf: Buffer, ...options: readonly string[]): string {
  const file = join(folder, 'report.pdf');
  writeFileSync(file, pdf);
  const { stdout, stderr, status } = spawnSync('pdftotext', [...options, file, '-'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

/** The objects of a file, found by its table of places; fails where the file's structure is not whole. */
function objectsOf(pdf: Buffer): Map<number, string> {
  const latin = pdf.toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(latin)?.[1]);
  const [, size = '0'] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(latin.slice(start)) ?? assert.fail('no table');
  const lines = latin
    .slice(start)
    .split('\n')
    .slice(3, 2 + Number(size));
  const objects = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    const place = Number(/^(\d{10}) 00000 n $/.exec(line)?.[1]);
    const body = latin.slice(place);
    assert.ok(body.startsWith(`${at + 1} 0 obj\n`), `object ${at + 1} stands where the table says`);
    objects.set(at + 1, body.slice(body.indexOf('\n') + 1, body.indexOf('\nendobj\n')));
  }
  return objects;
}

/** Returns what a page or a map contains, from its stream. */
function streamsOf(objects: ReadonlyMap<number, string>): string[] {
  return [...objects.values()].flatMap((object) => {
    const [, head = '', length = '0'] = /^(<<.*?\/Length (\d+).*?>>stream\n)/s.exec(object) ?? [];
    const content = object.slice(head.length, head.length + Number(length));
    return head === '' ? [] : [inflateSync(Buffer.from(content, 'latin1')).toString('latin1')];
  });
}

const wordsOf = (text: string): string => text.replace(/\s+/g, ' ');

test('the file is complete: every object is where its table says, and every reference exists', async () => {
  const objects = objectsOf(await renderPdf(businessWeek()));
  for (const [number, object] of objects) {
    const dictionary = object.replace(/stream\n.*$/s, '');
    for (const [, named] of dictionary.matchAll(/\b(\d+) 0 R/g))
      assert.ok(objects.has(Number(named)), `${named} in ${number}`);
  }
  const all = [...objects.values()].join('\n');
  assert.equal(all.match(/\/FontFile2 /g)?.length, 2, 'both fonts are in the file');
  assert.doesNotMatch(all, /\/(JavaScript|JS|Launch|URI|EmbeddedFile|AA|OpenAction)\b/);
  assert.ok(all.includes('/CreationDate (D:20261120223000Z)'));
  assert.ok(streamsOf(objects).every((stream) => !stream.includes('NaN') && !stream.includes('undefined')));
});

test('equal documents give equal bytes, in any rendering order', async () => {
  const first = await renderPdf(businessWeek());
  await renderPdf(documentOf([sectionOf({ rows: hostileTexts.map((offer) => ({ offer, impressions: 1 })) })]));
  assert.ok(first.equals(await renderPdf(businessWeek())));
  const later = { ...businessWeek(), generatedAt: new Date('2026-11-21T22:30:00.000Z') };
  assert.ok(!first.equals(await renderPdf(later)));
});

test('text in every script can be read, searched and copied', poppler, async () => {
  const text = wordsOf(textOf(await renderPdf(businessWeek())));
  for (const words of [
    'Business week',
    'Platinum card with travel insurance leads with 48,210 impressions',
    'Χρυσή κάρτα επιβράβευσης',
    'Студенческий счёт',
    '学生向けクレジットカード',
    '金卡优惠活动',
    '학생 통장 이벤트',
    'Überziehungskredit – Konditionen für',
    '61,818.25',
    '2026-11-20 10:10',
    'Sampled: one decision in ten keeps its scores.',
    'No data for this section.',
  ]) {
    assert.ok(text.includes(words), words);
  }
});

test('embeds fonts with the letters of their scripts, only as large as needed', poppler, async () => {
  const pdf = await renderPdf(businessWeek());
  writeFileSync(join(folder, 'fonts.pdf'), pdf);
  const fonts = execFileSync('pdffonts', [join(folder, 'fonts.pdf')], { encoding: 'utf8' });
  assert.equal(fonts.match(/CID TrueType +Identity-H +yes yes yes/g)?.length, 2, fonts);
  assert.ok(pdf.length < 100_000, `${pdf.length} bytes`);
});

/** Returns the Unicode text of each glyph in the file's fonts, with the length of its outline. */
test('shows a character without a font as a box, which copies as the character', poppler, async () => {
  const rows = [
    { offer: 'שלום 👩‍👧 क', impressions: 1 },
    { offer: 'end', impressions: 2 },
  ];
  const text = textOf(await renderPdf(documentOf([sectionOf({ rows })])));
  for (const character of ['ש', '👩', '👧', 'क']) assert.ok(text.includes(character), character);
});

test('hostile names change nothing in the file but its text', async () => {
  for (const text of hostileTexts) {
    const columns = [column('a', 'text', text), column('b', 'integer', text)];
    const rows = [
      { a: text, b: 5 },
      { a: 'other', b: text },
    ];
    const narrative = { executiveSummary: text, sectionNarratives: [], keyTakeaways: [text] };
    const section = sectionOf({
      title: text,
      columns,
      rows,
      notes: [text],
      narrative: text,
      chart: { kind: 'bar', x: 'a', y: ['b'] },
    });
    const facts = sectionOf({ id: 's2', title: text, columns, rows: [{ a: text, b: 7 }] });
    const document = documentOf([section, facts], {
      name: text,
      description: text,
      tenantName: text,
      runId: text,
      narrative,
    });
    const objects = objectsOf(await renderPdf(document));
    const plain = [...objects.values()].filter((object) => !object.includes('stream\n')).join('\n');
    // Names are in the file as hexadecimal digits only, so nothing in them can be read as PDF.
    if (/[^ -~]|[()<>]/.test(text)) assert.ok(!plain.includes(text.trim() || 'nothing'), text);
    for (const stream of streamsOf(objects).filter((content) => content.includes('BT/'))) {
      for (const line of stream.split('\n')) assert.match(line, /^[-\d. a-zA-Z/]*(<[0-9a-f]*>)?[a-zA-Z ]*$/);
    }
  }
});

test('any text gives a file that opens', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(text, text, async (name, cell) => {
      const rows: ReportRow[] = [
        { offer: cell, impressions: 1 },
        { offer: name, impressions: null },
      ];
      objectsOf(await renderPdf(documentOf([sectionOf({ rows, title: cell })], { name })));
    }),
    randomCases(30),
  );
});

const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\/Page\//g)?.length ?? 0;
const rowsOf = (count: number): ReportRow[] =>
  Array.from({ length: count }, (_, at) => ({ offer: `Offer ${at}`, impressions: at }));

test('a table of 5,000 rows has them all, in order, with its header on every page', poppler, async () => {
  const pdf = await renderPdf(documentOf([sectionOf({ rows: rowsOf(5_000), truncated: true })]));
  const pages = textOf(pdf, '-layout').split('\f').slice(0, -1);
  assert.equal(pages.length, pagesOf(pdf));
  for (const [at, page] of pages.entries()) {
    assert.match(page, /Offer +Impressions/);
    assert.ok(page.includes(`${at + 1} / ${pages.length}`));
  }
  const found = pages.flatMap((page) => [...page.matchAll(/Offer (\d+) +([\d,]+)$/gm)]);
  assert.deepEqual(
    found.map(([, name]) => Number(name)),
    Array.from({ length: 5_000 }, (_, at) => at),
  );
  assert.ok(found.every(([, name, figure]) => Number(figure?.replace(',', '')) === Number(name)));
  assert.ok(pages.at(-1)?.includes('Only the first 5,000 rows are stored.'));
});

test('no page starts or ends with a single row of a table, and notes stay with its last rows', poppler, async () => {
  const note = 'Sampled: 10 % of decisions have a trace.';
  for (let count = 30; count < 80; count += 1) {
    const pdf = await renderPdf(documentOf([sectionOf({ rows: rowsOf(count), notes: [note, note] })]));
    const pages = textOf(pdf, '-layout').split('\f').slice(0, -1);
    const rows = pages.map((page) => [...page.matchAll(/Offer \d+ /g)].length);
    assert.ok(
      rows.every((found) => found >= 2),
      `${count} rows: ${rows}`,
    );
    assert.equal(pages.at(-1)?.split(note).length, 3, `${count} rows: both notes are on the last page`);
  }
});

test('every section shows its period, and a different one in bold', poppler, async () => {
  const words = textOf(await renderPdf(businessWeek()), '-layout');
  assert.equal(words.split('2026-11-14 to 2026-11-20 (7 days)').length, 8, 'the report and six sections of it');
  const other = sectionOf({
    period: { from: '2026-10-22', to: '2026-11-20' },
    filters: [{ label: 'Offer', value: '金' }],
  });
  const text = textOf(await renderPdf(documentOf([other])), '-layout');
  assert.match(text, /Different period: 2026-10-22 to 2026-11-20 \(30 days\) · Europe\/Athens · Offer: 金/);
});

/** Returns the position of each text, from Poppler's list of words and boxes. */
function wordBoxes(pdf: Buffer): {
  readonly word: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly page: readonly [number, number];
}[] {
  let page: readonly [number, number] = [0, 0];
  return textOf(pdf, '-bbox')
    .split('\n')
    .flatMap((line) => {
      const size = /<page width="([\d.]+)" height="([\d.]+)"/.exec(line);
      if (size) page = [Number(size[1]), Number(size[2])];
      const box = /<word xMin="([\d.-]+)" yMin="[\d.-]+" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*)<\/word>/.exec(line);
      return box
        ? [{ word: box[4] ?? '', left: Number(box[1]), right: Number(box[2]), bottom: Number(box[3]), page }]
        : [];
    });
}

test(
  'nothing exceeds the page: long cells wrap, wide tables turn to landscape, shrink and finally split',
  poppler,
  async () => {
    const long = 'Überziehungskreditkonditionen'.repeat(40);
    const words = 'some words of a very long name '.repeat(120).trim();
    const wide = (count: number): ReportDocument => {
      const columns = [
        column('name', 'text', 'Name'),
        ...Array.from({ length: count }, (_, at) => column(`c${at}`, 'money', `Measure number ${at}`)),
      ];
      const row = (name: string): ReportRow => ({
        name,
        ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, 1234567.5 + at])),
      });
      return documentOf(
        [sectionOf({ columns, rows: [row('first'), row('second')] }), sectionOf({ id: 's2', rows: rowsOf(2) })],
        { name: long, tenantName: words },
      );
    };
    const cells = documentOf([
      sectionOf({
        rows: [
          { offer: long, impressions: 1 },
          { offer: words.repeat(4), impressions: 2 },
          { offer: '長'.repeat(3000), impressions: 3 },
        ],
      }),
    ]);
    const shapes: string[] = [];
    for (const document of [cells, wide(5), wide(9), wide(40)]) {
      const pdf = await renderPdf(document);
      const boxes = wordBoxes(pdf);
      for (const { word, left, right, bottom, page } of boxes) {
        assert.ok(
          left >= 40 && right <= page[0] - 40 && bottom <= page[1] - 20,
          `${word} from ${left} to ${right} of ${page}`,
        );
      }
      shapes.push(boxes.some(({ page: [width, height] }) => width > height) ? 'lies' : 'stands');
    }
    assert.deepEqual(shapes, ['stands', 'stands', 'lies', 'lies']);
    const parts = wordsOf(textOf(await renderPdf(wide(40)), '-layout'));
    for (const at of [0, 20, 39])
      assert.ok(
        parts.includes(`${(1234567.5 + at).toLocaleString('en', { minimumFractionDigits: 2 })}`),
        `measure ${at}`,
      );
    const whole = textOf(await renderPdf(cells), '-raw').replace(/\s+/g, '');
    assert.ok(
      whole.includes(long.slice(0, 20)) && (whole.match(/長/g)?.length ?? 0) === 3000,
      'no letter of a long cell is lost',
    );
  },
);

test('a report without sections is one page', async () => {
  assert.equal(pagesOf(await renderPdf(documentOf([]))), 1);
});
