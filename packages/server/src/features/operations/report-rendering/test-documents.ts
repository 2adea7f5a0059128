import type { ReportColumn, ReportDocument, ReportRow, ReportSection } from './report-document.ts';

/** Documents for tests and benches. */

export const column = (key: string, type: ReportColumn['type'], label = key): ReportColumn => ({ key, label, type });

export function sectionOf(more: Partial<ReportSection> = {}): ReportSection {
  return {
    id: 's1',
    title: 'Offer performance',
    columns: [column('offer', 'text', 'Offer'), column('impressions', 'integer', 'Impressions')],
    rows: [{ offer: 'Gold card', impressions: 1200 }],
    truncated: false,
    period: { from: '2026-11-14', to: '2026-11-20' },
    filters: [],
    notes: [],
    ...more,
  };
}

export function documentOf(sections: readonly ReportSection[], more: Partial<ReportDocument> = {}): ReportDocument {
  return {
    name: 'Business week',
    description: null,
    tenantName: 'Example Bank',
    timezone: 'Europe/Athens',
    generatedAt: new Date('2026-11-20T22:30:00.000Z'),
    period: { from: '2026-11-14', to: '2026-11-20' },
    sections,
    narrative: null,
    runId: null,
    ...more,
  };
}

const day = (at: number): string => new Date(Date.UTC(2026, 9, 22 + at)).toISOString().slice(0, 10);

/** A week's report as a bank would have it, in four scripts. */
export function businessWeek(): ReportDocument {
  const offers = [
    'Platinum card with travel insurance',
    'Mortgage consultation',
    'Χρυσή κάρτα επιβράβευσης',
    'Студенческий счёт',
    '学生向けクレジットカード',
    '金卡优惠活动',
    '학생 통장 이벤트',
    'Überziehungskredit – Konditionen für Geschäftskunden in der Großregion',
  ];
  const performance: ReportRow[] = offers.map((offer, at) => {
    const impressions = Math.round(48_210 / (at + 1) ** 1.2);
    const conversions = Math.round(impressions * (0.031 - at * 0.0023));
    return {
      offer,
      impressions,
      conversions,
      revenue: (conversions * 41.35).toFixed(2),
      ctr: 0.124 - at * 0.009,
      last: `2026-11-${20 - at}T08:1${at}:00.000Z`,
    };
  });
  const trend: ReportRow[] = Array.from({ length: 30 }, (_, at) => ({
    day: day(at),
    impressions: Math.round(5200 + 1900 * Math.sin(at / 1.1) + 60 * at),
    conversions: at === 12 ? null : Math.round(130 + 42 * Math.sin(at / 1.1 + 0.4) + 2 * at),
  }));
  return documentOf(
    [
      sectionOf({
        id: 's1',
        title: 'Summary',
        columns: [
          column('offers', 'integer', 'Active offers'),
          column('decisions', 'integer', 'Decisions'),
          column('impressions', 'integer', 'Impressions'),
          column('conversions', 'integer', 'Conversions'),
          column('revenue', 'money', 'Revenue'),
          column('rate', 'ratio', 'Conversion rate'),
        ],
        rows: [
          {
            offers: 8,
            decisions: 1_204_332,
            impressions: 184_920,
            conversions: 4_410,
            revenue: '182347.5',
            rate: 0.0238,
          },
        ],
      }),
      sectionOf({
        id: 's2',
        title: 'Offer performance',
        columns: [
          column('offer', 'text', 'Offer'),
          column('impressions', 'integer', 'Impressions'),
          column('conversions', 'integer', 'Conversions'),
          column('revenue', 'money', 'Revenue'),
          column('ctr', 'ratio', 'Click rate'),
          column('last', 'instant', 'Last shown'),
        ],
        rows: performance,
        notes: ['Offers without an impression in this time are left out.'],
        chart: { kind: 'bar', x: 'offer', y: ['impressions'] },
      }),
      sectionOf({
        id: 's3',
        title: 'Daily trend',
        columns: [
          column('day', 'date', 'Day'),
          column('impressions', 'integer', 'Impressions'),
          column('conversions', 'integer', 'Conversions'),
        ],
        rows: trend,
        chart: { kind: 'line', x: 'day', y: ['impressions', 'conversions'] },
      }),
      sectionOf({
        id: 's4',
        title: 'Funnel',
        columns: [
          column('stage', 'text', 'Stage'),
          column('candidates', 'decimal', 'Average candidates'),
          column('dropped', 'ratio', 'Share dropped'),
        ],
        rows: [
          { stage: 'Inventory', candidates: 42.5, dropped: 0 },
          { stage: 'Creatives', candidates: 38.25, dropped: 0.1 },
          { stage: 'Qualification', candidates: 17.5, dropped: 0.542 },
          { stage: 'Contact policies', candidates: 9.125, dropped: 0.479 },
          { stage: 'Ranking', candidates: 3, dropped: 0.671 },
        ],
        chart: { kind: 'funnel', x: 'stage', y: ['candidates'] },
      }),
      sectionOf({
        id: 's5',
        title: 'Score distribution',
        columns: [column('bin', 'text', 'Score'), column('web', 'integer', 'Web'), column('mail', 'integer', 'Mail')],
        rows: Array.from({ length: 20 }, (_, at) => ({
          bin: `${(at / 20).toFixed(2)}–${((at + 1) / 20).toFixed(2)}`,
          web: Math.round(900 * Math.exp(-(((at - 7) / 4) ** 2))),
          mail: Math.round(500 * Math.exp(-(((at - 11) / 3) ** 2))),
        })),
        chart: { kind: 'histogram', x: 'bin', y: ['web', 'mail'] },
        notes: ['Sampled: one decision in ten keeps its scores.'],
      }),
      sectionOf({ id: 's6', title: 'Anomalies', rows: [] }),
    ],
    {
      description: 'What was shown, what was taken up, and what it brought, over the last seven days.',
      narrative: {
        executiveSummary:
          'Customers saw 184,920 offers and took up 4,410 of them, 2.4 % of what was shown. Platinum card with travel insurance had the most impressions.',
        sectionNarratives: [
          {
            sectionId: 's2',
            narrative: 'Platinum card with travel insurance leads with 48,210 impressions, 26 % of all.',
          },
        ],
        keyTakeaways: [
          'Impressions rose by 12 % from the first day to the last.',
          'Qualification drops more than half of the candidates.',
        ],
      },
      runId: '0198f3c2-7b1a-7c3e-9d55-0a4b6c8d9e10',
    },
  );
}

/** What people type into names to break things: scripts, formulas, markup, controls, directions, lone surrogates. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style><script>alert(1)</script>',
  '<!-- --!> ]]> &lt;script&gt; &#60;',
  '=HYPERLINK("http://evil.example","x")',
  "+1+cmd|' /C calc'!A0",
  '-2+3',
  '@SUM(A1:A9)',
  '\t=1+1',
  '\r\n=1+1',
  ' =1+1',
  '|calc',
  '＝1+1',
  'a;=1+1',
  'a;"=1+1',
  'a\tb',
  'a,b "c"',
  'line\nbreak',
  'line\r\n=break',
  '[click](javascript:alert(1))',
  '![x](http://evil.example/x.png)',
  '| cell | cell |',
  '# heading\n---\n> quote\n- list\n1. one',
  '`code` *bold* _em_ ~~gone~~ $x$ \\ &amp;',
  'https://evil.example www.evil.example',
  '(Tj) ET \\) endstream endobj %%EOF',
  'invoice\u202egpj.exe',
  '\u2066isolate\u2069 \u200fmark\u200e',
  '\u0000\u0007\u001b[31mred',
  'half \ud800 and \udc00',
  '\ufeff\ufffe\uffff',
  'שלום עולם مرحبا بالعالم',
  '👩‍👩‍👧‍👦 🏳️‍🌈 ❤️',
  'e\u0301\u0323 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  '𠮷野家 𝒳 \u{e0041}',
  '__proto__',
  '',
  '   ',
  'x'.repeat(3000),
  '長'.repeat(500),
];
