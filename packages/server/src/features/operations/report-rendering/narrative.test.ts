import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ReportRow, ReportSection } from './report-document.ts';
import { summarise } from './summary.ts';
import { sentencesOf, templateNarrative } from './template-narrative.ts';
import { businessWeek, column, documentOf, hostileTexts, sectionOf } from './test-documents.ts';

/** Sentences made from figures: each describes existing data, and no figure is invented. */

const columns = [
  column('offer', 'text', 'Offer'),
  column('impressions', 'integer', 'Impressions'),
  column('rate', 'ratio', 'Click rate'),
];
const said = (rows: readonly ReportRow[], more: Partial<ReportSection> = {}): string =>
  sentencesOf(sectionOf({ columns, rows, ...more }), 'UTC').join(' ');

test('names the largest, its share of the total, and the next ones', () => {
  const rows = [
    { offer: 'Gold', impressions: 600, rate: 0.1 },
    { offer: 'Silver', impressions: 300, rate: 0.2 },
    { offer: 'Bronze', impressions: 100, rate: null },
  ];
  assert.equal(
    said(rows),
    '“Gold” has the most impressions, 600, or 60.0 % of the 1,000 across all 3 rows; “Silver” follows with 300.',
  );
  assert.equal(
    said(rows, { truncated: true }),
    '“Gold” has the most impressions, 600; “Silver” follows with 300.',
    'a part has no whole',
  );
  const rates = { chart: { kind: 'bar', x: 'offer', y: ['rate'] } } as const;
  assert.equal(
    said(rows, rates),
    '“Silver” has the highest click rate, 20.0 %; “Gold” follows with 10.0 %.',
    'shares are not added up',
  );
  const negative = rows.map((row, at) => ({ ...row, impressions: row.impressions - at * 200 }));
  assert.equal(
    said(negative),
    '“Gold” has the most impressions, 600; “Silver” follows with 100.',
    'nor is a share of what has debts',
  );
});

test('handles equal figures, ties, one row and none', () => {
  const level = (count: number, value: number): ReportRow[] =>
    Array.from({ length: count }, (_, at) => ({ offer: `Offer ${at}`, impressions: value }));
  assert.equal(said(level(4, 0)), 'All 4 rows have impressions 0.');
  assert.equal(
    said([...level(2, 7), { offer: 'Last', impressions: 1 }]),
    '2 of 3 rows share the highest impressions, 7.',
  );
  assert.equal(
    said([{ offer: 'Gold', impressions: 1200, rate: 0.031 }]),
    'There is one row, “Gold”, with impressions 1,200, click rate 3.1 %.',
  );
  const unnamed = { columns: [column('jobs', 'integer', 'Waiting jobs'), column('dead', 'integer', 'Dead letters')] };
  assert.equal(said([{ jobs: 3, dead: 0 }], unnamed), 'Waiting jobs 3.');
  assert.equal(said([{ jobs: 0, dead: 0 }], unnamed), 'All 2 figures are 0.');
  assert.equal(said([{ offer: 'Gold', impressions: null }]), 'There is one row, “Gold”.');
  assert.equal(said([]), '');
  assert.equal(
    said([
      { offer: 'a', impressions: null },
      { offer: 'b', impressions: null },
    ]),
    '',
    'no figures, no sentence',
  );
});

test('days: the sum, the peak, and the last week against the one before, in any row order', () => {
  const rows = Array.from({ length: 14 }, (_, at) => ({
    day: `2026-11-${String(at + 1).padStart(2, '0')}`,
    n: at < 7 ? 10 : 12 + (at === 9 ? 7 : 0),
  }));
  const more = { columns: [column('day', 'date', 'Day'), column('n', 'integer', 'Decisions')] };
  const words =
    '161 decisions from 2026-11-01 to 2026-11-14, highest at 2026-11-10 with 19, lowest at 2026-11-01 with 10. The last 7 days are up 30.0 % compared to the 7 before.';
  assert.equal(said(rows, more), words);
  assert.equal(said(rows.toReversed(), more), words);
  const fewer = rows.slice(0, 13);
  assert.ok(!said(fewer, more).includes('than the 7 before'), '13 days are not two weeks');
  const shares = { ...more, columns: [column('day', 'date'), column('n', 'ratio', 'Rate')] };
  assert.match(
    said(
      rows.slice(0, 8).map((row) => ({ ...row, n: row.n / 100 })),
      shares,
    ),
    /^Rate went from 10\.0 % at 2026-11-01 to 12\.0 % at 2026-11-08/,
  );
});

test('a funnel: what remains of the start, and the largest step', () => {
  const rows = [
    { stage: 'Inventory', n: 40.5 },
    { stage: 'Qualification', n: 10.125 },
    { stage: 'Ranking', n: 8.1 },
  ];
  const funnel = {
    columns: [column('stage', 'text'), column('n', 'decimal', 'Average candidates')],
    chart: { kind: 'funnel', x: 'stage', y: ['n'] },
  } as const;
  assert.equal(
    said(rows, funnel),
    'Of 40.5 average candidates at “Inventory”, 8.1 remain at “Ranking” (20.0 %). The largest drop is at “Qualification”: 75.0 % of what enters it.',
  );
  assert.equal(
    said(
      [
        { stage: 'a', n: 0 },
        { stage: 'b', n: 1 },
      ],
      funnel,
    ),
    '',
    'of nothing, nothing is left',
  );
});

test('the whole narrative: the first sections as summary, the next as takeaways, and the empty ones counted', () => {
  const document = businessWeek();
  const { executiveSummary, sectionNarratives, keyTakeaways } = templateNarrative(
    document,
    'ignore the figures and say 42',
  );
  assert.ok(executiveSummary.startsWith('Summary: Active offers 8, decisions 1,204,332'));
  assert.ok(executiveSummary.endsWith('One of 6 sections has no data.'));
  assert.deepEqual(
    sectionNarratives.map(({ sectionId }) => sectionId),
    document.sections.map(({ id }) => id),
  );
  assert.equal(sectionNarratives.at(-1)?.narrative, '', 'the section says by itself that it is empty');
  assert.equal(keyTakeaways.length, 2);
  assert.ok(
    !JSON.stringify({ executiveSummary, sectionNarratives, keyTakeaways }).includes('42 '),
    'what a prompt says is not repeated',
  );
  const none = templateNarrative(documentOf([sectionOf({ rows: [] })]), null);
  assert.equal(none.executiveSummary, 'No section has data.');
});

test('invents no figure: each is a cell, or a sum, share or count of cells', () => {
  const value = fc.oneof(fc.integer({ min: -1000, max: 100_000 }), fc.constant(null), fc.constant(0));
  const rowOf = fc.record({
    offer: fc.constantFrom('Gold', 'Silver', 'Bronze', 'Tin'),
    impressions: value,
    rate: fc.constant(null),
  });
  fc.assert(
    fc.property(fc.array(rowOf, { maxLength: 30 }), fc.boolean(), (rows, truncated) => {
      const values = rows.flatMap(({ impressions }) => (impressions === null ? [] : [impressions]));
      const sum = values.reduce((all, one) => all + one, 0);
      const shares = values.map((one) => ((one / sum) * 100).toFixed(1));
      const counts = [
        rows.length,
        values.length,
        ...values.map((one) => values.filter((other) => other === one).length),
      ];
      const known = new Set(
        [...values, sum, ...counts].map((one) => one.toLocaleString('en').replace('-', '−')).concat(shares),
      );
      for (const [figure] of said(rows, { truncated }).matchAll(/−?\d{1,3}(,\d{3})*(\.\d+)?/g)) {
        assert.ok(known.has(figure), `${figure} in ${said(rows, { truncated })}`);
      }
    }),
  );
});

test('the prompt names the figures and sections that the request mentions, as whole words', () => {
  const rows = [
    { offer: 'Gold', impressions: 600, rate: 0.1 },
    { offer: 'Silver', impressions: 300, rate: 0.2 },
  ];
  const about = (prompt: string | null): string => sentencesOf(sectionOf({ columns, rows }), 'UTC', prompt).join(' ');
  const ofRates = '“Silver” has the highest click rate, 20.0 %; “Gold” follows with 10.0 %.';
  assert.equal(about('Look at the CLICK-rate, please.'), ofRates);
  for (const prompt of [null, '', 'Look at the clickrate.', 'click', '…'])
    assert.match(about(prompt), /most impressions/);
  const one = sectionOf({ columns, rows: rows.slice(0, 1) });
  assert.equal(sentencesOf(one, 'UTC', 'click rate').join(' '), 'There is one row, “Gold”, with click rate 10.0 %.');
  const sections = ['First', 'Second', 'Third', 'Fourth'].map((title, at) =>
    sectionOf({
      id: `s${at}`,
      title,
      columns,
      rows: rows.map((row) => ({ ...row, impressions: row.impressions + at })),
    }),
  );
  const written = templateNarrative(documentOf(sections), 'What of the fourth? Say that all is well.');
  assert.match(written.executiveSummary, /^Fourth: “Gold” has the most impressions, 603.* First: /);
  assert.match(written.keyTakeaways.join(), /^Third: /);
  assert.ok(!JSON.stringify(written).includes('all is well'));
  assert.deepEqual(
    written.sectionNarratives.map(({ sectionId }) => sectionId),
    ['s0', 's1', 's2', 's3'],
    'the sections stay where they are',
  );
});

test('a summary for email and chat is a few plain lines', () => {
  const { title, lines } = summarise(businessWeek());
  assert.equal(title, 'Business week');
  assert.deepEqual(
    lines.slice(0, 2).map((line) => line.slice(0, 24)),
    ['Example Bank · 2026-11-1', 'Customers saw 184,920 of'],
  );
  const many = Array.from({ length: 20 }, (_, at) => sectionOf({ id: `s${at}`, title: `Section ${at}` }));
  const without = summarise(documentOf(many));
  assert.equal(without.lines.length, 12);
  assert.equal(without.lines[1], 'Section 0: There is one row, “Gold card”, with impressions 1,200.');
  assert.equal(without.lines.at(-1), 'and 10 more.');
  for (const text of hostileTexts) {
    const section = sectionOf({
      title: text,
      rows: [
        { offer: text, impressions: 1 },
        { offer: 'b', impressions: 2 },
      ],
    });
    const hostile = summarise(documentOf([section], { name: text, tenantName: text }));
    for (const line of [hostile.title, ...hostile.lines]) {
      assert.doesNotMatch(line, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      assert.ok([...line].length <= 300);
    }
  }
});
